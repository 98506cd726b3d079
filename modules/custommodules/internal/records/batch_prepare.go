package records

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
)

// prefetched is what items mean, read for all of them at once.
type prefetched struct {
	// values are the unique ones by which items mean records, holders who has them.
	values  map[int]store.ClaimedValue
	holders map[store.ClaimedValue]uuid.UUID
	// records are those that are there, and used the ids of others.
	records map[uuid.UUID]definition.RecordRow
	used    map[uuid.UUID]bool
	// foreign are the latest versions of records that others made than what is taken back, later the versions
	// since then.
	foreign map[uuid.UUID]int64
	later   map[uuid.UUID][]definition.HistoryRow
}

// prefetch reads the records that items mean.
func (b *Batch) prefetch(ctx context.Context) (err error) {
	if b.Service.hasSavingHooks() {
		return nil
	}
	f := &b.foreseen
	if f.values, err = b.Service.upserted(ctx, b.Module, b.Items); err != nil {
		return err
	}
	values := make([]store.ClaimedValue, 0, len(f.values))
	for _, v := range f.values {
		values = append(values, v)
	}
	if f.holders, err = b.Service.repo.UniqueHolders(ctx, b.Module, values); err != nil {
		return err
	}
	meant := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	mean := func(id uuid.UUID) {
		if id != uuid.Nil && !meant[id] {
			meant[id] = true
			ids = append(ids, id)
		}
	}
	for i, item := range b.Items {
		mean(item.UUID)
		if v, ok := f.values[i]; ok {
			mean(f.holders[v])
		}
	}
	if f.records, f.used, err = b.Service.repo.Present(ctx, b.Module, ids); err != nil {
		return err
	}

	return b.foreseeWrites(ctx)
}

// prepare makes of an item what is to be written for it, nil if that is nothing. The error is errAlone for
// what cannot be gathered.
func (b *Batch) prepare(ctx context.Context, i int) (*store.Writing, error) {
	item := b.Items[i]
	switch {
	case item.Wrong != nil:
		return nil, item.Wrong
	case b.Service.hasSavingHooks():
		return nil, errAlone
	}
	switch item.Do {
	case bulk.Act: // done by the operation of its verb
		return nil, errAlone
	case bulk.Create:
		return b.prepareNew(ctx, database.NewID(), item.Payload)
	case bulk.Update:
		return b.changed(ctx, i, item.UUID, b.Service.Patched(ctx, item.Payload))
	case bulk.Put:
		if b.touched[item.UUID] || b.foreseen.used[item.UUID] {
			return nil, errAlone
		}
		if _, there := b.foreseen.records[item.UUID]; there {
			return b.changed(ctx, i, item.UUID, b.Service.Patched(ctx, item.Payload))
		}

		return b.prepareNew(ctx, item.UUID, item.Payload)
	case bulk.Upsert:
		value, good := b.foreseen.values[i]
		if !good || b.claimed[value] {
			return nil, errAlone
		}
		if id := b.foreseen.holders[value]; id != uuid.Nil {
			return b.changed(ctx, i, id, b.Service.Patched(ctx, item.Payload))
		}

		return b.prepareNew(ctx, database.NewID(), item.Payload)
	case bulk.Delete:
		return b.removed(ctx, i, item.UUID)
	case takeBack:
		return b.takenBack(ctx, i)
	}

	return nil, errAlone
}

// prepareNew prepares a new record.
func (b *Batch) prepareNew(ctx context.Context, id uuid.UUID, payload []byte) (w *store.Writing, err error) {
	if err := b.Service.CheckSize(payload); err != nil {
		return nil, err
	}
	err = b.Service.definitions.Follow(ctx, b.Module, definition.MayWrite, func(ctx context.Context, d *definition.Definition) (err error) {
		w, err = b.Service.NewRecord(ctx, d, id, payload)

		return err
	})
	if w == nil {
		return nil, err
	}
	for _, l := range w.Made.Links {
		if b.touched[l.Record] { // it may come or go with what is gathered
			return nil, errAlone
		}
	}
	for _, u := range w.Made.Uniques {
		if b.claimed[store.ClaimedValue{Field: u.Field.ID, Value: u.Value}] {
			return nil, errAlone
		}
	}
	if err != nil {
		return nil, err
	}
	if len(b.gathered) > 0 && b.gathered[0].Definition.Revision != w.Definition.Revision {
		return nil, errAlone
	}

	return w, nil
}

// changed prepares the next version of a record that was foreseen.
func (b *Batch) changed(ctx context.Context, i int, id uuid.UUID, makeDraft draftOf) (*store.Writing, error) {
	before, there := b.foreseen.records[id]
	if !there || b.touched[id] {
		return nil, errAlone
	}
	item, o := b.Items[i], &b.outcomes[i]
	if err := b.Service.CheckSize(item.Payload); err != nil {
		return nil, err
	}
	var made *store.Writing
	seen := &versionNoting{Condition: wantedVersion(item.Version)}
	err := b.Service.next(ctx, definition.Updated, before, seen, makeDraft, func(ctx context.Context, w *store.Writing) error {
		made = w

		return b.Service.runSavingHooks(ctx, w)
	})
	o.before = seen.version
	switch {
	case err != nil:
		return nil, err
	case len(made.Changes) == 0:
		made.Row = made.Before
		o.record = new(recordOf(ctx, made))

		return nil, nil //nolint:nilnil // there is nothing to write
	}
	for _, c := range made.Changes {
		if c.Field.Unique || c.Field.Refers() {
			return nil, errAlone
		}
	}
	made.Seen = b.Service.db.Dialect() == database.Postgres

	return made, nil
}
