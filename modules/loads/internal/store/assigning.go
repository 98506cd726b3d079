package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Unanswered reports whether a load is a lead that was assigned before a time to somebody who has not worked on it.
func (l *Load) Unanswered(before time.Time) bool {
	return l.State == loadsapi.Lead && l.HeldAt == nil && l.FirstContact == nil && l.Assigned != nil && l.AssignedAt != nil && !l.AssignedAt.After(before)
}

// NoteWork keeps when a load was assigned, and when a user has first worked on it since.
func (l *Load) NoteWork(ctx context.Context, c *resource.Change[Load], now time.Time) {
	var was *uuid.UUID
	if c.Before != nil {
		was = c.Before.Assigned
	}
	if l.Assigned != nil && (was == nil || *was != *l.Assigned) {
		l.AssignedAt = &now
	}
	if who, _ := principal.From(ctx); c.Before != nil && who.User != uuid.Nil && l.Assigned != nil && l.FirstContact == nil && c.Verb != VerbReassign {
		l.FirstContact = &now
	}
}
