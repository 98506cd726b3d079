package state

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Log is the log of transitions, which areas are given. It may be used from several goroutines.
type Log struct {
	db    *database.DB
	clock clock.Clock
	audit *audit.Log
}

// NewLog returns the log in a database. What it logs is in the audit trail too.
func NewLog(db *database.DB, c clock.Clock, a *audit.Log) *Log {
	return &Log{db: db, clock: c, audit: a}
}

// move adds a row after the last of its thing, which must have led to where the row begins. Of two
// transactions that move a thing at the same time, the second gets ErrMoved: either it sees the row
// of the first, or both have the same number.
func (l *Log) move(ctx context.Context, row logRow) error {
	last, err := l.last(ctx, row)
	if err != nil {
		return err
	}
	if last.Seq > 0 && last.ToState != row.FromState {
		return ErrMoved.WithDetail("current", last.ToState)
	}

	return l.add(ctx, last, row)
}

// put adds a row whatever the last one was.
func (l *Log) put(ctx context.Context, row logRow) error {
	last, err := l.last(ctx, row)
	if err != nil {
		return err
	}

	return l.add(ctx, last, row)
}

// last returns the last row of the thing that row is about, the zero row if there is none.
func (l *Log) last(ctx context.Context, row logRow) (logRow, error) {
	var last logRow
	err := l.db.Conn(ctx).Where("item_type = ? AND item_id = ?", row.ItemType, row.ItemID).
		Order("seq DESC").Limit(1).Find(&last).Error
	if err != nil {
		return last, fmt.Errorf("state of %s %s: %w", row.ItemType, row.ItemID, database.Translate(err))
	}

	return last, nil
}

func (l *Log) add(ctx context.Context, last, row logRow) error {
	who, _ := principal.From(ctx)
	row.ID, row.Seq, row.At, row.ActorKind = database.NewID(), last.Seq+1, l.clock.Now(), string(who.Kind)
	if who.User != uuid.Nil {
		row.ActorID = &who.User
	}
	if err := database.Translate(l.db.Conn(ctx).Create(&row).Error); errors.Is(err, database.ErrDuplicate) {
		return ErrMoved.WithCause(err)
	} else if err != nil {
		return fmt.Errorf("state of %s %s: %w", row.ItemType, row.ItemID, err)
	}

	return l.audit.Record(ctx, audit.Entry{
		Action: row.ItemType + "." + row.Verb, Item: audit.Item{Type: row.ItemType, UUID: row.ItemID, Part: row.ItemPart},
		Changes: map[string]audit.Change{"state": {Before: row.FromState, After: row.ToState}},
	})
}

// History returns the transitions of a thing of the caller's company, the earliest first.
func (l *Log) History(ctx context.Context, itemType string, id uuid.UUID) ([]Transition, error) {
	var rows []logRow
	err := l.db.Conn(ctx).Where("item_type = ? AND item_id = ?", itemType, id).Order("seq").Find(&rows).Error
	history := make([]Transition, 0, len(rows))
	for _, row := range rows {
		history = append(history, row.transition())
	}

	return history, database.Translate(err)
}
