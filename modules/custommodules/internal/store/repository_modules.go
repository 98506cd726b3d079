package store

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/memory"
)

// Repository reads and writes the tables of the area.
type Repository struct {
	DB *database.DB
	// These statements have one shape whatever the module is, so they are prepared once.
	updateRecordSQL string
	setSlotsSQL     string
	slots           [definition.SlotCount]definition.Slot
	inserts         inserts
}

// NewRepository returns the repository.
func NewRepository(db *database.DB) *Repository {
	return &Repository{
		DB: db, updateRecordSQL: updateRecordSQL(), setSlotsSQL: setSlotsSQL(), slots: definition.AllSlots(),
		inserts: newInserts(db.Dialect()),
	}
}

// CountModules returns how many modules the company has.
func (r *Repository) CountModules(ctx context.Context) (int64, error) {
	var count int64
	err := r.DB.Conn(ctx).Model(&definition.ModuleRow{}).Where("deleted_at IS NULL AND item_type = ''").Count(&count).Error

	return count, database.Translate(err)
}

// InsertModule stores a new module with its fields. Its errors are ErrModuleNameTaken and those of
// the database.
func (r *Repository) InsertModule(ctx context.Context, module definition.ModuleRow, fields []definition.FieldRow) error {
	if err := r.DB.Conn(ctx).Create(&module).Error; err != nil {
		return duplicateAs(err, definition.ErrModuleNameTaken)
	}
	if len(fields) == 0 {
		return nil
	}

	return database.Translate(r.DB.Conn(ctx).Create(&fields).Error)
}

// InsertField stores a field. Its errors are ErrFieldKeyTaken and those of the database.
func (r *Repository) InsertField(ctx context.Context, field definition.FieldRow) error {
	return duplicateAs(r.DB.Conn(ctx).Create(&field).Error, definition.ErrFieldKeyTaken)
}

// duplicateAs turns a duplicate into failure.
func duplicateAs(err error, failure *errs.Error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrDuplicate) {
		return failure.WithCause(err)
	}

	return err
}

// Module returns a module of the company, or ErrModuleNotFound.
func (r *Repository) Module(ctx context.Context, id uuid.UUID) (definition.ModuleRow, error) {
	var row definition.ModuleRow
	err := r.DB.Conn(ctx).Where("id = ? AND deleted_at IS NULL", id).Take(&row).Error

	return row, notFoundAs(err, definition.ErrModuleNotFound)
}

// Hold keeps a module as it is until the transaction ends. On SQLite, where one transaction writes
// at a time, there is nothing to do.
func (r *Repository) Hold(ctx context.Context, id uuid.UUID) error {
	var row definition.ModuleRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).
		Select("id").Where("id = ? AND deleted_at IS NULL", id).Take(&row).Error

	return notFoundAs(err, definition.ErrModuleNotFound)
}

// HoldAlone waits for those who have come to refer to a module (see ExistingModules), and lets nobody else
// do so until the transaction ends.
func (r *Repository) HoldAlone(ctx context.Context, id uuid.UUID) error {
	var row definition.ModuleRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Select("id").Where("id = ?", id).Take(&row).Error

	return notFoundAs(err, definition.ErrModuleNotFound)
}

// notFoundAs turns a missing row into failure.
func notFoundAs(err error, failure *errs.Error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrNotFound) {
		return failure
	}

	return err
}

// fieldsAtOnce is of how many modules the fields are read at a time for a list of modules.
const fieldsAtOnce = 4

// Modules returns a page of the company's modules that the caller may read, of those that are deleted or of those that
// are not, with the fields of each. It ends early when these are large.
func (r *Repository) Modules(ctx context.Context, q list.Query, gone bool) (list.Page[definition.ModuleRow], map[uuid.UUID][]definition.FieldRow, error) {
	fields := map[uuid.UUID][]definition.FieldRow{}
	tx := r.readable(ctx, r.DB.Dynamic(ctx).Where(deletedOrNot(gone)))
	page, err := list.FindWith(tx, q, definition.ModuleRow.Key, func(rows []definition.ModuleRow) (int, error) {
		return r.fieldsAlong(ctx, rows, fields)
	})

	return page, fields, database.Translate(err)
}

// readable narrows a statement on modules to those that the caller may read.
func (r *Repository) readable(ctx context.Context, tx *gorm.DB) *gorm.DB {
	tx = tx.Where("item_type = ''")
	role, limited := definition.LimitedRole(ctx)
	if !limited {
		return tx
	}
	listed := "jsonb_exists(permissions -> 'read', ?)"
	if r.DB.Dialect() == database.SQLite {
		listed = "EXISTS (SELECT 1 FROM json_each(permissions, '$.read') AS r WHERE r.value = ?)"
	}

	return tx.Where("(permissions IS NULL OR permissions ->> 'read' IS NULL OR "+listed+")", role)
}

// fieldsAlong reads the fields of modules until they are as large as a page may be, and returns of how many modules.
func (r *Repository) fieldsAlong(ctx context.Context, rows []definition.ModuleRow, into map[uuid.UUID][]definition.FieldRow) (int, error) {
	done, read := 0, int64(0)
	for batch := range slices.Chunk(rows, fieldsAtOnce) {
		if read > list.MaxPageBytes {
			break
		}
		ids := make([]uuid.UUID, len(batch))
		for i, row := range batch {
			ids[i] = row.ID
		}
		found, bytes, _, err := r.FieldsUpTo(ctx, math.MaxInt64, ids...)
		if err == nil {
			err = memory.Reserve(ctx, shownWeight*bytes)
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

// FieldsUpTo is FieldsOf, until so many bytes are read. It returns how many were, and whether there are more.
func (r *Repository) FieldsUpTo(ctx context.Context, bytes int64, modules ...uuid.UUID) (rows []definition.FieldRow, read int64, more bool, err error) {
	bound := &database.Bound{Bytes: bytes}
	if len(modules) > 0 {
		err = bound.Of(r.DB.Conn(ctx)).Where("module_id IN ? AND deleted_at IS NULL AND NOT incoming", modules).
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

// AllModules returns the modules of the company, also those that the caller may not read.
func (r *Repository) AllModules(ctx context.Context) ([]definition.ModuleRow, error) {
	var rows []definition.ModuleRow
	err := r.DB.Conn(ctx).Where("deleted_at IS NULL AND item_type = ''").Order("id").Find(&rows).Error

	return rows, database.Translate(err)
}

// FieldsOf returns the fields of some modules, by module and number, but those that are incoming.
func (r *Repository) FieldsOf(ctx context.Context, modules ...uuid.UUID) ([]definition.FieldRow, error) {
	rows, _, _, err := r.FieldsUpTo(ctx, math.MaxInt64, modules...)

	return rows, err
}

// allFieldsOf returns the fields of a module with those that are incoming, by number.
func (r *Repository) allFieldsOf(ctx context.Context, module uuid.UUID) ([]definition.FieldRow, error) {
	var rows []definition.FieldRow
	err := r.DB.Conn(ctx).Where("module_id = ? AND deleted_at IS NULL", module).Order("number").Find(&rows).Error

	return rows, database.Translate(err)
}

// replacedFields returns fields that are gone.
func (r *Repository) replacedFields(ctx context.Context, ids []uuid.UUID) ([]definition.FieldRow, error) {
	var rows []definition.FieldRow
	err := r.DB.Conn(ctx).Where("id IN ? AND deleted_at IS NOT NULL", ids).Order("number").Find(&rows).Error

	return rows, database.Translate(err)
}

// Field returns a field of a module, or ErrFieldNotFound.
func (r *Repository) Field(ctx context.Context, module, id uuid.UUID) (definition.FieldRow, error) {
	var row definition.FieldRow
	err := r.DB.Conn(ctx).Where("id = ? AND module_id = ? AND deleted_at IS NULL AND NOT incoming", id, module).Take(&row).Error

	return row, notFoundAs(err, definition.ErrFieldNotFound)
}

// Fields returns a page of a module's fields: of those that are deleted, and that no others have replaced, or of those
// that are not.
func (r *Repository) Fields(ctx context.Context, module uuid.UUID, q list.Query, gone bool) (list.Page[definition.FieldRow], error) {
	tx := r.DB.Dynamic(ctx).Where("module_id = ? AND NOT incoming AND "+deletedOrNot(gone), module)
	if gone {
		tx = tx.Where("NOT " + replacedBy)
	}
	page, err := list.Find(tx, q, definition.FieldRow.ListKey)

	return page, database.Translate(err)
}

// ExistingModules returns which of the ids are modules of the company that the caller may read. In a transaction, they
// are not deleted before it ends; they may change otherwise.
func (r *Repository) ExistingModules(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []definition.ModuleRow
	err := r.DB.Conn(ctx).Clauses(clause.Locking{Strength: "KEY SHARE"}).
		Select("id", "permissions").Where("id IN ? AND deleted_at IS NULL", ids).Order("id").Find(&rows).Error
	there := map[uuid.UUID]bool{}
	for _, row := range rows {
		there[row.ID] = row.Permissions.Allow(ctx, definition.MayRead)
	}

	return there, database.Translate(err)
}

// Advance begins a change of a module's definition: it raises the revision and takes the next
// field number, and holds off other changes of the module until the transaction ends. It returns
// the module as it is then, or ErrModuleNotFound.
func (r *Repository) Advance(ctx context.Context, id uuid.UUID, c Change) (definition.ModuleRow, error) {
	result := r.DB.Conn(ctx).Model(&definition.ModuleRow{}).Where("id = ? AND deleted_at IS NULL", id).Updates(map[string]any{
		"revision":    gorm.Expr("revision + 1"),
		"next_number": gorm.Expr("next_number + 1"),
		"updated_at":  c.At,
		"updated_by":  c.By,
	})
	if result.Error != nil {
		return definition.ModuleRow{}, database.Translate(result.Error)
	}
	if result.RowsAffected == 0 {
		return definition.ModuleRow{}, definition.ErrModuleNotFound
	}

	return r.Module(ctx, id)
}
