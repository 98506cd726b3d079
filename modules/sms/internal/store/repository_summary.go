package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/summary"
)

// Summary is what has been written with somebody.
type Summary struct {
	// Last is the last message about the item, or with one of its numbers; nil for none.
	Last *LastMessage `json:"last_message"`
	// OptedOut are those of its numbers that do not want messages.
	OptedOut []string `json:"opted_out"`
}

// LastMessage is the last message of a summary.
type LastMessage struct {
	UUID      uuid.UUID `json:"uuid"`
	Direction string    `json:"direction"`
	At        time.Time `json:"at"`
	Body      string    `json:"body"`
}

// Summarize returns the summary of an item.
func (s Summaries) Summarize(ctx context.Context, about summary.Subject) (Summary, error) {
	of := Summary{OptedOut: []string{}}
	var last []Message
	found, err := database.All[Message](s.db.Conn(ctx).Where("owner_type = ? AND owner_id = ?", about.Item.Type, about.Item.UUID).
		Order("created_at DESC, id DESC").Limit(1))
	if err != nil {
		return of, err
	}
	last = append(last, found...)
	if len(about.Phones) > 0 {
		thread, err := database.All[Thread](s.db.Conn(ctx).Where("counterpart IN ?", about.Phones).Order("last_at DESC").Limit(1))
		if err != nil {
			return of, err
		}
		for _, t := range thread {
			written, err := database.IfAny[Message](s.db.Conn(ctx), "id = ?", t.LastID)
			if err != nil {
				return of, err
			}
			if written != nil {
				last = append(last, *written)
			}
		}
		err = s.db.Conn(ctx).Model(&Contact{}).Where("number IN ? AND opted_out_at IS NOT NULL", about.Phones).Order("number").Pluck("number", &of.OptedOut).Error
		if err != nil {
			return of, database.Translate(err)
		}
	}
	for _, m := range last {
		if of.Last == nil || m.CreatedAt.After(of.Last.At) {
			of.Last = &LastMessage{UUID: m.ID, Direction: m.Direction, At: m.CreatedAt, Body: m.Body}
		}
	}

	return of, nil
}

// Summaries says what the area knows of items of others.
type Summaries struct{ db *database.DB }

// NewSummaries returns the summaries of what a repository keeps.
func NewSummaries(rows *Repository) Summaries { return Summaries{rows.DB} }
