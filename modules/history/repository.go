package history

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// repository reads and writes history_entries; the database package keeps companies apart.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db: db} }

func (r *repository) insert(ctx context.Context, row *entry) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// find returns an entry, a deleted one too, or errNotFound.
func (r *repository) find(ctx context.Context, id uuid.UUID) (entry, error) {
	return database.One[entry](r.db.Conn(ctx), errNotFound, "id = ?", id)
}

// findForUpdate is find, and keeps others from the entry until the transaction ends.
func (r *repository) findForUpdate(ctx context.Context, id uuid.UUID) (entry, error) {
	return database.One[entry](database.ForUpdate(r.db.Conn(ctx)), errNotFound, "id = ?", id)
}

// save stores what can change of an entry.
func (r *repository) save(ctx context.Context, row *entry) error {
	return database.Translate(r.db.Conn(ctx).Model(&entry{}).Where("id = ?", row.ID).Select(
		"kind", "direction", "outcome", "contact_name", "body", "happened_at", "version", "updated_at", "deleted_at",
	).Updates(row).Error)
}

// purge removes the entries of all companies that were deleted before a time.
func (r *repository) purge(ctx context.Context, before time.Time) error {
	old := r.db.Conn(database.AcrossCompanies(ctx, "what was deleted long ago is removed for all companies")).Model(&entry{}).
		Where("deleted_at < ?", before).Order("deleted_at")

	return r.db.Drain(ctx, old, func(ctx context.Context, ids []uuid.UUID) error {
		return database.Translate(r.db.Conn(ctx).Where("id IN ?", ids).Delete(&entry{}).Error)
	})
}

// timeline returns what people have written.
func (r *repository) timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	rows, err := database.All[entry](q.Narrow(r.db.Dynamic(ctx), timeline.Columns{
		ID: "id", At: "happened_at", ItemType: "item_type", ItemID: "item_id", Part: "item_part", Kind: "kind", Actor: "created_by",
		Search: []string{"body", "outcome", "contact_name"},
	}).Where("deleted_at IS NULL"))
	entries := make([]timeline.Entry, len(rows))
	for i, row := range rows {
		entries[i] = timeline.Entry{
			ID: row.ID, At: row.HappenedAt, Kind: row.Kind, Title: row.title(), Text: row.Body, Item: row.item(), Actor: row.actor(),
			Checked: true,
			Details: map[string]any{
				"direction": row.Direction, "outcome": row.Outcome, "contact_name": row.ContactName, "created_at": row.CreatedAt,
			},
		}
	}

	return entries, err
}
