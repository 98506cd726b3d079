package custommodules

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/exchange"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func newExchangeWriter(s *service) exchange.Writer { return exchanged{s} }

func newExchangeSettings(s settings) exchange.Settings { return s.Import }

// Hold implements exchange.Writer.
func (x exchanged) Hold(ctx context.Context, module uuid.UUID) (exchange.Table, error) {
	if err := x.repo.hold(ctx, module); err != nil {
		return exchange.Table{}, err
	}
	if err := x.MayWrite(ctx, module); err != nil {
		return exchange.Table{}, err
	}

	return x.Table(ctx, module)
}

// Halts implements exchange.Writer.
func (exchanged) Halts(err error) bool {
	for _, halt := range []error{errModuleNotFound, errModuleArchived, errNotPermitted, errTooManyRecords} {
		if errors.Is(err, halt) {
			return true
		}
	}

	return false
}

// Put implements exchange.Writer.
func (x exchanged) Put(ctx context.Context, module uuid.UUID, put exchange.Put) (exchange.Written, error) {
	ctx = withSource(ctx, put.Source)
	var written exchange.Written
	run := x.db.Savepoint
	if put.By == "" && put.Record == uuid.Nil { // creating a record has one of its own, and they are not cheap
		run = func(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }
	}
	err := run(ctx, func(ctx context.Context) error {
		seen := &noted{condition: bulkItem{Version: put.Version}}
		made, err := x.put(ctx, module, put, seen)
		if err != nil {
			return err
		}
		written = exchange.Written{Record: made.ID, Before: seen.version, After: made.Version}
		if written.Before == written.After {
			written.After = 0
		}

		return nil
	})

	return written, err
}

func (x exchanged) put(ctx context.Context, module uuid.UUID, put exchange.Put, c condition) (stored, error) {
	switch {
	case put.By != "":
		made, err := x.upsert(ctx, module, bulkItem{By: put.By, Payload: put.Payload}, c)
		if err != nil {
			return stored{}, err
		}

		return *made, nil
	case put.Record == uuid.Nil:
		return x.createRecord(ctx, database.NewID(), module, put.Payload)
	}
	row, err := x.repo.record(ctx, put.Record)
	switch {
	case errors.Is(err, errRecordNotFound):
		made, err := x.createRecord(ctx, put.Record, module, put.Payload)
		if errors.Is(err, database.ErrDuplicate) {
			err = errRecordDeleted
		}

		return made, err
	case err != nil:
		return stored{}, err
	case row.ModuleID != module:
		return stored{}, errRecordElsewhere
	}

	return x.updateRecord(ctx, put.Record, put.Payload, c)
}

// noted is a condition that keeps the version which it was asked about.
type noted struct {
	condition

	version int64
}

// Check implements condition.
func (n *noted) Check(current int64) error {
	n.version = current

	return n.condition.Check(current)
}

// Revert implements exchange.Writer.
func (x exchanged) Revert(ctx context.Context, module uuid.UUID, source string, written []exchange.Written) ([]error, error) {
	ctx = withSource(ctx, source)
	foreign, err := x.repo.foreignVersions(ctx, source, written)
	if err != nil {
		return nil, err
	}
	results := make([]error, len(written))
	for i, w := range written {
		if foreign[w.Record] > w.After {
			results[i] = errChangedSince

			continue
		}
		results[i] = x.db.Savepoint(ctx, func(ctx context.Context) error { return x.revertOne(ctx, module, w) })
		if err := results[i]; err != nil && !refusal(err) {
			return nil, err
		}
	}

	return results, nil
}

// revertOne takes one write back.
func (x exchanged) revertOne(ctx context.Context, module uuid.UUID, w exchange.Written) error {
	err := x.belongs(ctx, w.Record, module)
	if err == nil && w.Before == 0 {
		return x.deleteRecord(ctx, w.Record, always{})
	}
	if err == nil {
		_, err = x.revertRecord(ctx, w.Record, w.Before, nil, always{})
	}
	if errors.Is(err, errRecordNotFound) {
		return errGoneSince
	}

	return err
}

var (
	errRecordDeleted = errs.New(errs.Conflict, "custom_modules.record_deleted",
		"The record of this uuid was deleted. Restore it first, or leave the uuid empty to make a new one.")
	errRecordElsewhere = errs.New(errs.Conflict, "custom_modules.record_elsewhere",
		"The record of this uuid is one of another module.")
	errChangedSince = errs.New(errs.Conflict, "custom_modules.changed_since",
		"The record was changed after the import. It stays as it is.")
	errGoneSince = errs.New(errs.Conflict, "custom_modules.gone_since", "The record was deleted after the import.")
)

type sourceKey struct{}

// withSource returns a context in which what is written came from somewhere else than a request.
func withSource(ctx context.Context, source string) context.Context {
	return context.WithValue(ctx, sourceKey{}, source)
}

func sourceOf(ctx context.Context) string {
	source, _ := ctx.Value(sourceKey{}).(string)

	return source
}
