package ownfields

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Write implements resource.Own.
func (o ownSet) Write(ctx context.Context, v resource.Verb, row resource.OwnRow, given []byte) (*resource.OwnWrite, error) {
	ctx = AsOwn(ctx, o.d.Item())
	given = orEmpty(given)
	if err := o.service.records.CheckSize(given); err != nil {
		return nil, err
	}
	w, err := o.prepareOwn(ctx, v, row, given)
	if err != nil || w == nil {
		return nil, byKeys(err)
	}
	made := &resource.OwnWrite{Before: w.Before.Data, Changes: auditChanges(w, w.Made.Document)}
	made.Store = func(ctx context.Context) error {
		err := o.storeOwn(AsOwn(ctx, o.d.Item()), w, row)
		made.After, made.Changes = w.Row.Data, auditChanges(w, w.Row.Data)

		return byKeys(err)
	}

	return made, nil
}

// auditChanges are the changes of the row that a document makes of its own fields.
func auditChanges(w *store.Writing, document []byte) map[string]audit.Change {
	if w.Verb == definition.Deleted || w.Verb == definition.Restored {
		return nil
	}

	return records.AuditedChanges(&store.Writing{Verb: definition.Updated, Changes: w.Definition.Diff(w.Before.Data, document)})
}

// prepareOwn makes what a write of a row makes of its record, nil for nothing.
func (o ownSet) prepareOwn(ctx context.Context, v resource.Verb, row resource.OwnRow, given []byte) (*store.Writing, error) {
	if v == resource.Create {
		return o.newValues(ctx, row, given)
	}
	before, err := o.lockRecord(ctx, row.ID, v == resource.Restore)
	none := errors.Is(err, definition.ErrRecordNotFound)
	switch {
	case err != nil && !none:
		return nil, err
	case none && (v == resource.Delete || len(given) == len("{}") && len(o.d.Programs) == 0):
		return nil, nil //nolint:nilnil // there are no values
	case none:
		return o.firstValues(ctx, row, given)
	case v == resource.Delete:
		return o.service.records.NextVersion(ctx, definition.Deleted, o.d, before, definition.Draft{Document: before.Data}), nil
	}
	makeDraft, what, present := o.service.records.Patched(ctx, given), definition.Updated, before
	if v == resource.Restore {
		makeDraft, what = records.RestoredDraft, definition.Restored
	}
	if present.Data, err = o.d.Mirror(before.Data, row); err != nil {
		return nil, err
	}
	made, err := makeDraft(o.d, present)
	if err != nil {
		return nil, err
	}

	return o.service.records.NextVersion(ctx, what, o.d, before, made), nil
}

// newValues makes the record of a new row, nil for none.
func (o ownSet) newValues(ctx context.Context, row resource.OwnRow, given []byte) (*store.Writing, error) {
	w, err := o.service.records.NewRecord(ctx, o.d, row.ID, given)
	if err != nil {
		return nil, err
	}
	if err := o.copyRow(w, row); err != nil || len(w.Made.Document) == len("{}") && len(o.d.Mirrors) == 0 {
		return nil, err
	}

	return w, o.service.records.CheckReferences(ctx, w.Made.Links, definition.Problems{})
}

// copyRow brings the copies that a new record has of its row's values up to date.
func (o ownSet) copyRow(w *store.Writing, row resource.OwnRow) error {
	if len(o.d.Mirrors) == 0 {
		return nil
	}
	values, err := o.d.Mirrored(row)
	if err == nil {
		w.Made = o.d.WithValues(w.Made, values)
	}

	return err
}

// lockRecord returns the record of a row that is about to be written, deleted or not.
func (o ownSet) lockRecord(ctx context.Context, row uuid.UUID, deleted bool) (definition.RecordRow, error) {
	before, read := o.ahead[row]
	if !read {
		return o.service.repo.LockRecord(ctx, row, deleted)
	}
	delete(o.ahead, row) // what comes later finds what is written now
	if before == nil || (before.DeletedAt != nil) != deleted {
		return definition.RecordRow{}, definition.ErrRecordNotFound
	}

	return *before, nil
}

// firstValues makes the record of a row that had no values, nil for none.
func (o ownSet) firstValues(ctx context.Context, row resource.OwnRow, given []byte) (*store.Writing, error) {
	w := &store.Writing{Verb: definition.Created, Definition: o.d, Row: o.service.records.NewRow(ctx, o.d, row.ID)}
	document, err := o.d.Mirror([]byte("{}"), row)
	if err != nil {
		return nil, err
	}
	if w.Made, err = o.service.records.Patched(ctx, given)(o.d, definition.RecordRow{Data: document}); err != nil || len(w.Made.Document) == len("{}") {
		return nil, err
	}

	return w, o.service.records.CheckReferences(ctx, w.Made.Links, definition.Problems{})
}

// storeOwn stores the record of a row.
func (o ownSet) storeOwn(ctx context.Context, w *store.Writing, row resource.OwnRow) error {
	switch w.Verb {
	case definition.Created:
		if err := o.copyRow(w, row); err != nil { // by now it has its number
			return err
		}

		return o.service.records.InsertRecord(ctx, w)
	case definition.Deleted:
		return o.service.records.StoreDeleted(ctx, w)
	default:
		w.Seen = w.Verb == definition.Updated && o.service.db.Dialect() == database.Postgres // which sends it with what comes next; it is held

		return o.service.records.Store(ctx, w)
	}
}

// byKeys is a refusal of values by the keys of their fields alone.
func byKeys(err error) error {
	return errs.Named(err, func(path string) string { return strings.TrimPrefix(path, "payload.") })
}
