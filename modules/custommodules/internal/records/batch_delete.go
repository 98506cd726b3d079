package records

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/hook"
)

// removed prepares the deletion of a record that was foreseen.
func (b *Batch) removed(ctx context.Context, i int, id uuid.UUID) (*store.Writing, error) {
	before, there := b.foreseen.records[id]
	if !there || b.touched[id] || b.pointed[id] || hook.HasListeners[custommodulesapi.RecordDeleting](b.Service.hooks) {
		return nil, errAlone
	}
	var made *store.Writing
	seen := &versionNoting{Condition: wantedVersion(b.Items[i].Version)}
	err := b.Service.next(ctx, definition.Deleted, before, seen,
		func(*definition.Definition, definition.RecordRow) (definition.Draft, error) {
			return definition.Draft{}, nil
		},
		func(_ context.Context, w *store.Writing) error {
			made = w

			return nil
		})
	b.outcomes[i].before = seen.version

	return made, err
}

// remove1 deletes a record that nobody refers to.
func (b *Batch) remove1(ctx context.Context, w *store.Writing) error {
	if err := b.Service.repo.RemoveSeen(ctx, w.Row); err != nil {
		return err
	}

	return b.Service.KeepIndexed(ctx, w)
}

// untilReferred returns how many items come before the first deletion of a record that others refer to, who have
// to be asked first. A record that is deleted before it does not count. Nobody comes to refer to these records
// until the transaction ends.
func (b *Batch) untilReferred(ctx context.Context, all []pendingWrite) (int, error) {
	var ids []uuid.UUID
	first := len(all)
	for i, g := range all {
		if g.Verb == definition.Deleted {
			ids, first = append(ids, g.Row.ID), min(first, i)
		}
	}
	if len(ids) == 0 {
		return len(all), nil
	}
	if b.Service.db.Dialect() == database.Postgres {
		if err := b.Service.repo.LockRecords(ctx, store.LockAlone, b.Module, ids, nil); err != nil {
			return 0, err
		}
	}
	referring, whole, err := b.Service.repo.Referring(ctx, ids)
	if err != nil {
		return 0, err
	}
	if !whole {
		return first, nil
	}
	gone := map[uuid.UUID]bool{}
	for i, g := range all {
		if g.Verb != definition.Deleted {
			continue
		}
		gone[g.Row.ID] = true
		for _, from := range referring[g.Row.ID] {
			if !gone[from] {
				return i, nil
			}
		}
	}

	return len(all), nil
}

// deleteReferred does the first of the items by itself, and returns those that are left to be written together:
// none if it has changed other records.
func (b *Batch) deleteReferred(ctx context.Context, all []pendingWrite) ([]pendingWrite, error) {
	if err := b.runItem(ctx, all[0].item); err != nil {
		return nil, fmt.Errorf("item %d: %w", all[0].item, err)
	}
	if b.outcomes[all[0].item].err != nil {
		return all[1:], nil //nolint:nilerr // the item alone has failed, and says so
	}

	return nil, b.eachAlone(ctx, all[1:])
}
