package notes

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// repository reads notes for the timelines of items.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

func (r *repository) timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	rows, err := database.All[note](q.Narrow(r.db.Dynamic(ctx).Where("deleted_at IS NULL"), timeline.Columns{
		ID: "id", At: "created_at", ItemType: "item_type", ItemID: "item_id", Part: "item_part", Actor: "created_by", Search: []string{"body"},
	}))
	entries := make([]timeline.Entry, len(rows))
	for i, row := range rows {
		entries[i] = timeline.Entry{
			ID: row.ID, At: row.CreatedAt, Kind: "note", Title: "Note", Text: row.Body, Actor: timeline.ByUser(row.CreatedBy), Item: row.Item.Ref(),
			Thing: item.Ref{Type: "notes.note", UUID: row.ID}, Details: map[string]any{"visibility": row.Visibility, "pinned": row.Pinned}, Checked: true,
		}
	}

	return entries, err
}
