package custommodules

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

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
	record *stored
	err    error
	// before is the version that the record had, 0 if it was made.
	before int64
}

// MayDo implements bulk.Writer.
func (c recordCollection) MayDo(ctx context.Context, do bulk.Verb) error {
	may := mayWrite
	if do == bulk.Delete {
		may = mayDelete
	}

	return c.service.definitions.follow(ctx, c.module, may, func(context.Context, *definition) error { return nil })
}

// Do implements bulk.Writer.
func (c recordCollection) Do(ctx context.Context, items []bulk.Item, whole bool, done func(i int, o bulk.Outcome)) error {
	b := &batch{service: c.service, module: c.module, items: items, alone: c.service.db.Savepoint}
	if whole { // it fails as a whole, so what an item began need not be undone
		b.alone = unguarded
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
			shown := made.resource().Body

			return shown, len(shown.Payload)
		},
	}
}

// unguarded runs something with what is around it.
func unguarded(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

// refusal reports whether an error is of an item alone. A database that does not answer, or has chosen
// the transaction as the victim of a deadlock, ends all of it.
func refusal(err error) bool {
	_, expected := errors.AsType[*errs.Error](err)

	return expected && errs.KindOf(err) != errs.Unavailable
}

// bulkOne does an item, and says which version its record had.
func (b *batch) bulkOne(ctx context.Context, i int, before *int64) (*stored, error) {
	s, module, item := b.service, b.module, b.items[i]
	if item.Wrong != nil {
		return nil, item.Wrong
	}
	c := &noted{condition: wantedVersion(item.Version)}
	defer func() { *before = c.version }()
	switch item.Do {
	case bulk.Create:
		return record1(s.createRecord(ctx, database.NewID(), module, item.Payload))
	case bulk.Upsert:
		return s.upsert(ctx, module, item, c)
	case bulk.Put:
		return record1(s.put(ctx, module, item, c))
	case takeBack:
		return nil, s.takeBack(ctx, module, b.writes[i], c)
	case bulk.Update, bulk.Delete:
	}
	if err := s.belongs(ctx, item.UUID, module); err != nil {
		return nil, err
	}
	if item.Do == bulk.Delete {
		return nil, s.deleteRecord(ctx, item.UUID, c)
	}

	return record1(s.updateRecord(ctx, item.UUID, item.Payload, c))
}

// put changes the record of an id, or makes it.
func (s *service) put(ctx context.Context, module uuid.UUID, item bulk.Item, c condition) (stored, error) {
	row, err := s.repo.record(ctx, item.UUID)
	switch {
	case errors.Is(err, errRecordNotFound):
		made, err := s.createRecord(ctx, item.UUID, module, item.Payload)
		if errors.Is(err, database.ErrDuplicate) {
			err = errRecordDeleted
		}

		return made, err
	case err != nil:
		return stored{}, err
	case row.ModuleID != module:
		return stored{}, errRecordElsewhere
	}

	return s.updateRecord(ctx, item.UUID, item.Payload, c)
}

func record1(r stored, err error) (*stored, error) {
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

	return errStaleItem.WithMessage("This was changed since you read it: it is at version %d.", current).
		WithDetail("current_version", current)
}

// belongs returns errRecordNotFound for a record of another module.
func (s *service) belongs(ctx context.Context, id, module uuid.UUID) error {
	row, err := s.repo.record(ctx, id)
	if err == nil && row.ModuleID != module {
		return errRecordNotFound
	}

	return err
}

// upsert changes the record that has the payload's value in a unique field, or creates one.
func (s *service) upsert(ctx context.Context, module uuid.UUID, item bulk.Item, c condition) (*stored, error) {
	for range attempts {
		id, err := s.byUnique(ctx, module, item)
		if err != nil {
			return nil, err
		}
		if id != uuid.Nil {
			return record1(s.updateRecord(ctx, id, item.Payload, c))
		}
		made, err := record1(s.createRecord(ctx, database.NewID(), module, item.Payload))
		if refusal, ok := errors.AsType[*errs.Error](err); !ok || refusal.Code != errValueTaken.Code {
			return made, err
		}
	}

	return nil, errMovedOn
}

// byUnique returns the record that an upsert means, uuid.Nil if there is none yet.
func (s *service) byUnique(ctx context.Context, module uuid.UUID, item bulk.Item) (id uuid.UUID, err error) {
	err = s.definitions.use(ctx, module, func(ctx context.Context, d *definition) error {
		f := d.field(item.By)
		if f == nil || !f.unique || f.checking {
			return errInvalidRecord.WithField("by", "The by must be the key of a unique field: "+orNone(d.uniqueKeys())+".")
		}
		raw := rawjson.OrNothing(d.valueIn(item.Payload, f))
		if raw == nil {
			return errInvalidPayload.WithField("payload."+f.key, "The "+f.spoken+" is required.")
		}
		value, err := f.values.Parse(raw)
		switch {
		case err != nil:
			return errInvalidPayload.WithField("payload."+f.key, "The "+f.spoken+" "+err.Error())
		case value.Empty():
			return errInvalidPayload.WithField("payload."+f.key, "The "+f.spoken+" is required.")
		}
		id, err = s.repo.holder(ctx, module, f.id, f.claimed(value.Key))

		return err
	})

	return id, err
}

// valueIn returns the value of a field in a payload, nil if it has none.
func (d *definition) valueIn(payload []byte, f *moduleField) []byte {
	for name, raw := range rawjson.Members(payload) {
		if i, ok := d.find(name); ok && d.fields[i] == f {
			return raw
		}
	}

	return nil
}

func (d *definition) uniqueKeys() []string {
	var keys []string
	for _, f := range d.fields {
		if f.unique && !f.checking && f.arrival == nil {
			keys = append(keys, f.key)
		}
	}
	slices.Sort(keys)

	return keys
}
