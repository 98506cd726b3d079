package resource

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// Write implements collection.Collection.
func (c rows) Write(ctx context.Context, source string, changes []collection.Change) ([]collection.Outcome, error) {
	if err := c.MayWrite(ctx); err != nil {
		return nil, err
	}
	items := make([]bulk.Item, len(changes))
	for i, change := range changes {
		values, err := nestOwn(change.Values)
		if err != nil {
			return nil, err
		}
		change.Values = values
		items[i] = bulk.Item{Do: bulk.Create, UUID: change.Row, Version: change.Version, By: change.By, Payload: change.Values}
		switch {
		case change.By != "":
			items[i].Do = bulk.Upsert
		case change.Row != uuid.Nil:
			items[i].Do = bulk.Put
		}
	}
	b, err := c.of.batch(history.WithSource(ctx, source), items)
	if err != nil {
		return nil, err
	}

	return b.outcomes, nil
}

// MayDo implements bulk.Writer.
func (c rows) MayDo(_ context.Context, do bulk.Verb) error {
	own := map[bulk.Verb]bool{bulk.Create: c.of.owns(Create), bulk.Update: c.of.owns(Update), bulk.Delete: c.of.owns(Delete)}
	if own[do] || do == bulk.Upsert && (own[bulk.Create] || own[bulk.Update]) {
		return errOwnWrites
	}

	return nil
}

// Do implements bulk.Writer.
func (c rows) Do(ctx context.Context, items []bulk.Item, _ bool, done func(i int, o bulk.Outcome)) error {
	ctx, err := c.of.withOwn(ctx)
	if err != nil {
		return err
	}
	items = slices.Clone(items)
	for i := range items {
		if items[i].Wrong == nil {
			items[i].Wrong = c.checkItem(ctx, items[i])
		}
	}
	b, err := c.of.batch(ctx, items)
	if err != nil {
		return err
	}
	if err := b.show(ctx); err != nil {
		return err
	}
	for i, item := range items {
		o := bulk.Outcome{Outcome: b.outcomes[i]}
		switch {
		case item.Wrong != nil:
		case o.Err != nil:
			o.Err = ofPayload(o.Err)
		case item.Do != bulk.Delete:
			shown, err := json.Marshal(b.aims[i].row)
			if err != nil {
				return err
			}
			o.Size, o.Show = len(shown), func() (any, int) { return rawjson.Object(shown), len(shown) }
		}
		done(i, o)
	}

	return nil
}

// show makes the rows of all items what the caller may see.
func (b *batch) show(ctx context.Context) error {
	all := make([]any, len(b.aims))
	for i := range b.aims {
		all[i] = b.aims[i].row
	}

	return b.of.show(ctx, nil, all...)
}

// checkItem says why an item cannot be done, whatever rows there are.
func (c rows) checkItem(ctx context.Context, item bulk.Item) error {
	if err := c.MayDo(ctx, item.Do); err != nil || item.Do != bulk.Upsert {
		return err
	}
	var keys []string
	for _, f := range c.of.plan.Fields {
		if f.Unique && f.Writable() && f.SeenBy(c.of.sees(ctx)) {
			keys = append(keys, f.Key)
		}
	}
	if slices.Contains(keys, item.By) {
		return nil
	}
	slices.Sort(keys)
	if keys == nil {
		keys = []string{"the collection has none"}
	}

	return c.of.invalid.WithField("by", "`by` must be the key of a unique field: "+strings.Join(keys, ", ")+".")
}

// ofPayload names the fields of a refusal as items of bulk requests have them.
func ofPayload(err error) error {
	return errs.Named(err, func(field string) string { return "payload." + field })
}

// withoutFixed takes out of a patch what says of fixed fields what they are already, as an exported row does.
func (r *table) withoutFixed(row any, patch []byte) ([]byte, error) {
	if !slices.ContainsFunc(r.plan.Fields, func(f *columns.Field) bool { return f.Fixed }) {
		return patch, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(patch, &given); err != nil {
		return nil, err
	}
	for _, f := range r.plan.Fields {
		raw, has := given[f.Key]
		if !f.Fixed || !has {
			continue
		}
		other := r.plan.New()
		if json.Unmarshal(raw, f.Of(columns.ValueOf(other)).Addr().Interface()) != nil {
			continue
		}
		if f.Normalise(columns.ValueOf(other)); f.Same(columns.ValueOf(row), columns.ValueOf(other)) {
			delete(given, f.Key)
		}
	}

	return json.Marshal(given)
}
