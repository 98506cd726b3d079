package custommodules

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Write implements resource.Own.
func (o ownSet) Write(ctx context.Context, v resource.Verb, row resource.OwnRow, given []byte) (*resource.OwnWrite, error) {
	ctx = asOwn(ctx, o.d.item())
	given = orEmpty(given)
	if err := o.checkSize(given); err != nil {
		return nil, err
	}
	w, err := o.prepareOwn(ctx, v, row, given)
	if err != nil || w == nil {
		return nil, byKeys(err)
	}
	made := &resource.OwnWrite{Before: w.before.Data, Changes: w.audited(w.made.document)}
	made.Store = func(ctx context.Context) error {
		err := o.storeOwn(asOwn(ctx, o.d.item()), w, row)
		made.After, made.Changes = w.row.Data, w.audited(w.row.Data)

		return byKeys(err)
	}

	return made, nil
}

// audited are the changes of the row that a document makes of its own fields.
func (w *writing) audited(document []byte) map[string]audit.Change {
	if w.verb == deleted || w.verb == restored {
		return nil
	}

	return auditedChanges(&writing{verb: updated, changes: w.definition.diff(w.before.Data, document)})
}

// prepareOwn makes what a write of a row makes of its record, nil for nothing.
func (o ownSet) prepareOwn(ctx context.Context, v resource.Verb, row resource.OwnRow, given []byte) (*writing, error) {
	if v == resource.Create {
		return o.newValues(ctx, row, given)
	}
	before, err := o.held(ctx, row.ID, v == resource.Restore)
	none := errors.Is(err, errRecordNotFound)
	switch {
	case err != nil && !none:
		return nil, err
	case none && (v == resource.Delete || len(given) == len("{}") && len(o.d.programs) == 0):
		return nil, nil //nolint:nilnil // there are no values
	case none:
		return o.firstValues(ctx, row, given)
	case v == resource.Delete:
		return o.nextVersion(ctx, deleted, o.d, before, draft{document: before.Data}), nil
	}
	make, what, present := o.patched(ctx, given), updated, before
	if v == resource.Restore {
		make, what = restoredDraft, restored
	}
	if present.Data, err = o.d.mirror(before.Data, row); err != nil {
		return nil, err
	}
	made, err := make(o.d, present)
	if err != nil {
		return nil, err
	}

	return o.nextVersion(ctx, what, o.d, before, made), nil
}

// newValues makes the record of a new row, nil for none.
func (o ownSet) newValues(ctx context.Context, row resource.OwnRow, given []byte) (*writing, error) {
	w, err := o.newRecord(ctx, o.d, row.ID, given)
	if err != nil {
		return nil, err
	}
	if err := o.copyRow(w, row); err != nil || len(w.made.document) == len("{}") && len(o.d.mirrors) == 0 {
		return nil, err
	}

	return w, o.refuse(ctx, w.made.links, problems{})
}

// copyRow brings the copies that a new record has of its row's values up to date.
func (o ownSet) copyRow(w *writing, row resource.OwnRow) error {
	if len(o.d.mirrors) == 0 {
		return nil
	}
	values, err := o.d.mirrored(row)
	if err == nil {
		w.made = o.d.withValues(w.made, values)
	}

	return err
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

// firstValues makes the record of a row that had no values, nil for none.
func (o ownSet) firstValues(ctx context.Context, row resource.OwnRow, given []byte) (*writing, error) {
	w := &writing{verb: created, definition: o.d, row: o.newRow(ctx, o.d, row.ID)}
	document, err := o.d.mirror([]byte("{}"), row)
	if err != nil {
		return nil, err
	}
	if w.made, err = o.patched(ctx, given)(o.d, recordRow{Data: document}); err != nil || len(w.made.document) == len("{}") {
		return nil, err
	}

	return w, o.refuse(ctx, w.made.links, problems{})
}

// storeOwn stores the record of a row.
func (o ownSet) storeOwn(ctx context.Context, w *writing, row resource.OwnRow) error {
	switch w.verb {
	case created:
		if err := o.copyRow(w, row); err != nil { // by now it has its number
			return err
		}

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
