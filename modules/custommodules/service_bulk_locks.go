package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// lockAhead keeps bulk requests from waiting for each other in a circle. The records that the items are
// about are locked in one order, whatever that of the items is. New unique values cannot be: two requests
// that make the same ones in opposite order meet once, and the one that PostgreSQL then gives up runs again
// when no other bulk request of the module does.
func (b *batch) lockAhead(ctx context.Context) error {
	s, module, items := b.service, b.module, b.items
	if s.db.Dialect() == database.SQLite || len(items) < 2 {
		return nil // one transaction writes at a time; one item is locked in one order
	}
	if err := s.repo.lockBulk(ctx, module, database.Again(ctx)); err != nil {
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
	strength := lockShared
	for i := range items {
		if b.deletes(i) {
			strength = lockAlone
		}
	}
	pairs := make([][]any, 0, len(values))
	for _, v := range values {
		pairs = append(pairs, []any{v.field, v.value})
	}

	return s.repo.lockRecords(ctx, strength, module, ids, pairs)
}

// upserted returns the unique values by which items mean records, by the places of the items, as far as they
// are good.
func (s *service) upserted(ctx context.Context, module uuid.UUID, items []bulk.Item) (map[int]claimedValue, error) {
	values := map[int]claimedValue{}
	err := s.definitions.use(ctx, module, func(_ context.Context, d *definition) error {
		for i, item := range items {
			f := d.field(item.By)
			if item.Do != bulk.Upsert || f == nil || !f.unique || f.checking {
				continue
			}
			raw := rawjson.OrNothing(d.valueIn(item.Payload, f))
			if raw == nil {
				continue
			}
			if value, err := f.values.Parse(raw); err == nil && !value.Empty() {
				values[i] = claimedValue{f.id, f.claimed(value.Key)}
			}
		}

		return nil
	})
	if err != nil && refusal(err) {
		return nil, nil // the items say so
	}

	return values, err
}
