package attachments

import (
	"cmp"
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// timeline returns attachments that are not deleted for the timelines of the items that they belong to.
func (r *repository) timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	rows, err := database.All[attachment](q.Narrow(r.db.Dynamic(ctx), timeline.Columns{
		ID: "id", At: "created_at", ItemType: "owner_type", ItemID: "owner_id", Part: "owner_part", Actor: "created_by",
		Search: []string{"title", "file_name"},
	}).Where("deleted_at IS NULL"))
	entries := make([]timeline.Entry, len(rows))
	for i, row := range rows {
		entries[i] = timeline.Entry{
			ID: row.ID, At: row.CreatedAt, Kind: "file", Title: "File: " + cmp.Or(row.Title, row.FileName), Actor: timeline.By(row.CreatedBy),
			Item: row.owner(), Thing: item.Ref{Type: attachmentItem, UUID: row.ID}, Checked: true,
			Details: map[string]any{
				"file_name": row.FileName, "media_type": row.MediaType, "size": row.Size, "category": row.Category, "state": row.State,
			},
		}
	}

	return entries, err
}
