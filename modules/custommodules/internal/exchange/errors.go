package exchange

import "github.com/dispatchd/dispatchd/platform/errs"

var (
	errImportNotFound = errs.New(errs.NotFound, "custom_modules.import_not_found", "There is no such import.")
	errEncoding       = errs.New(errs.Invalid, "custom_modules.import_encoding", "The characters of the file cannot be read.")
	errBadFile        = errs.New(errs.Invalid, "custom_modules.import_file", "The file is no table that can be imported.")
	errMapping        = errs.New(errs.Invalid, "custom_modules.import_mapping", "The given data was invalid.")
	errImportBusy     = errs.New(errs.Conflict, "custom_modules.import_busy", "The import is at work. Cancel it first.")
	errTooManyImports = errs.New(errs.Invalid, "custom_modules.too_many_imports", "The company has too many imports.")

	// These are the area's, for the documentation.
	errModuleNotFound  = errs.New(errs.NotFound, "custom_modules.module_not_found", "There is no such module.")
	errModuleArchived  = errs.New(errs.Conflict, "custom_modules.module_archived", "The module is archived: its records can be read alone.")
	errNotPermitted    = errs.New(errs.Forbidden, "custom_modules.not_permitted", "Your role does not have the permission that this needs.")
	errFieldNotIndexed = errs.New(errs.Invalid, "custom_modules.field_not_indexed",
		"The module is too large to be filtered or sorted by fields that are not indexed.")
	errViewNotFound  = errs.New(errs.NotFound, "custom_modules.view_not_found", "There is no such view.")
	errViewBroken    = errs.New(errs.Invalid, "custom_modules.view_broken", "The view filters or sorts by a field that is gone.")
	errFieldsChanged = errs.New(errs.Conflict, "custom_modules.fields_changed",
		"The fields of the module were changed during the export. Please export again.")
)
