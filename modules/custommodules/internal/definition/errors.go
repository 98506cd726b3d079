package definition

import (
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// What callers are told, beside what is wrong where.
var (
	ErrModuleNotFound = errs.New(errs.NotFound, "custom_modules.module_not_found", "There is no such module.").WithCause(collection.ErrNotFound)
	ErrFieldNotFound  = errs.New(errs.NotFound, "custom_modules.field_not_found", "There is no such field.")
	ErrRecordNotFound = errs.New(errs.NotFound, "custom_modules.record_not_found", "There is no such record.")

	ErrModuleNameTaken = errs.New(errs.Conflict, "custom_modules.module_name_taken",
		"A module with this name already exists.")
	ErrModuleInUse   = errs.New(errs.Conflict, "custom_modules.module_in_use", "Fields of other modules refer to the module. Remove those fields first.")
	ErrFieldInUse    = errs.New(errs.Conflict, "custom_modules.field_in_use", "Formulas use the field. Change those formulas first.")
	ErrFieldKeyTaken = errs.New(errs.Conflict, "custom_modules.field_key_taken",
		"The module already has a field with this key.")

	ErrNotPermitted = errs.New(errs.Forbidden, "custom_modules.not_permitted",
		"Your role lacks the required permission.")
	ErrInvalidDefinition = errs.New(errs.Invalid, "custom_modules.invalid_definition", "The given data was invalid.")
	ErrInvalidRecord     = errs.New(errs.Invalid, "custom_modules.invalid_record", "The given data was invalid.")
	ErrInvalidPayload    = errs.New(errs.Invalid, "custom_modules.invalid_payload", "The given data was invalid.")
	ErrTooManyModules    = errs.New(errs.Invalid, "custom_modules.too_many_modules", "The company has too many modules. Delete one first.")
	ErrTooManyRecords    = errs.New(errs.Invalid, "custom_modules.too_many_records", "The company has too many records.")
	ErrTooManyFields     = errs.New(errs.Invalid, "custom_modules.too_many_fields", "The module has too many fields.")
	ErrNoFreeSlot        = errs.New(errs.Invalid, "custom_modules.too_many_indexed",
		"The module has too many indexed fields.")
	ErrFieldNotIndexed = errs.New(errs.Invalid, "custom_modules.field_not_indexed",
		"The module is too large to be filtered or sorted by fields that are not indexed.")
	ErrNotSearchable    = errs.New(errs.Invalid, "custom_modules.not_searchable", "No field of the module is searchable.")
	ErrRecordNotDeleted = errs.New(errs.Conflict, "custom_modules.record_not_deleted", "The record is not deleted.")
	ErrModuleNotDeleted = errs.New(errs.Conflict, "custom_modules.module_not_deleted", "The module is not deleted.")
	ErrVersionNotFound  = errs.New(errs.NotFound, "custom_modules.version_not_found", "The record has no such version.").WithCause(history.ErrVersionNotFound)
	ErrModuleArchived   = errs.New(errs.Conflict, "custom_modules.module_archived", "The module is archived: its records are read-only.")
	ErrValueTaken       = errs.New(errs.Invalid, "custom_modules.value_taken", "The given data was invalid.")
	ErrRecordInUse      = errs.New(errs.Conflict, "custom_modules.record_in_use", "Other records refer to the record. Change those references first.")
	ErrCascadeTooLarge  = errs.New(errs.Conflict, "custom_modules.cascade_too_large",
		"Deleting the record would change too many others at once.")
	ErrChangeNotFound = errs.New(errs.NotFound, "custom_modules.field_change_not_found", "There is no such field change.")
	ErrChangeRunning  = errs.New(errs.Conflict, "custom_modules.field_change_running",
		"A field change is being applied to the module's records. Wait until it ends, or cancel it.")
	ErrChangeStale = errs.New(errs.Conflict, "custom_modules.field_change_stale",
		"The fields of the module have changed since the plan was made. Make a new plan.")
	ErrChangeState     = errs.New(errs.Conflict, "custom_modules.field_change_state", "The state of the change does not allow this.")
	ErrChangeUndecided = errs.New(errs.Conflict, "custom_modules.field_change_undecided",
		"The change would break existing values. Send on_failure to decide what happens to them.")
	ErrInvalidChange    = errs.New(errs.Invalid, "custom_modules.invalid_field_change", "The given data was invalid.")
	ErrBulkRefused      = errs.New(errs.Invalid, "custom_modules.bulk_refused", "The given data was invalid. Nothing was changed.")
	ErrStaleItem        = errs.New(errs.Stale, "custom_modules.stale", "This was changed since you read it.")
	ErrInvalidPack      = errs.New(errs.Invalid, "custom_modules.invalid_pack", "The pack is invalid.")
	ErrPackConflicts    = errs.New(errs.Conflict, "custom_modules.pack_conflicts", "Parts of the pack conflict with existing modules. Nothing was changed.")
	ErrPackNotFound     = errs.New(errs.NotFound, "custom_modules.pack_not_found", "There is no such pack.")
	ErrDocumentTooLarge = errs.New(errs.Invalid, "custom_modules.document_too_large",
		"The modules have too many fields for one document. Name some of the modules with module_uuid.").
		WithField("module_uuid", "The modules have too many fields for one document. Name some of them.")
	ErrPayloadTooLarge = errs.New(errs.TooLarge, "custom_modules.payload_too_large", "The payload is too large.")
)
