package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// Timeline returns messages for the timelines of the items that they belong to.
func (r *Repository) Timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	rows, err := database.All[Message](q.Narrow(r.DB.Dynamic(ctx), timeline.Columns{
		ID: "id", At: "created_at", ItemType: "owner_type", ItemID: "owner_id", Actor: "created_by", Search: []string{"body"},
	}))
	entries := make([]timeline.Entry, len(rows))
	for i, row := range rows {
		entries[i] = row.entry()
	}

	return entries, err
}

// entry is the message as a timeline shows it.
func (row Message) entry() timeline.Entry {
	e := timeline.Entry{
		ID: row.ID, At: row.CreatedAt, Kind: "message", Title: row.Title(), Text: row.Body, Actor: timeline.ByUser(row.CreatedBy),
		Thing:   item.Ref{Type: MessageItem, UUID: row.ID},
		Details: map[string]any{"direction": row.Direction, "from": row.Sender, "to": row.Recipient, "state": row.State},
	}
	if row.OwnerID != nil {
		e.Item = item.Ref{Type: row.OwnerType, UUID: *row.OwnerID}
	}

	return e
}
