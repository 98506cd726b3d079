package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// Timeline returns envelopes for the timelines of their items. What happens to them is told by their events.
func (r *Repository) Timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	rows, err := database.All[Envelope](q.Narrow(r.DB.Dynamic(ctx).Omit("content", "heard", "message"), timeline.Columns{
		ID: "id", At: "created_at", ItemType: "item_type", ItemID: "item_id", Actor: "created_by", Search: []string{"subject"},
	}))
	entries := make([]timeline.Entry, len(rows))
	for i, row := range rows {
		entries[i] = timeline.Entry{
			ID: row.ID, At: row.CreatedAt, Kind: "envelope", Title: "Envelope: " + row.Subject, Actor: timeline.ByUser(row.CreatedBy),
			Thing: item.Ref{Type: EnvelopeItem, UUID: row.ID}, Item: row.ItemRef(),
			Details: map[string]any{
				"state": row.State, "reason": row.Reason, "source": row.Source, "sent_at": row.SentAt, "completed_at": row.CompletedAt,
			},
		}
	}

	return entries, err
}
