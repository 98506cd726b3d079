// Package exchange takes the records of custom modules out as streams, and in from CSV files: with a dry
// run, row by row reports, and a way back.
//
// It owns the tables custom_modules_imports and custom_modules_import_chunks. What a record is, who may
// see it and how it is written is the area's; see Reader and Writer.
package exchange

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// Reader reads the modules and records of a company as the caller sees them.
type Reader interface {
	// Table returns the fields of a module. The error is that of the area for a module which is not
	// there, or which the caller may not read.
	Table(ctx context.Context, module uuid.UUID) (Table, error)
	// MayWrite returns nil if the caller may write records of the module, and it is not archived.
	MayWrite(ctx context.Context, module uuid.UUID) error
	// Page reads a page of what a query of the list of records finds, by a view unless that is uuid.Nil.
	Page(ctx context.Context, module, view uuid.UUID, in *list.Input) (Page, error)
}

// Writer writes records in the transaction in the context, as the caller.
type Writer interface {
	// Hold returns the fields of a module that the caller may write, and keeps the module as it is until
	// the transaction ends. Its errors are those of a module that is gone, archived or not the caller's.
	Hold(ctx context.Context, module uuid.UUID) (Table, error)
	// PutAll writes records, each as if by itself and in this order. Source goes into the history and the
	// events: "import:<uuid>". It returns for each what became of it, or an *errs.Error, which is about this
	// record alone unless Halts says otherwise. The last error is of all.
	PutAll(ctx context.Context, module uuid.UUID, source string, puts []Put) ([]Written, []error, error)
	// Revert takes back what PutAll wrote, each by itself, and returns for each nil or why it stays.
	Revert(ctx context.Context, module uuid.UUID, source string, written []Written) ([]error, error)
	// Halts reports whether an error of PutAll or Revert would meet every other record too.
	Halts(err error) bool
}

// Table is the fields of a module at one revision.
type Table struct {
	Module  uuid.UUID
	Name    string
	Columns []Column
	// Hidden are the fields that the caller does not see.
	Hidden []uuid.UUID
}

// Column is a field of a module.
type Column struct {
	Field            uuid.UUID
	Key, Label, Type string
	// About says what the values are.
	About string
	// Required and Unique are of the field. Settable is not true of what is computed or read-only.
	Required, Unique, Settable bool

	// Cell writes a stored value as a cell.
	Cell func(json []byte) string
	// Append appends a stored value to JSON.
	Append func(to, json []byte) []byte
	// Read makes JSON of a cell. Its error says what would be right, to stand after "The year ".
	Read func(cell string) ([]byte, error)
	// Check brings what Read made into its normal form, with an error like Read's.
	Check func(json []byte) ([]byte, error)
}

// same reports whether two columns hold values of the same kind under the same name.
func (c Column) same(other Column) bool {
	return c.Field == other.Field && c.Key == other.Key && c.Type == other.Type
}

// Page is a part of the records of a module.
type Page struct {
	Table Table
	Rows  []Row
	// Fields are the keys of fields=, nil for all.
	Fields []string
	// Next is the cursor of the next page, "" for the last one.
	Next string
}

// Row is a record. Values are in the order of the table's columns, nil for none.
type Row struct {
	UUID                 uuid.UUID
	Version              int64
	CreatedAt, UpdatedAt time.Time
	Values               [][]byte
}

// Put asks for a record to be written.
type Put struct {
	// Payload is a JSON object by the keys of fields.
	Payload []byte
	// By is the key of the unique field that names the record to change, "" for none.
	By string
	// Record is the record to change, or to make if it is not there; uuid.Nil for none.
	Record uuid.UUID
	// Version is the one that the record must have if it is there; 0 for any.
	Version int64
}

// Written is what became of a record.
type Written struct {
	Record uuid.UUID
	// Before and After are its versions; Before is 0 if it was made, and After if nothing changed.
	Before, After int64
}
