package exchange

import (
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The expected failures of imports and exports.
var (
	ErrImportNotFound = errs.New(errs.NotFound, "collection.import_not_found", "There is no such import.")
	ErrEncoding       = readers.ErrEncoding
	ErrBadFile        = readers.ErrBadFile
	ErrMapping        = errs.New(errs.Invalid, "collection.import_mapping", "The given data was invalid.")
	ErrImportBusy     = errs.New(errs.Conflict, "collection.import_busy", "The import is at work. Cancel it first.")
	ErrTooManyImports = errs.New(errs.Invalid, "collection.too_many_imports", "The company has too many imports.")

	ErrFieldsChanged = errs.New(errs.Conflict, "collection.fields_changed",
		"The fields were changed during the export. Please export again.")
)
