package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// target is which row an item is about.
type target struct {
	id uuid.UUID
	// there says that there is such a row. Again finds out anew, after the items before; nil where they do not matter.
	there bool
	again func(ctx context.Context) error
	// made is the row that is made of the values, if it is not there, and row that which was written.
	made, row any
	// err is why nothing can be written, wrong why no row can be made.
	err, wrong error
}

// findTargets finds the rows that items are about: a statement for ids, and one for each field that names rows.
func (b *batch) findTargets(ctx context.Context) error {
	b.aims = make([]target, len(b.items))
	for i, item := range b.items {
		b.aims[i].made, b.aims[i].row = b.of.plan.New(), b.of.plan.New()
		b.aims[i].err = item.Wrong
		if item.Do == bulk.Update || item.Do == bulk.Delete {
			b.aims[i].id, b.aims[i].there = item.UUID, true
		}
	}
	if err := b.aimByID(ctx); err != nil {
		return err
	}
	for _, f := range b.of.plan.Fields {
		if err := b.aimBy(ctx, f); err != nil {
			return err
		}
	}
	for i, item := range b.items {
		a := &b.aims[i]
		if a.err != nil || (a.there && a.again == nil) {
			continue
		}
		if a.id == uuid.Nil {
			a.id = database.NewID()
		}
		if a.wrong = b.of.plan.ApplyPresets(columns.ValueOf(a.made)); a.wrong == nil {
			a.wrong = b.alsoWrong(b.of.decode(ctx, withoutNull(item.Payload), a.made, true), item.Payload)
		}
		if a.again == nil {
			a.err = a.wrong
		}
	}

	return nil
}

// alsoWrong adds to a refusal of values what else their types say of them: whoever mends a row hears of all of it at once.
func (b *batch) alsoWrong(err error, object []byte) error {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || refusal.Kind != errs.Invalid {
		return err
	}
	for _, f := range b.fields {
		raw := rawjson.Member(object, f.Key)
		if _, said := refusal.Fields[f.Key]; said || raw == nil {
			continue
		}
		if _, err := f.Check(raw); err != nil {
			refusal = refusal.WithField(f.Key, naming.Subject(f.Key)+" "+err.Error())
		}
	}

	return refusal
}

// withoutNull is an object without what is null: a new row has no value to take away.
func withoutNull(object []byte) []byte {
	kept := []byte{'{'}
	for name, value := range rawjson.Members(object) {
		if rawjson.OrNothing(value) == nil {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(append(kept, '"'), name...), '"', ':'), value...)
	}

	return append(kept, '}')
}

// aimByID finds the rows of items that change the row of an id, or make it.
func (b *batch) aimByID(ctx context.Context) error {
	var ids []uuid.UUID
	for _, item := range b.items {
		if item.Do == bulk.Put {
			ids = append(ids, item.UUID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	tx, err := b.of.visible(ctx, b.of.engine.db.Dynamic(ctx))
	if err != nil {
		return err
	}
	found, err := b.of.all(tx.Where("id IN ?", ids))
	if err != nil {
		return err
	}
	deleted := make(map[uuid.UUID]bool, len(found))
	for _, row := range found {
		deleted[columns.MetaOf(row).ID] = columns.MetaOf(row).DeletedAt != nil
	}
	seen := map[uuid.UUID]bool{}
	for i, item := range b.items {
		if item.Do != bulk.Put {
			continue
		}
		gone, there := deleted[item.UUID]
		a := &b.aims[i]
		if a.id, a.there = item.UUID, there; gone {
			a.err = b.of.gone
		}
		if seen[item.UUID] {
			a.again = func(ctx context.Context) error {
				found, err := b.of.findSome(ctx, []uuid.UUID{a.id})
				a.there = len(found) > 0

				return err
			}
		}
		seen[item.UUID] = true
	}

	return nil
}

// aimBy finds the rows of upserts that are named by the value of a field.
func (b *batch) aimBy(ctx context.Context, f *columns.Field) error {
	last := len(f.Columns) - 1
	stored, values := map[int]any{}, []any{}
	for i, item := range b.items {
		if item.Do != bulk.Upsert || item.By != f.Key || b.aims[i].err != nil {
			continue
		}
		given := b.of.plan.New()
		raw := rawjson.OrNothing(rawjson.Member(item.Payload, f.Key))
		if raw != nil && json.Unmarshal(raw, f.Of(columns.ValueOf(given)).Addr().Interface()) != nil {
			continue // Decode says so
		}
		if f.Normalise(columns.ValueOf(given)); f.Empty(columns.ValueOf(given)) {
			b.aims[i].err = b.of.invalid.WithField(f.Key, naming.Subject(f.Key)+" is required: it says which row is meant.")

			continue
		}
		stored[i] = f.Stored(columns.ValueOf(given))[last]
		values = append(values, stored[i])
	}
	if len(stored) == 0 {
		return nil
	}
	ids, err := b.of.holders(ctx, f, values)
	if err != nil {
		return err
	}
	seen, others := map[string]bool{}, false
	for i, item := range b.items {
		value, named := stored[i]
		if !named {
			others = others || item.Do != bulk.Upsert || item.By != f.Key

			continue
		}
		key, a := fmt.Sprint(value), &b.aims[i]
		if a.id, a.there = ids[key]; seen[key] || others { // what is done before may decide which row it is
			a.again = func(ctx context.Context) error {
				now, err := b.of.holders(ctx, f, []any{value})
				if a.id, a.there = now[key]; !a.there {
					a.id = database.NewID()
				}

				return err
			}
		}
		seen[key] = true
	}

	return nil
}

// holders returns the rows that have some values in a field, by the texts of these.
func (r *table) holders(ctx context.Context, f *columns.Field, values []any) (map[string]uuid.UUID, error) {
	last := len(f.Columns) - 1
	tx, err := r.visible(ctx, r.engine.db.Dynamic(ctx))
	if err != nil {
		return nil, err
	}
	found, err := r.all(tx.Where(f.Columns[last]+" IN ? AND deleted_at IS NULL", values))
	ids := make(map[string]uuid.UUID, len(found))
	for _, row := range found {
		ids[fmt.Sprint(f.Stored(columns.ValueOf(row))[last])] = columns.MetaOf(row).ID
	}

	return ids, err
}
