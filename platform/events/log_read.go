package events

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Logged is an event as the log has it.
type Logged struct {
	ID      uuid.UUID
	Name    string
	Payload json.RawMessage
	Actor   string
	At      time.Time
}

const whyRead = "the log is read along its key; the company is bound"

// idsAfter returns the ids of a company's events after one, in their order.
func (b *Bus) idsAfter(ctx context.Context, company, after uuid.UUID, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := b.db.Raw(ctx, whyRead).Raw("SELECT id FROM events_log WHERE company_id = ? AND id > ? ORDER BY id LIMIT ?",
		company, after, most).Scan(&ids).Error

	return ids, database.Translate(err)
}

// newest returns the greatest id of a company's events, uuid.Nil if there are none.
func (b *Bus) newest(ctx context.Context, company uuid.UUID) (uuid.UUID, error) {
	var ids []uuid.UUID
	err := b.db.Raw(ctx, whyRead).Raw("SELECT id FROM events_log WHERE company_id = ? ORDER BY id DESC LIMIT 1", company).
		Scan(&ids).Error
	if err != nil || len(ids) == 0 {
		return uuid.Nil, database.Translate(err)
	}

	return ids[0], nil
}

// named returns those of a company's events that have one of the names, in the order of ids.
func (b *Bus) named(ctx context.Context, company uuid.UUID, ids []uuid.UUID, names []string) ([]Logged, error) {
	var rows []logRow
	err := b.db.Raw(ctx, whyRead).Raw(`SELECT id, name, payload, actor, at FROM events_log
		WHERE company_id = ? AND id IN ? AND name IN ? ORDER BY id`, company, ids, names).Scan(&rows).Error

	return loggedEvents(rows), database.Translate(err)
}

// page returns the events of a company after one, in the order of ids.
func (b *Bus) page(ctx context.Context, company, after uuid.UUID, most int) ([]Logged, error) {
	var rows []logRow
	err := b.db.Raw(ctx, whyRead).Raw(`SELECT id, name, payload, actor, at FROM events_log
		WHERE company_id = ? AND id > ? ORDER BY id LIMIT ?`, company, after, most).Scan(&rows).Error

	return loggedEvents(rows), database.Translate(err)
}

func loggedEvents(rows []logRow) []Logged {
	all := make([]Logged, len(rows))
	for i, row := range rows {
		all[i] = Logged{ID: row.ID, Name: row.Name, Payload: json.RawMessage(row.Payload), Actor: row.Actor, At: row.At}
	}

	return all
}
