package tags

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// repository keeps assignments, also those that the caller may not know of.
type repository struct {
	db    *database.DB
	clock clock.Clock
	all   *resource.Resource[assignment]
}

func newRepository(db *database.DB, c clock.Clock, all *resource.Resource[assignment]) *repository {
	return &repository{db, c, all}
}

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

// keepDoubles leaves assignments where they are that would move to an item which has the tag already.
func (r *repository) keepDoubles(ctx context.Context, all []*resource.Change[assignment]) error {
	var items []uuid.UUID
	for _, c := range all {
		if c.Verb == resource.Move {
			items = append(items, c.After.Item.UUID)
		}
	}
	if len(items) == 0 {
		return nil
	}
	type put struct {
		tag uuid.UUID
		of  resource.Item
	}
	there, err := r.all.Where(ctx, "item_id IN ?", items)
	have := make(map[put]bool, len(there))
	for _, a := range there {
		have[put{a.Tag, a.Item}] = true
	}
	for _, c := range all {
		if c.Verb == resource.Move && have[put{c.After.Tag, c.After.Item}] {
			c.After.Item = c.Before.Item
		}
	}

	return err
}
