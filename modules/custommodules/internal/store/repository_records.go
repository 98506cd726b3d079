// Package store keeps modules, fields, records and what is derived from them in the tables of the area, and definitions in memory.
package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ErrMovedOn says that what a record was made for has changed: its module has another revision, or a
// record that it refers to came or went. definitions.use tries again.
var ErrMovedOn = errs.New(errs.Conflict, "custom_modules.moved_on",
	"The definition of the record was changed by another request. Send the request again.")

// ErrOvertaken says that a record is not what it was when it was read. Writers then hold it and try again.
var ErrOvertaken = errors.New("the record was changed by another request")

// ErrReferenceMissing says that a record which is referred to is not there. The service finds out
// which.
var ErrReferenceMissing = errs.New(errs.Invalid, "custom_modules.reference_missing", "A referenced record does not exist.")

// Insert leaves a record with its references to be stored, provided that its module is still at the
// revision that the record was made for, else the error of the transaction is ErrMovedOn; and that each
// reference points at a record of the module that its field names, else it is ErrReferenceMissing. The
// checks are part of the statements.
func (r *Repository) Insert(ctx context.Context, row definition.RecordRow, keys [definition.SlotCount]any, links []definition.Link) error {
	err := r.DB.PipelineRows(ctx, whyInsert, r.inserts.record, [][]any{r.recordArgs(row, keys)}, missingReferenceAs(ErrMovedOn))
	if err != nil {
		return err
	}

	return r.InsertLinks(ctx, row, links)
}

// whyInsert is the reason for SQL by hand.
const whyInsert = "insert and check in one statement; the company is bound"

// missingReferenceAs is for statements that fail when what they depend on is not there.
func missingReferenceAs(missing error) func(error) error {
	return func(err error) error {
		if database.IsNullViolation(err) {
			return missing
		}

		return err
	}
}

// recordArgs are the values of inserts.record.
func (r *Repository) recordArgs(row definition.RecordRow, keys [definition.SlotCount]any) []any {
	args := make([]any, 0, 10+definition.SlotCount+3)
	args = append(args, row.CompanyID, row.ModuleID, row.ID, row.SchemaRevision, row.Data, row.CreatedAt, row.CreatedBy, row.UpdatedAt, row.UpdatedBy, row.RolledAt)
	for i, s := range r.slots {
		args = append(args, definition.BindKey(r.DB.Dialect(), s.Kind(), keys[i]))
	}

	return append(args, row.CompanyID, row.ModuleID, row.SchemaRevision)
}

// InsertLinks leaves the references of a record to be stored, provided that what they refer to is there;
// else the error is ErrReferenceMissing. It stays there until the transaction ends: who deletes it
// waits, and then sees the reference. On SQLite, where one transaction writes at a time, there is
// nothing to do for that.
func (r *Repository) InsertLinks(ctx context.Context, row definition.RecordRow, links []definition.Link) error {
	return r.DB.PipelineRows(ctx, whyInsert, r.inserts.links, linkValues(nil, row, links), missingReferenceAs(ErrReferenceMissing))
}

func linkValues(to [][]any, row definition.RecordRow, links []definition.Link) [][]any {
	for _, l := range links {
		to = append(to, []any{row.CompanyID, row.ID, l.Field.ID, row.CompanyID, l.Record, l.Target()})
	}

	return to
}

// MissingRecords returns which of the links point at no record of the module that their field
// names.
func (r *Repository) MissingRecords(ctx context.Context, links []definition.Link) ([]definition.Link, error) {
	if len(links) == 0 {
		return nil, nil
	}
	ids := map[uuid.UUID]bool{}
	for _, l := range links {
		ids[l.Record] = true
	}
	var there []definition.RecordRow
	err := r.DB.Dynamic(ctx).Select("id", "module_id").
		Where("id IN ? AND deleted_at IS NULL", slices.Collect(maps.Keys(ids))).Find(&there).Error
	if err != nil {
		return nil, database.Translate(err)
	}
	module := map[uuid.UUID]uuid.UUID{}
	for _, row := range there {
		module[row.ID] = row.ModuleID
	}
	var missing []definition.Link
	for _, l := range links {
		if module[l.Record] != l.Target() {
			missing = append(missing, l)
		}
	}

	return missing, nil
}

// RecordColumns are what of a record is read: neither its slots, nor its company, which is known.
const RecordColumns = "id, module_id, version, data, created_at, created_by, updated_at, updated_by, rolled, rolled_at"

// moduleRevision is the present revision of a record's module.
const moduleRevision = `(SELECT m.revision FROM custom_modules_modules AS m
	WHERE m.company_id = custom_modules_records.company_id AND m.id = custom_modules_records.module_id
	AND m.deleted_at IS NULL) AS revision`

// Record returns a record of the company with the present revision of its module, or
// ErrRecordNotFound.
func (r *Repository) Record(ctx context.Context, id uuid.UUID) (definition.RecordRow, error) {
	var row definition.RecordRow
	err := r.DB.Conn(ctx).Select(RecordColumns+", schema_revision, "+moduleRevision).Where("id = ? AND deleted_at IS NULL", id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrRecordNotFound)
}

// RecordsNamed returns those of some records that there are, each with the present revision of its
// module, 0 if that is gone.
//
// It reads about so many bytes of records, and says whether there are more.
func (r *Repository) RecordsNamed(ctx context.Context, ids map[uuid.UUID]bool, bytes int64) (rows []definition.RecordRow, more bool, err error) {
	bound := &database.Bound{Bytes: bytes}
	err = bound.Of(r.DB.Dynamic(ctx)).Select(RecordColumns+", coalesce("+strings.TrimSuffix(moduleRevision, " AS revision")+", 0) AS revision").
		Where("id IN ? AND deleted_at IS NULL", slices.Collect(maps.Keys(ids))).Find(&rows).Error
	if err == nil && bound.Read > memory.Small {
		err = memory.Reserve(ctx, 2*bound.Read)
	}

	return rows, bound.Cut, database.Translate(err)
}

// Records returns a page of a module's records, each with the present revision of the module. That
// is asked for by value, not by the record's columns, so that it is looked up once and not planned
// as a join.
func (r *Repository) Records(ctx context.Context, d *definition.Definition, q list.Query, narrow *Narrowing) (list.Page[definition.RecordRow], error) {
	const revision = `(SELECT m.revision FROM custom_modules_modules AS m
		WHERE m.company_id = ? AND m.id = ? AND m.deleted_at IS NULL) AS revision`
	from := r.DB.Dynamic
	if narrow == nil && d.Steady(q) {
		from = r.DB.Steady
	}
	tx := from(ctx).Select(RecordColumns+", "+revision, principal.CompanyOf(ctx), d.Module)
	page, err := list.Find(r.narrow(tx, q, narrow), q, d.ListKey)

	return page, database.Translate(err)
}

// HoldsMoreThan reports whether a module has more records than that.
func (r *Repository) HoldsMoreThan(ctx context.Context, module uuid.UUID, records int) (bool, error) {
	var beyond []uuid.UUID
	err := r.DB.Conn(ctx).Model(&definition.RecordRow{}).Where("module_id = ? AND deleted_at IS NULL", module).
		Order("id").Offset(records).Limit(1).Pluck("id", &beyond).Error

	return len(beyond) > 0, database.Translate(err)
}

// RecordFurtherOn returns the id of the record of a module that is some records further on than an id in the
// order of ids, from the first on without one; nil if there are no more behind it.
func (r *Repository) RecordFurtherOn(ctx context.Context, module uuid.UUID, from any, descending bool, records int) (any, error) {
	tx := r.DB.Conn(ctx).Model(&definition.RecordRow{}).Where("module_id = ? AND deleted_at IS NULL", module)
	after, order := "id > ?", "id"
	if descending {
		after, order = "id < ?", "id DESC"
	}
	if from != nil {
		tx = tx.Where(after, from)
	}
	var there []uuid.UUID
	err := tx.Order(order).Offset(records-1).Limit(2).Pluck("id", &there).Error
	if err != nil || len(there) < 2 {
		return nil, database.Translate(err)
	}

	return there[0], nil
}

// Revision returns the present revision of a module, or ErrModuleNotFound.
func (r *Repository) Revision(ctx context.Context, module uuid.UUID) (int64, error) {
	var row definition.ModuleRow
	err := r.DB.Conn(ctx).Select("revision").Where("id = ? AND deleted_at IS NULL", module).Take(&row).Error

	return row.Revision, notFoundAs(err, definition.ErrModuleNotFound)
}
