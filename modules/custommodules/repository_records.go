package custommodules

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// errMovedOn says that what a record was made for has changed: its module has another revision, or a
// record that it refers to came or went. definitions.use tries again.
var errMovedOn = errs.New(errs.Conflict, "custom_modules.moved_on",
	"What the record is based on has just been changed. Send the request again.")

// errOvertaken says that a record is not what it was when it was read.
var errOvertaken = errs.New(errs.Conflict, "custom_modules.overtaken",
	"The record has just been changed by somebody else. Send the request again.")

// errReferenceMissing says that a record which is referred to is not there. The service finds out
// which.
var errReferenceMissing = errs.New(errs.Invalid, "custom_modules.reference_missing", "A record that is referred to is missing.")

// insert leaves a record with its references to be stored, provided that its module is still at the
// revision that the record was made for, else the error of the transaction is errMovedOn; and that each
// reference points at a record of the module that its field names, else it is errReferenceMissing. The
// checks are part of the statements.
func (r *repository) insert(ctx context.Context, row recordRow, keys [slotCount]any, links []link) error {
	err := r.db.Pipeline(ctx, whyInsert, r.insertRecordSQL, r.recordArgs(row, keys), unfounded(errMovedOn))
	if err != nil {
		return err
	}

	return r.insertLinks(ctx, row, links)
}

// whyInsert is the reason for SQL by hand.
const whyInsert = "insert and check in one statement; the company is bound"

// unfounded is for statements that fail when what they depend on is not there.
func unfounded(missing error) func(error) error {
	return func(err error) error {
		if database.Unfounded(err) {
			return missing
		}

		return err
	}
}

// recordArgs are the values of insertRecordSQL.
func (r *repository) recordArgs(row recordRow, keys [slotCount]any) []any {
	args := make([]any, 0, 10+slotCount+3)
	args = append(args, row.CompanyID, row.ModuleID, row.ID, row.SchemaRevision, row.Data, row.CreatedAt, row.CreatedBy, row.UpdatedAt, row.UpdatedBy, row.RolledAt)
	for i, s := range r.slots {
		args = append(args, bindKey(r.db.Dialect(), s.kind(), keys[i]))
	}

	return append(args, row.CompanyID, row.ModuleID, row.SchemaRevision)
}

// insertRecordSQL inserts a record, with all slots, filled or not. The version is 1, or no number when
// the module has no such revision.
func insertRecordSQL() string {
	var columns, values strings.Builder
	for _, s := range slots() {
		columns.WriteString(", " + string(s))
		values.WriteString(", ?")
	}

	return `INSERT INTO custom_modules_records (company_id, module_id, id, schema_revision, data,
		created_at, created_by, updated_at, updated_by, rolled_at` + columns.String() + `, version)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?` + values.String() + `, (SELECT 1 / count(*) FROM custom_modules_modules AS m
		WHERE m.company_id = ? AND m.id = ? AND m.revision = ? AND m.deleted_at IS NULL))`
}

// insertLinks leaves the references of a record to be stored, provided that what they refer to is there;
// else the error is errReferenceMissing. It stays there until the transaction ends: who deletes it
// waits, and then sees the reference. On SQLite, where one transaction writes at a time, there is
// nothing to do for that.
func (r *repository) insertLinks(ctx context.Context, row recordRow, links []link) error {
	return r.db.PipelineRows(ctx, whyInsert, r.inserts.links, linkValues(nil, row, links), unfounded(errReferenceMissing))
}

func linkValues(to [][]any, row recordRow, links []link) [][]any {
	for _, l := range links {
		to = append(to, []any{row.CompanyID, row.ID, l.field.id, row.CompanyID, l.record, l.target()})
	}

	return to
}

// missingRecords returns which of the links point at no record of the module that their field
// names.
func (r *repository) missingRecords(ctx context.Context, links []link) ([]link, error) {
	if len(links) == 0 {
		return nil, nil
	}
	ids := map[uuid.UUID]bool{}
	for _, l := range links {
		ids[l.record] = true
	}
	var there []recordRow
	err := r.db.Dynamic(ctx).Select("id", "module_id").
		Where("id IN ? AND deleted_at IS NULL", slices.Collect(maps.Keys(ids))).Find(&there).Error
	if err != nil {
		return nil, database.Translate(err)
	}
	module := map[uuid.UUID]uuid.UUID{}
	for _, row := range there {
		module[row.ID] = row.ModuleID
	}
	var missing []link
	for _, l := range links {
		if module[l.record] != l.target() {
			missing = append(missing, l)
		}
	}

	return missing, nil
}

// recordColumns are what of a record is read: neither its slots, nor its company, which is known.
const recordColumns = "id, module_id, version, data, created_at, created_by, updated_at, updated_by, rolled, rolled_at"

// moduleRevision is the present revision of a record's module.
const moduleRevision = `(SELECT m.revision FROM custom_modules_modules AS m
	WHERE m.company_id = custom_modules_records.company_id AND m.id = custom_modules_records.module_id
	AND m.deleted_at IS NULL) AS revision`

// record returns a record of the company with the present revision of its module, or
// errRecordNotFound.
func (r *repository) record(ctx context.Context, id uuid.UUID) (recordRow, error) {
	var row recordRow
	err := r.db.Conn(ctx).Select(recordColumns+", schema_revision, "+moduleRevision).Where("id = ? AND deleted_at IS NULL", id).Take(&row).Error

	return row, found(err, errRecordNotFound)
}

// recordsNamed returns those of some records that there are, each with the present revision of its
// module, 0 if that is gone.
//
// It reads about so many bytes of records, and says whether there are more.
func (r *repository) recordsNamed(ctx context.Context, ids map[uuid.UUID]bool, bytes int64) (rows []recordRow, more bool, err error) {
	bound := &database.Bound{Bytes: bytes}
	err = bound.Of(r.db.Dynamic(ctx)).Select(recordColumns+", coalesce("+strings.TrimSuffix(moduleRevision, " AS revision")+", 0) AS revision").
		Where("id IN ? AND deleted_at IS NULL", slices.Collect(maps.Keys(ids))).Find(&rows).Error
	if err == nil && bound.Read > memory.Small {
		err = memory.Take(ctx, 2*bound.Read)
	}

	return rows, bound.Cut, database.Translate(err)
}

// records returns a page of a module's records, each with the present revision of the module. That
// is asked for by value, not by the record's columns, so that it is looked up once and not planned
// as a join.
func (r *repository) records(ctx context.Context, d *definition, q list.Query, narrow *narrowing) (list.Page[recordRow], error) {
	const revision = `(SELECT m.revision FROM custom_modules_modules AS m
		WHERE m.company_id = ? AND m.id = ? AND m.deleted_at IS NULL) AS revision`
	from := r.db.Dynamic
	if narrow == nil && d.steady(q) {
		from = r.db.Steady
	}
	tx := from(ctx).Select(recordColumns+", "+revision, principal.CompanyOf(ctx), d.module)
	page, err := list.Find(r.narrow(tx, q, narrow), q, d.listKey)

	return page, database.Translate(err)
}

// holdsMoreThan reports whether a module has more records than that.
func (r *repository) holdsMoreThan(ctx context.Context, module uuid.UUID, records int) (bool, error) {
	var beyond []uuid.UUID
	err := r.db.Conn(ctx).Model(&recordRow{}).Where("module_id = ? AND deleted_at IS NULL", module).
		Order("id").Offset(records).Limit(1).Pluck("id", &beyond).Error

	return len(beyond) > 0, database.Translate(err)
}

// recordFurtherOn returns the id of the record of a module that is some records further on than an id in the
// order of ids, from the first on without one; nil if there are no more behind it.
func (r *repository) recordFurtherOn(ctx context.Context, module uuid.UUID, from any, descending bool, records int) (any, error) {
	tx := r.db.Conn(ctx).Model(&recordRow{}).Where("module_id = ? AND deleted_at IS NULL", module)
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

// revision returns the present revision of a module, or errModuleNotFound.
func (r *repository) revision(ctx context.Context, module uuid.UUID) (int64, error) {
	var row moduleRow
	err := r.db.Conn(ctx).Select("revision").Where("id = ? AND deleted_at IS NULL", module).Take(&row).Error

	return row.Revision, found(err, errModuleNotFound)
}
