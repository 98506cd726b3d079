package custommodules

import "github.com/dispatchd/dispatchd/platform/errs"

var (
	errModuleNotFound = errs.New(errs.NotFound, "custom_modules.module_not_found", "There is no such module.")
	errFieldNotFound  = errs.New(errs.NotFound, "custom_modules.field_not_found", "There is no such field.")
	errRecordNotFound = errs.New(errs.NotFound, "custom_modules.record_not_found", "There is no such record.")

	errModuleNameTaken = errs.New(errs.Conflict, "custom_modules.module_name_taken",
		"There is a module of this name already.")
	errFieldKeyTaken = errs.New(errs.Conflict, "custom_modules.field_key_taken",
		"The module has a field of this key already.")

	errInvalidDefinition = errs.New(errs.Invalid, "custom_modules.invalid_definition", "The given data was invalid.")
	errInvalidRecord     = errs.New(errs.Invalid, "custom_modules.invalid_record", "The given data was invalid.")
	errInvalidPayload    = errs.New(errs.Invalid, "custom_modules.invalid_payload", "The given data was invalid.")
	errTooManyModules    = errs.New(errs.Invalid, "custom_modules.too_many_modules", "The company has too many modules.")
	errTooManyFields     = errs.New(errs.Invalid, "custom_modules.too_many_fields", "The module has too many fields.")
	errNoFreeSlot        = errs.New(errs.Invalid, "custom_modules.too_many_indexed",
		"The module has too many indexed fields of this kind.")
	errFieldNotIndexed = errs.New(errs.Invalid, "custom_modules.field_not_indexed",
		"The module is too large to be filtered or sorted by fields that are not indexed.")
	errPayloadTooLarge = errs.New(errs.TooLarge, "custom_modules.payload_too_large", "The payload is too large.")
)
