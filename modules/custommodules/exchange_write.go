package custommodules

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/exchange"
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

// PutAll implements exchange.Writer.
func (x exchanged) PutAll(ctx context.Context, module uuid.UUID, source string, puts []exchange.Put) ([]exchange.Written, []error, error) {
	items := make([]bulkItem, len(puts))
	for i, put := range puts {
		items[i] = bulkItem{Do: bulkCreate, UUID: put.Record, Version: put.Version, By: put.By, Payload: put.Payload}
		switch {
		case put.By != "":
			items[i].Do, items[i].UUID = bulkUpsert, uuid.Nil
		case put.Record != uuid.Nil:
			items[i].Do = bulkPut
		}
	}
	written, failures := make([]exchange.Written, len(puts)), make([]error, len(puts))
	b := &batch{service: x.service, module: module, items: items, alone: x.db.Savepoint, settled: func(i int, o *bulkOutcome) {
		failures[i] = o.err
		if o.err == nil {
			written[i] = o.written()
		}
		*o = bulkOutcome{} // the next ones need the memory
	}}
	_, err := b.do(withSource(ctx, source))

	return written, failures, err
}

func (o *bulkOutcome) written() exchange.Written {
	w := exchange.Written{Record: o.record.ID, Before: o.before, After: o.record.Version}
	if w.Before == w.After {
		w.After = 0
	}

	return w
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
