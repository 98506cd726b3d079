package records

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// takeBack is the verb of what takes an earlier write back; see batch.writes.
const takeBack bulk.Verb = "take_back"

// bulkOutcome is what became of an item: err is an *errs.Error, or nil and then, but for a deletion, there
// is a record.
type bulkOutcome struct {
	record *Stored
	err    error
	// before is the version that the record had, 0 if it was made.
	before int64
}

// MayDo implements bulk.Writer.
func (c RecordCollection) MayDo(ctx context.Context, do bulk.Verb) error {
	may := definition.MayWrite
	if do == bulk.Delete {
		may = definition.MayDelete
	}

	return c.Service.definitions.Follow(ctx, c.Module, may, func(context.Context, *definition.Definition) error { return nil })
}

// Do implements bulk.Writer.
func (c RecordCollection) Do(ctx context.Context, items []bulk.Item, whole bool, done func(i int, o bulk.Outcome)) error {
	b := &Batch{Service: c.Service, Module: c.Module, Items: items, alone: c.Service.db.Savepoint}
	if whole { // it fails as a whole, so what an item began need not be undone
		b.alone = runUnguarded
	}
	b.settled = func(i int, o *bulkOutcome) {
		done(i, o.ofBulk())
		*o = bulkOutcome{} // the next ones need the memory
	}

	return b.do(ctx)
}

// ofBulk is the outcome as bulk requests know it. The record is larger as it is shown than as it is stored.
func (o *bulkOutcome) ofBulk() bulk.Outcome {
	if o.err != nil || o.record == nil {
		return bulk.Outcome{Outcome: collection.Outcome{Err: o.err}}
	}
	made := *o.record

	return bulk.Outcome{
		Outcome: collection.Outcome{Written: o.written()}, Size: len(made.Data),
		Show: func() (any, int) {
			shown := made.Resource().Body

			return shown, len(shown.Payload)
		},
	}
}

// runUnguarded runs something with what is around it.
func runUnguarded(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

// IsRefusal reports whether an error is of an item alone. A database that does not answer, or has chosen
// the transaction as the victim of a deadlock, ends all of it.
func IsRefusal(err error) bool {
	_, expected := errors.AsType[*errs.Error](err)

	return expected && errs.KindOf(err) != errs.Unavailable
}

// bulkOne does an item, and says which version its record had.
func (b *Batch) bulkOne(ctx context.Context, i int, before *int64) (*Stored, error) {
	s, module, item := b.Service, b.Module, b.Items[i]
	if item.Wrong != nil {
		return nil, item.Wrong
	}
	c := &versionNoting{Condition: wantedVersion(item.Version)}
	defer func() { *before = c.version }()
	switch item.Do {
	case bulk.Create:
		return pointerTo(s.CreateRecord(ctx, database.NewID(), module, item.Payload))
	case bulk.Upsert:
		return s.upsert(ctx, module, item, c)
	case bulk.Put:
		return pointerTo(s.putByID(ctx, module, item, c))
	case takeBack:
		return nil, s.takeBack(ctx, module, b.writes[i], c)
	case bulk.Act: // done by the operation of its verb
		return nil, errors.New("records: an act writes no record")
	case bulk.Update, bulk.Delete:
	}
	if err := s.belongs(ctx, item.UUID, module); err != nil {
		return nil, err
	}
	if item.Do == bulk.Delete {
		return nil, s.DeleteRecord(ctx, item.UUID, c)
	}

	return pointerTo(s.UpdateRecord(ctx, item.UUID, item.Payload, c))
}

// putByID changes the record of an id, or makes it.
func (s *Service) putByID(ctx context.Context, module uuid.UUID, item bulk.Item, c Condition) (Stored, error) {
	row, err := s.repo.Record(ctx, item.UUID)
	switch {
	case errors.Is(err, definition.ErrRecordNotFound):
		made, err := s.CreateRecord(ctx, item.UUID, module, item.Payload)
		if errors.Is(err, database.ErrDuplicate) {
			err = errRecordDeleted
		}

		return made, err
	case err != nil:
		return Stored{}, err
	case row.ModuleID != module:
		return Stored{}, errRecordElsewhere
	}

	return s.UpdateRecord(ctx, item.UUID, item.Payload, c)
}

func pointerTo(r Stored, err error) (*Stored, error) {
	if err != nil {
		return nil, err
	}

	return &r, nil
}

// wantedVersion is the version that a record must have, 0 for any.
type wantedVersion int64

// Check implements condition.
func (v wantedVersion) Check(current int64) error {
	if v == 0 || int64(v) == current {
		return nil
	}

	return definition.ErrStaleItem.WithMessage("This was changed since you read it: it is at version %d.", current).
		WithDetail("current_version", current)
}

// belongs returns ErrRecordNotFound for a record of another module.
func (s *Service) belongs(ctx context.Context, id, module uuid.UUID) error {
	row, err := s.repo.Record(ctx, id)
	if err == nil && row.ModuleID != module {
		return definition.ErrRecordNotFound
	}

	return err
}

// upsert changes the record that has the payload's value in a unique field, or creates one.
func (s *Service) upsert(ctx context.Context, module uuid.UUID, item bulk.Item, c Condition) (*Stored, error) {
	for range store.Attempts {
		id, err := s.byUnique(ctx, module, item)
		if err != nil {
			return nil, err
		}
		if id != uuid.Nil {
			return pointerTo(s.UpdateRecord(ctx, id, item.Payload, c))
		}
		made, err := pointerTo(s.CreateRecord(ctx, database.NewID(), module, item.Payload))
		if refusal, ok := errors.AsType[*errs.Error](err); !ok || refusal.Code != definition.ErrValueTaken.Code {
			return made, err
		}
	}

	return nil, store.ErrMovedOn
}

// byUnique returns the record that an upsert means, uuid.Nil if there is none yet.
func (s *Service) byUnique(ctx context.Context, module uuid.UUID, item bulk.Item) (id uuid.UUID, err error) {
	err = s.definitions.Use(ctx, module, func(ctx context.Context, d *definition.Definition) error {
		f := d.Field(item.By)
		if f == nil || !f.Unique || f.Checking {
			return definition.ErrInvalidRecord.WithField("by", "`by` must be the key of a unique field: "+orNone(d.UniqueKeys())+".")
		}
		raw := rawjson.OrNothing(d.ValueIn(item.Payload, f))
		if raw == nil {
			return definition.ErrInvalidPayload.WithField("payload."+f.Key, "The "+f.Spoken+" is required.")
		}
		value, err := f.Values.Parse(raw)
		switch {
		case err != nil:
			return definition.ErrInvalidPayload.WithField("payload."+f.Key, "The "+f.Spoken+" "+err.Error())
		case value.Empty():
			return definition.ErrInvalidPayload.WithField("payload."+f.Key, "The "+f.Spoken+" is required.")
		}
		id, err = s.repo.UniqueHolder(ctx, module, f.ID, f.UniqueKey(value.Key))

		return err
	})

	return id, err
}
