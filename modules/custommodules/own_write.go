package custommodules

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Write implements resource.Own.
func (o ownSet) Write(ctx context.Context, v resource.Verb, row uuid.UUID, given []byte) (*resource.OwnWrite, error) {
	ctx = asOwn(ctx, o.d.item())
	given = orEmpty(given)
	if err := o.checkSize(given); err != nil {
		return nil, err
	}
	w, err := o.prepareOwn(ctx, v, row, given)
	if err != nil || w == nil {
		return nil, byKeys(err)
	}
	changes := auditedChanges(&writing{verb: updated, changes: w.definition.diff(w.before.Data, w.made.document)})
	if w.verb == deleted || w.verb == restored {
		changes = nil
	}

	return &resource.OwnWrite{Before: w.before.Data, Changes: changes, Store: func(ctx context.Context) error {
		return byKeys(o.storeOwn(asOwn(ctx, o.d.item()), w))
	}}, nil
}

// prepareOwn makes what a write of a row makes of its record, nil for nothing.
func (o ownSet) prepareOwn(ctx context.Context, v resource.Verb, row uuid.UUID, given []byte) (*writing, error) {
	if v == resource.Create {
		w, err := o.newRecord(ctx, o.d, row, given)
		if err != nil || len(w.made.document) == len("{}") {
			return nil, err
		}

		return w, o.refuse(ctx, w.made.links, problems{})
	}
	before, err := o.held(ctx, row, v == resource.Restore)
	none := errors.Is(err, errRecordNotFound)
	switch {
	case err != nil && !none:
		return nil, err
	case none && (v == resource.Delete || v == resource.Restore || len(given) == len("{}")):
		return nil, nil //nolint:nilnil // there are no values
	case none:
		return o.firstValues(ctx, row, given)
	case v == resource.Delete:
		return o.nextVersion(ctx, deleted, o.d, before, draft{document: before.Data}), nil
	}
	make, what := o.patched(ctx, given), updated
	if v == resource.Restore {
		make, what = restoredDraft, restored
	}
	made, err := make(o.d, before)
	if err != nil {
		return nil, err
	}

	return o.nextVersion(ctx, what, o.d, before, made), nil
}

// held returns the record of a row that is about to be written, deleted or not.
func (o ownSet) held(ctx context.Context, row uuid.UUID, deleted bool) (recordRow, error) {
	before, read := o.ahead[row]
	if !read {
		return o.repo.held(ctx, row, deleted)
	}
	delete(o.ahead, row) // what comes later finds what is written now
	if before == nil || (before.DeletedAt != nil) != deleted {
		return recordRow{}, errRecordNotFound
	}

	return *before, nil
}

// firstValues makes the record of a row that had no values.
func (o ownSet) firstValues(ctx context.Context, row uuid.UUID, given []byte) (*writing, error) {
	w := &writing{verb: created, definition: o.d, row: o.newRow(ctx, o.d, row)}
	var err error
	if w.made, err = o.patched(ctx, given)(o.d, recordRow{Data: []byte("{}")}); err == nil {
		err = o.refuse(ctx, w.made.links, problems{})
	}

	return w, err
}

// storeOwn stores the record of a row.
func (o ownSet) storeOwn(ctx context.Context, w *writing) error {
	switch w.verb {
	case created:
		return o.insertRecord(ctx, w)
	case deleted:
		return o.storeDeleted(ctx, w)
	default:
		w.seen = w.verb == updated && o.db.Dialect() == database.Postgres // which sends it with what comes next; it is held

		return o.store(ctx, w)
	}
}

// byKeys is a refusal of values by the keys of their fields alone.
func byKeys(err error) error {
	return errs.Named(err, func(path string) string { return strings.TrimPrefix(path, "payload.") })
}
