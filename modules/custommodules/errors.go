package custommodules

import (
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/errs"
)

var (
	errModuleNotFound = errs.New(errs.NotFound, "custom_modules.module_not_found", "There is no such module.").WithCause(collection.ErrNotFound)
	errFieldNotFound  = errs.New(errs.NotFound, "custom_modules.field_not_found", "There is no such field.")
	errRecordNotFound = errs.New(errs.NotFound, "custom_modules.record_not_found", "There is no such record.")

	errModuleNameTaken = errs.New(errs.Conflict, "custom_modules.module_name_taken",
		"There is a module of this name already.")
	errModuleInUse   = errs.New(errs.Conflict, "custom_modules.module_in_use", "Fields of other modules refer to the module.")
	errFieldInUse    = errs.New(errs.Conflict, "custom_modules.field_in_use", "Formulas use the field.")
	errFieldKeyTaken = errs.New(errs.Conflict, "custom_modules.field_key_taken",
		"The module has a field of this key already.")

	errNotPermitted = errs.New(errs.Forbidden, "custom_modules.not_permitted",
		"Your role does not have the permission that this needs.")
	errInvalidDefinition = errs.New(errs.Invalid, "custom_modules.invalid_definition", "The given data was invalid.")
	errInvalidRecord     = errs.New(errs.Invalid, "custom_modules.invalid_record", "The given data was invalid.")
	errInvalidPayload    = errs.New(errs.Invalid, "custom_modules.invalid_payload", "The given data was invalid.")
	errTooManyModules    = errs.New(errs.Invalid, "custom_modules.too_many_modules", "The company has too many modules.")
	errTooManyRecords    = errs.New(errs.Invalid, "custom_modules.too_many_records", "The company has too many records.")
	errTooManyFields     = errs.New(errs.Invalid, "custom_modules.too_many_fields", "The module has too many fields.")
	errNoFreeSlot        = errs.New(errs.Invalid, "custom_modules.too_many_indexed",
		"The module has too many indexed fields.")
	errFieldNotIndexed = errs.New(errs.Invalid, "custom_modules.field_not_indexed",
		"The module is too large to be filtered or sorted by fields that are not indexed.")
	errNotSearchable    = errs.New(errs.Invalid, "custom_modules.not_searchable", "No field of the module is searchable.")
	errRecordNotDeleted = errs.New(errs.Conflict, "custom_modules.record_not_deleted", "The record is not deleted.")
	errModuleNotDeleted = errs.New(errs.Conflict, "custom_modules.module_not_deleted", "The module is not deleted.")
	errVersionNotFound  = errs.New(errs.NotFound, "custom_modules.version_not_found", "The record has no such version.").WithCause(history.ErrVersionNotFound)
	errModuleArchived   = errs.New(errs.Conflict, "custom_modules.module_archived", "The module is archived: its records can be read alone.")
	errValueTaken       = errs.New(errs.Invalid, "custom_modules.value_taken", "The given data was invalid.")
	errRecordInUse      = errs.New(errs.Conflict, "custom_modules.record_in_use", "Other records refer to the record.")
	errCascadeTooLarge  = errs.New(errs.Conflict, "custom_modules.cascade_too_large",
		"Deleting the record would change too many others at once.")
	errChangeNotFound = errs.New(errs.NotFound, "custom_modules.field_change_not_found", "There is no such change of a field.")
	errChangeRunning  = errs.New(errs.Conflict, "custom_modules.field_change_running",
		"A change of a field is being applied to the module's records. Wait for its end, or cancel it.")
	errChangeStale = errs.New(errs.Conflict, "custom_modules.field_change_stale",
		"The fields of the module are not what they were when the plan was made. Make a new plan.")
	errChangeState     = errs.New(errs.Conflict, "custom_modules.field_change_state", "The state of the change does not allow this.")
	errChangeUndecided = errs.New(errs.Conflict, "custom_modules.field_change_undecided",
		"There are values that the change would break, and nothing was decided about them.")
	errInvalidChange    = errs.New(errs.Invalid, "custom_modules.invalid_field_change", "The given data was invalid.")
	errBulkRefused      = errs.New(errs.Invalid, "custom_modules.bulk_refused", "The given data was invalid. Nothing was changed.")
	errStaleItem        = errs.New(errs.Stale, "custom_modules.stale", "This was changed since you read it.")
	errInvalidPack      = errs.New(errs.Invalid, "custom_modules.invalid_pack", "The pack is invalid.")
	errPackConflicts    = errs.New(errs.Conflict, "custom_modules.pack_conflicts", "Parts of the pack conflict with what is there. Nothing was changed.")
	errPackNotFound     = errs.New(errs.NotFound, "custom_modules.pack_not_found", "There is no such pack.")
	errDocumentTooLarge = errs.New(errs.Invalid, "custom_modules.document_too_large",
		"The modules have too many fields for one document. Name some of the modules with module_uuid.").
		WithField("module_uuid", "The modules have too many fields for one document. Name some of them.")
	errPayloadTooLarge = errs.New(errs.TooLarge, "custom_modules.payload_too_large", "The payload is too large.")
)
