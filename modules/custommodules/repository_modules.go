package custommodules

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/memory"
)

// repository reads and writes the tables of the area.
type repository struct {
	db *database.DB
	// These statements have one shape whatever the module is, so they are prepared once.
	insertRecordSQL string
	updateRecordSQL string
	setSlotsSQL     string
	slots           [slotCount]slot
	inserts         inserts
}

func newRepository(db *database.DB) *repository {
	return &repository{
		db: db, insertRecordSQL: insertRecordSQL(), updateRecordSQL: updateRecordSQL(), setSlotsSQL: setSlotsSQL(), slots: slots(),
		inserts: newInserts(db.Dialect()),
	}
}

// countModules returns how many modules the company has.
func (r *repository) countModules(ctx context.Context) (int64, error) {
	var count int64
	err := r.db.Conn(ctx).Model(&moduleRow{}).Where("deleted_at IS NULL AND item_type = ''").Count(&count).Error

	return count, database.Translate(err)
}

// insertModule stores a new module with its fields. Its errors are errModuleNameTaken and those of
// the database.
func (r *repository) insertModule(ctx context.Context, module moduleRow, fields []fieldRow) error {
	if err := r.db.Conn(ctx).Create(&module).Error; err != nil {
		return taken(err, errModuleNameTaken)
	}
	if len(fields) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Create(&fields).Error)
}

// insertField stores a field. Its errors are errFieldKeyTaken and those of the database.
func (r *repository) insertField(ctx context.Context, field fieldRow) error {
	return taken(r.db.Conn(ctx).Create(&field).Error, errFieldKeyTaken)
}

// taken turns a duplicate into failure.
func taken(err error, failure *errs.Error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrDuplicate) {
		return failure.WithCause(err)
	}

	return err
}

// module returns a module of the company, or errModuleNotFound.
func (r *repository) module(ctx context.Context, id uuid.UUID) (moduleRow, error) {
	var row moduleRow
	err := r.db.Conn(ctx).Where("id = ? AND deleted_at IS NULL", id).Take(&row).Error

	return row, found(err, errModuleNotFound)
}

// hold keeps a module as it is until the transaction ends. On SQLite, where one transaction writes
// at a time, there is nothing to do.
func (r *repository) hold(ctx context.Context, id uuid.UUID) error {
	var row moduleRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).
		Select("id").Where("id = ? AND deleted_at IS NULL", id).Take(&row).Error

	return found(err, errModuleNotFound)
}

// holdAlone waits for those who have come to refer to a module (see existingModules), and lets nobody else
// do so until the transaction ends.
func (r *repository) holdAlone(ctx context.Context, id uuid.UUID) error {
	var row moduleRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Select("id").Where("id = ?", id).Take(&row).Error

	return found(err, errModuleNotFound)
}

// found turns a missing row into failure.
func found(err error, failure *errs.Error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrNotFound) {
		return failure
	}

	return err
}

// fieldsAtOnce is of how many modules the fields are read at a time for a list of modules.
const fieldsAtOnce = 4

// modules returns a page of the company's modules that the caller may read, of those that are deleted or of those that
// are not, with the fields of each. It ends early when these are large.
func (r *repository) modules(ctx context.Context, q list.Query, gone bool) (list.Page[moduleRow], map[uuid.UUID][]fieldRow, error) {
	fields := map[uuid.UUID][]fieldRow{}
	tx := r.readable(ctx, r.db.Dynamic(ctx).Where(deletedOrNot(gone)))
	page, err := list.FindWith(tx, q, moduleRow.key, func(rows []moduleRow) (int, error) {
		return r.fieldsAlong(ctx, rows, fields)
	})

	return page, fields, database.Translate(err)
}

// readable narrows a statement on modules to those that the caller may read.
func (r *repository) readable(ctx context.Context, tx *gorm.DB) *gorm.DB {
	tx = tx.Where("item_type = ''")
	role, limited := limitedRole(ctx)
	if !limited {
		return tx
	}
	listed := "jsonb_exists(permissions -> 'read', ?)"
	if r.db.Dialect() == database.SQLite {
		listed = "EXISTS (SELECT 1 FROM json_each(permissions, '$.read') AS r WHERE r.value = ?)"
	}

	return tx.Where("(permissions IS NULL OR permissions ->> 'read' IS NULL OR "+listed+")", role)
}

// fieldsAlong reads the fields of modules until they are as large as a page may be, and returns of how many modules.
func (r *repository) fieldsAlong(ctx context.Context, rows []moduleRow, into map[uuid.UUID][]fieldRow) (int, error) {
	done, read := 0, int64(0)
	for batch := range slices.Chunk(rows, fieldsAtOnce) {
		if read > list.MaxPageBytes {
			break
		}
		ids := make([]uuid.UUID, len(batch))
		for i, row := range batch {
			ids[i] = row.ID
		}
		found, bytes, _, err := r.fieldsUpTo(ctx, math.MaxInt64, ids...)
		if err == nil {
			err = memory.Take(ctx, shownWeight*bytes)
		}
		if err != nil {
			return 0, err
		}
		for _, f := range found {
			into[f.ModuleID] = append(into[f.ModuleID], f)
		}
		done, read = done+len(batch), read+bytes
	}

	return done, nil
}

// shownWeight is how many times its bytes a field takes while it is made an answer of.
const shownWeight = 6

// fieldsUpTo is fieldsOf, until so many bytes are read. It returns how many were, and whether there are more.
func (r *repository) fieldsUpTo(ctx context.Context, bytes int64, modules ...uuid.UUID) (rows []fieldRow, read int64, more bool, err error) {
	bound := &database.Bound{Bytes: bytes}
	if len(modules) > 0 {
		err = bound.Of(r.db.Conn(ctx)).Where("module_id IN ? AND deleted_at IS NULL AND NOT incoming", modules).
			Order("module_id, number").Find(&rows).Error
	}

	return rows, bound.Read, bound.Cut, database.Translate(err)
}

func deletedOrNot(gone bool) string {
	if gone {
		return "deleted_at IS NOT NULL"
	}

	return "deleted_at IS NULL"
}

// allModules returns the modules of the company, also those that the caller may not read.
func (r *repository) allModules(ctx context.Context) ([]moduleRow, error) {
	var rows []moduleRow
	err := r.db.Conn(ctx).Where("deleted_at IS NULL AND item_type = ''").Order("id").Find(&rows).Error

	return rows, database.Translate(err)
}

// key is the value that a list of modules is sorted by.
func (m moduleRow) key(field string) any {
	switch field {
	case "name":
		return m.NameKey
	case "created_at":
		return m.CreatedAt
	case "updated_at":
		return m.UpdatedAt
	default:
		return m.ID
	}
}

// fieldsOf returns the fields of some modules, by module and number, but those that are incoming.
func (r *repository) fieldsOf(ctx context.Context, modules ...uuid.UUID) ([]fieldRow, error) {
	rows, _, _, err := r.fieldsUpTo(ctx, math.MaxInt64, modules...)

	return rows, err
}

// allFieldsOf returns the fields of a module with those that are incoming, by number.
func (r *repository) allFieldsOf(ctx context.Context, module uuid.UUID) ([]fieldRow, error) {
	var rows []fieldRow
	err := r.db.Conn(ctx).Where("module_id = ? AND deleted_at IS NULL", module).Order("number").Find(&rows).Error

	return rows, database.Translate(err)
}

// replacedFields returns fields that are gone.
func (r *repository) replacedFields(ctx context.Context, ids []uuid.UUID) ([]fieldRow, error) {
	var rows []fieldRow
	err := r.db.Conn(ctx).Where("id IN ? AND deleted_at IS NOT NULL", ids).Order("number").Find(&rows).Error

	return rows, database.Translate(err)
}

// field returns a field of a module, or errFieldNotFound.
func (r *repository) field(ctx context.Context, module, id uuid.UUID) (fieldRow, error) {
	var row fieldRow
	err := r.db.Conn(ctx).Where("id = ? AND module_id = ? AND deleted_at IS NULL AND NOT incoming", id, module).Take(&row).Error

	return row, found(err, errFieldNotFound)
}

// fields returns a page of a module's fields: of those that are deleted, and that no others have replaced, or of those
// that are not.
func (r *repository) fields(ctx context.Context, module uuid.UUID, q list.Query, gone bool) (list.Page[fieldRow], error) {
	tx := r.db.Dynamic(ctx).Where("module_id = ? AND NOT incoming AND "+deletedOrNot(gone), module)
	if gone {
		tx = tx.Where("NOT " + replacedBy)
	}
	page, err := list.Find(tx, q, fieldRow.listKey)

	return page, database.Translate(err)
}

// listKey is the value that a list of fields is sorted by.
func (f fieldRow) listKey(name string) any {
	switch name {
	case "position":
		return f.Position
	case "key":
		return f.Key
	default:
		return f.ID
	}
}

// existingModules returns which of the ids are modules of the company that the caller may read. In a transaction, they
// are not deleted before it ends; they may change otherwise.
func (r *repository) existingModules(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []moduleRow
	err := r.db.Conn(ctx).Clauses(clause.Locking{Strength: "KEY SHARE"}).
		Select("id", "permissions").Where("id IN ? AND deleted_at IS NULL", ids).Order("id").Find(&rows).Error
	there := map[uuid.UUID]bool{}
	for _, row := range rows {
		there[row.ID] = row.Permissions.allow(ctx, mayRead)
	}

	return there, database.Translate(err)
}

// advance begins a change of a module's definition: it raises the revision and takes the next
// field number, and holds off other changes of the module until the transaction ends. It returns
// the module as it is then, or errModuleNotFound.
func (r *repository) advance(ctx context.Context, id uuid.UUID, c change) (moduleRow, error) {
	result := r.db.Conn(ctx).Model(&moduleRow{}).Where("id = ? AND deleted_at IS NULL", id).Updates(map[string]any{
		"revision":    gorm.Expr("revision + 1"),
		"next_number": gorm.Expr("next_number + 1"),
		"updated_at":  c.at,
		"updated_by":  c.by,
	})
	if result.Error != nil {
		return moduleRow{}, database.Translate(result.Error)
	}
	if result.RowsAffected == 0 {
		return moduleRow{}, errModuleNotFound
	}

	return r.module(ctx, id)
}
