package records

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/collection/history"
)

// Hold implements collection.Collection.
func (c RecordCollection) Hold(ctx context.Context) (collection.Description, error) {
	if err := c.Service.repo.Hold(ctx, c.Module); err != nil {
		return collection.Description{}, err
	}
	if err := c.MayWrite(ctx); err != nil {
		return collection.Description{}, err
	}

	return c.Describe(ctx)
}

// AffectsAllRows implements collection.Collection.
func (RecordCollection) AffectsAllRows(err error) bool {
	for _, halt := range []error{definition.ErrModuleNotFound, definition.ErrModuleArchived, definition.ErrNotPermitted, definition.ErrTooManyRecords} {
		if errors.Is(err, halt) {
			return true
		}
	}

	return false
}

// Write implements collection.Collection.
func (c RecordCollection) Write(ctx context.Context, source string, changes []collection.Change) ([]collection.Outcome, error) {
	items := make([]bulk.Item, len(changes))
	for i, change := range changes {
		items[i] = bulk.Item{Do: bulk.Create, UUID: change.Row, Version: change.Version, By: change.By, Payload: change.Values}
		switch {
		case change.By != "":
			items[i].Do, items[i].UUID = bulk.Upsert, uuid.Nil
		case change.Row != uuid.Nil:
			items[i].Do = bulk.Put
		}
	}
	outcomes := make([]collection.Outcome, len(changes))
	err := c.Do(history.WithSource(ctx, source), items, false, func(i int, o bulk.Outcome) { outcomes[i] = o.Outcome })

	return outcomes, err
}

func (o *bulkOutcome) written() collection.Written {
	w := collection.Written{Row: o.record.ID, Before: o.before, After: o.record.Version}
	if w.Before == w.After {
		w.After = 0
	}

	return w
}

// versionNoting is a condition that keeps the version which it was asked about.
type versionNoting struct {
	Condition

	version int64
}

// Check implements condition.
func (n *versionNoting) Check(current int64) error {
	n.version = current

	return n.Condition.Check(current)
}

// Revert implements collection.Collection.
func (c RecordCollection) Revert(ctx context.Context, source string, written []collection.Written) ([]error, error) {
	items := make([]bulk.Item, len(written))
	for i, w := range written {
		items[i] = bulk.Item{Do: takeBack, UUID: w.Row}
	}
	results := make([]error, len(written))
	b := &Batch{
		Service: c.Service, Module: c.Module, Items: items, writes: written, alone: c.Service.db.Savepoint,
		settled: func(i int, o *bulkOutcome) {
			results[i] = o.err
			*o = bulkOutcome{} // the next ones need the memory
		},
	}

	return results, b.do(history.WithSource(ctx, source))
}

// What imports and their undoing say of a record, in the file of errors: it has no codes.
var (
	errRecordDeleted = definition.ErrRecordNotFound.WithMessage(
		"The record of this uuid was deleted. Restore it first, or leave the uuid empty to make a new one.")
	errRecordElsewhere = definition.ErrRecordNotFound.WithMessage("The record of this uuid is one of another module.")
	errChangedSince    = definition.ErrStaleItem.WithMessage("The record was changed after the import. It stays unchanged.")
	errGoneSince       = definition.ErrRecordNotFound.WithMessage("The record was deleted after the import.")
)
