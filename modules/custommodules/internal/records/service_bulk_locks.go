package records

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// LockAhead keeps bulk requests from waiting for each other in a circle. The records that the items are
// about are locked in one order, whatever that of the items is. New unique values cannot be: two requests
// that make the same ones in opposite order meet once, and the one that PostgreSQL then gives up runs again
// when no other bulk request of the module does.
func (b *Batch) LockAhead(ctx context.Context) error {
	s, module, items := b.Service, b.Module, b.Items
	if s.db.Dialect() == database.SQLite || len(items) < 2 {
		return nil // one transaction writes at a time; one item is locked in one order
	}
	if err := s.repo.LockBulk(ctx, module, database.IsRetry(ctx)); err != nil {
		return err
	}
	ids := make([]uuid.UUID, 0, len(items))
	for _, item := range items {
		if item.UUID != uuid.Nil {
			ids = append(ids, item.UUID)
		}
	}
	values, err := s.upserted(ctx, module, items)
	if err != nil {
		return err
	}
	strength := store.LockShared
	for i := range items {
		if b.deletes(i) {
			strength = store.LockAlone
		}
	}
	pairs := make([][]any, 0, len(values))
	for _, v := range values {
		pairs = append(pairs, []any{v.Field, v.Value})
	}

	return s.repo.LockRecords(ctx, strength, module, ids, pairs)
}

// upserted returns the unique values by which items mean records, by the places of the items, as far as they
// are good.
func (s *Service) upserted(ctx context.Context, module uuid.UUID, items []bulk.Item) (map[int]store.ClaimedValue, error) {
	values := map[int]store.ClaimedValue{}
	err := s.definitions.Use(ctx, module, func(_ context.Context, d *definition.Definition) error {
		for i, item := range items {
			f := d.Field(item.By)
			if item.Do != bulk.Upsert || f == nil || !f.Unique || f.Checking {
				continue
			}
			raw := rawjson.OrNothing(d.ValueIn(item.Payload, f))
			if raw == nil {
				continue
			}
			if value, err := f.Values.Parse(raw); err == nil && !value.Empty() {
				values[i] = store.ClaimedValue{Field: f.ID, Value: f.UniqueKey(value.Key)}
			}
		}

		return nil
	})
	if err != nil && IsRefusal(err) {
		return nil, nil // the items say so
	}

	return values, err
}
