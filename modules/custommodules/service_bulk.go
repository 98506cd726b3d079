package custommodules

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// bulkVerb is what an item of a bulk request asks for.
type bulkVerb string

const (
	bulkCreate bulkVerb = "create"
	bulkUpdate bulkVerb = "update"
	bulkUpsert bulkVerb = "upsert"
	bulkDelete bulkVerb = "delete"
	// bulkPut changes the record of a uuid, or makes it. Requests do not have it.
	bulkPut bulkVerb = "put"
	// bulkTakeBack takes an earlier write back, as does put.
	bulkTakeBack bulkVerb = "take_back"
)

// bulkItem is a part of a bulk request.
type bulkItem struct {
	Do      bulkVerb       `json:"do"`
	UUID    uuid.UUID      `json:"uuid,omitzero"`
	Version int64          `json:"version,omitempty"`
	By      string         `json:"by,omitempty"`
	Payload rawjson.Object `json:"payload,omitempty"`
	// write is what bulkTakeBack takes back.
	write collection.Written
	// wrong is why the item cannot be done, whatever there is.
	wrong error
}

// deletes reports whether the item is to delete a record.
func (i bulkItem) deletes() bool {
	return i.Do == bulkDelete || i.Do == bulkTakeBack && i.write.Before == 0
}

// bulkOutcome is what became of an item: err is an *errs.Error, or nil and then, but for a deletion, there
// is a record, and what the caller is shown of it unless the answer is full.
type bulkOutcome struct {
	record *stored
	shown  *record
	err    error
	// before is the version that the record had, 0 if it was made.
	before int64
}

// bulk does many things to the records of a module in one transaction. If it is atomic, either all items
// succeed, or nothing happens and the error is errBulkRefused with what is wrong with each; else each item
// succeeds or fails by itself.
func (s *service) bulk(ctx context.Context, module uuid.UUID, items []bulkItem, atomic bool) ([]bulkOutcome, error) {
	var outcomes []bulkOutcome
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		room := bulkRoom(s.settings.MaxBulkSize)
		b := &batch{
			service: s, module: module, items: items, alone: s.db.Savepoint,
			settled: func(_ int, o *bulkOutcome) { room.fit(o) },
		}
		if atomic { // it fails as a whole, so what an item began need not be undone
			b.alone = unguarded
		}
		if outcomes, err = b.do(ctx); err == nil && atomic {
			err = refusedBulk(outcomes)
		}

		return err
	})

	return outcomes, err
}

// unguarded runs something with what is around it.
func unguarded(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

// refusal reports whether an error is of an item alone. A database that does not answer, or has chosen
// the transaction as the victim of a deadlock, ends all of it.
func refusal(err error) bool {
	_, expected := errors.AsType[*errs.Error](err)

	return expected && errs.KindOf(err) != errs.Unavailable
}

// refusedBulk says what is wrong with the items of an atomic request, nil if nothing is.
func refusedBulk(outcomes []bulkOutcome) error {
	var found problems
	for i, outcome := range outcomes {
		refusal, failed := errors.AsType[*errs.Error](outcome.err)
		if !failed {
			continue
		}
		path := "items." + strconv.Itoa(i)
		found.under(path, problems{messages: refusal.Fields})
		if len(refusal.Fields) == 0 {
			found.add(path, refusal.Message)
		}
	}

	return found.as(errBulkRefused, "items")
}

// bulkOne does an item, and says which version its record had.
func (s *service) bulkOne(ctx context.Context, module uuid.UUID, item bulkItem, before *int64) (*stored, error) {
	if item.wrong != nil {
		return nil, item.wrong
	}
	c := &noted{condition: item}
	defer func() { *before = c.version }()
	switch item.Do {
	case bulkCreate:
		return record1(s.createRecord(ctx, database.NewID(), module, item.Payload))
	case bulkUpsert:
		return s.upsert(ctx, module, item, c)
	case bulkPut:
		return record1(s.put(ctx, module, item, c))
	case bulkTakeBack:
		return nil, s.takeBack(ctx, module, item.write, c)
	case bulkUpdate, bulkDelete:
	}
	if err := s.belongs(ctx, item.UUID, module); err != nil {
		return nil, err
	}
	if item.Do == bulkDelete {
		return nil, s.deleteRecord(ctx, item.UUID, c)
	}

	return record1(s.updateRecord(ctx, item.UUID, item.Payload, c))
}

// put changes the record of an id, or makes it.
func (s *service) put(ctx context.Context, module uuid.UUID, item bulkItem, c condition) (stored, error) {
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

// Check implements condition.
func (i bulkItem) Check(current int64) error {
	if i.Version == 0 || i.Version == current {
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
func (s *service) upsert(ctx context.Context, module uuid.UUID, item bulkItem, c condition) (*stored, error) {
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
func (s *service) byUnique(ctx context.Context, module uuid.UUID, item bulkItem) (id uuid.UUID, err error) {
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
