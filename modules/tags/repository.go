package tags

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// repository reads and writes many assignments at once.
type repository struct {
	db     *database.DB
	clock  clock.Clock
	engine *resource.Engine
	all    *resource.Resource[assignment]
}

func newRepository(db *database.DB, c clock.Clock, engine *resource.Engine, all *resource.Resource[assignment]) *repository {
	return &repository{db, c, engine, all}
}

// assigned are the assignments of some tags to some items.
func (r *repository) assigned(ctx context.Context, tags []uuid.UUID, items []resource.Item) ([]assignment, error) {
	ids := make([]uuid.UUID, len(items))
	for i, one := range items {
		ids[i] = one.UUID
	}

	return database.All[assignment](r.db.Conn(ctx).Where("tag_id IN ? AND item_id IN ? AND deleted_at IS NULL", tags, ids))
}

func (r *repository) remove(ctx context.Context, all []assignment) error {
	if len(all) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Delete(&all).Error)
}

// count is how many items have a tag, also those that the caller may not know of.
func (r *repository) count(ctx context.Context, tag uuid.UUID) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&assignment{}).Where("tag_id = ?", tag))
}

// move puts a tag on the items of another one that do not have it. The other one's assignments to the rest stay.
func (r *repository) move(ctx context.Context, from, into uuid.UUID) error {
	who, _ := principal.From(ctx)
	const query = `UPDATE tags_assignments SET tag_id = ?, version = version + 1, updated_at = ?, updated_by = ?
		WHERE company_id = ? AND tag_id = ? AND NOT EXISTS (SELECT 1 FROM tags_assignments AS other
			WHERE other.company_id = ? AND other.tag_id = ? AND other.item_id = tags_assignments.item_id AND other.item_type = tags_assignments.item_type)`

	return r.db.Pipeline(ctx, "one statement for any number of rows; the company is bound", query,
		[]any{into, r.clock.Now(), principal.UserOf(ctx), who.Company, from, who.Company, into}, nil)
}

// usage counts the items of a tag that the caller may know of, by type.
func (r *repository) usage(ctx context.Context, tag uuid.UUID) ([]usedByType, error) {
	tx, err := r.engine.Visible(ctx, r.db.Conn(ctx).Model(&assignment{}), "item_part")
	if err != nil {
		return nil, err
	}
	used := []usedByType{}
	err = tx.Where("tag_id = ? AND deleted_at IS NULL", tag).Select("item_type AS type, count(*) AS items").Group("item_type").Order("item_type").Find(&used).Error

	return used, database.Translate(err)
}
