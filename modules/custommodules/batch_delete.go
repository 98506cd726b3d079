package custommodules

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/hook"
)

// removed prepares the deletion of a record that was foreseen.
func (b *batch) removed(ctx context.Context, i int, id uuid.UUID) (*writing, error) {
	before, there := b.foreseen.records[id]
	if !there || b.touched[id] || b.pointed[id] || hook.Heard[custommodulesapi.RecordDeleting](b.hooks) {
		return nil, errAlone
	}
	var made *writing
	seen := &noted{condition: wantedVersion(b.items[i].Version)}
	err := b.service.next(ctx, deleted, before, seen,
		func(*definition, recordRow) (draft, error) { return draft{}, nil },
		func(_ context.Context, w *writing) error {
			made = w

			return nil
		})
	b.outcomes[i].before = seen.version

	return made, err
}

// remove1 deletes a record that nobody refers to.
func (b *batch) remove1(ctx context.Context, w *writing) error {
	if err := b.repo.removeSeen(ctx, w.row); err != nil {
		return err
	}

	return b.keepIndexed(ctx, w)
}

// untilReferred returns how many items come before the first deletion of a record that others refer to, who have
// to be asked first. A record that is deleted before it does not count. Nobody comes to refer to these records
// until the transaction ends.
func (b *batch) untilReferred(ctx context.Context, all []gathered) (int, error) {
	var ids []uuid.UUID
	first := len(all)
	for i, g := range all {
		if g.verb == deleted {
			ids, first = append(ids, g.row.ID), min(first, i)
		}
	}
	if len(ids) == 0 {
		return len(all), nil
	}
	if b.db.Dialect() == database.Postgres {
		if err := b.repo.lockRecords(ctx, lockAlone, b.module, ids, nil); err != nil {
			return 0, err
		}
	}
	referring, whole, err := b.repo.referring(ctx, ids)
	if err != nil {
		return 0, err
	}
	if !whole {
		return first, nil
	}
	gone := map[uuid.UUID]bool{}
	for i, g := range all {
		if g.verb != deleted {
			continue
		}
		gone[g.row.ID] = true
		for _, from := range referring[g.row.ID] {
			if !gone[from] {
				return i, nil
			}
		}
	}

	return len(all), nil
}

// deleteReferred does the first of the items by itself, and returns those that are left to be written together:
// none if it has changed other records.
func (b *batch) deleteReferred(ctx context.Context, all []gathered) ([]gathered, error) {
	if err := b.one(ctx, all[0].item); err != nil {
		return nil, fmt.Errorf("item %d: %w", all[0].item, err)
	}
	if b.outcomes[all[0].item].err != nil {
		return all[1:], nil //nolint:nilerr // the item alone has failed, and says so
	}

	return nil, b.eachAlone(ctx, all[1:])
}
