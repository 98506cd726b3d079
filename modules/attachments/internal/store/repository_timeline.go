package store

import (
	"cmp"
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// Timeline returns attachments that are not deleted for the timelines of the items that they belong to.
func (r *Repository) Timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	rows, err := database.All[Attachment](q.Narrow(r.DB.Dynamic(ctx), timeline.Columns{
		ID: "id", At: "created_at", ItemType: "owner_type", ItemID: "owner_id", Part: "owner_part", Actor: "created_by",
		Search: []string{"title", "file_name"},
	}).Where("deleted_at IS NULL"))
	entries := make([]timeline.Entry, len(rows))
	for i, row := range rows {
		entries[i] = timeline.Entry{
			ID: row.ID, At: row.CreatedAt, Kind: "file", Title: "File: " + cmp.Or(row.Title, row.FileName), Actor: timeline.ByUser(row.CreatedBy),
			Item: row.Owner(), Thing: item.Ref{Type: AttachmentItem, UUID: row.ID}, Checked: true,
			Details: map[string]any{
				"file_name": row.FileName, "media_type": row.MediaType, "size": row.Size, "category": row.Category, "state": row.State,
			},
		}
	}

	return entries, err
}
