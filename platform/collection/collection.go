// Package collection is the contract between what keeps rows and what works on rows of any kind: imports and
// exports, saved views, live changes.
//
// A collection is the rows of one kind of a company: a custom module's records, or an area's own table. It is
// known by its Name. An area contributes its collections, and everything that is written once against the
// contract then works for them:
//
//	collection.Type("loads.load", "Loads", collection.Scopes{}, (*service).loads)   // one, named by its item type
//	collection.Family((*service).collections)                                       // many, that companies define
//
//	c, err := collections.Open(ctx, "loads.load", collection.Read)
//	page, err := c.Page(ctx, uuid.Nil, in)
//
// Everything happens in the name of the caller, whose principal is in the context: what he may not see is not
// there. The Registry checks that his company uses the area and that he has the scope <area>:read or
// <area>:write; what is finer than scopes is the collection's to check.
package collection

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Name names a collection: the type of its items ("loads.load"), or the UUID of what a company has defined, in
// lower case and with hyphens.
type Name string

// Collection keeps the rows of one name. Its errors are *errs.Error where they are expected; that of a collection
// which is gone, or which the caller may not read, is ErrNotFound or has it as its cause.
type Collection interface {
	// Describe returns the fields as the caller sees them.
	Describe(ctx context.Context) (Description, error)
	// MayWrite returns nil if the caller may create and change rows now.
	MayWrite(ctx context.Context) error
	// Page reads a page of a list, by a saved view unless that is uuid.Nil. A query that is wrong is refused with errs.Invalid, by the keys of the query.
	Page(ctx context.Context, view uuid.UUID, in *list.Input) (Page, error)
	// Hold is Describe with the fields that the caller may write, and keeps the collection as it is until the
	// transaction in ctx ends. Its errors are those of MayWrite too.
	Hold(ctx context.Context) (Description, error)
	// Write writes rows in the transaction in ctx, each as if by itself and in this order; the outcomes are in
	// the same order. The source goes into the history and the events: "import:<uuid>". The error is of all.
	Write(ctx context.Context, source string, changes []Change) ([]Outcome, error)
	// Revert takes back what Write wrote with the same source, each by itself, and returns for each nil or why it
	// stays: a row that was changed since by others does. The error is of all.
	Revert(ctx context.Context, source string, written []Written) ([]error, error)
	// AffectsAllRows reports whether the error of one row would meet every other row too.
	AffectsAllRows(err error) bool
}

// Finder is a collection with fields that are Folded.
type Finder interface {
	// Holders returns the rows that have one of some values in such a field, by the field's id, and by what Same makes of the
	// values.
	Holders(ctx context.Context, field string, same []string) (map[string]uuid.UUID, error)
}

// Source keeps the collections that companies define.
type Source interface {
	// List returns those that the caller may read, in the order of their titles.
	List(ctx context.Context) ([]Info, error)
	// Open returns the collection of a UUID. Whether it is there, its methods say.
	Open(id uuid.UUID) Collection
}

// Info is what a list of collections shows.
type Info struct {
	Name Name
	// Area is the id of the area that keeps the rows.
	Area string
	// Title is what people call the rows together.
	Title string
}

// Description is a collection at one revision, as one caller sees it.
type Description struct {
	Info

	// Noun is what messages call such a collection: "module", "collection".
	Noun string
	// Under is where the values of the fields are in the JSON of a row: "payload", or "" for beside the uuid.
	Under string
	// NameKey is the key by which rows have the name of the collection: "module_uuid", or "".
	NameKey string
	// Part is what item.Class calls so, for what is kept about the collection; "" for a collection that everybody
	// with the scope sees.
	Part   string
	Fields []Field
	// Hidden are the ids of the fields that the caller does not see.
	Hidden []string
	// FreeKey reports whether a field can be added under a key, nil for a collection whose fields nobody adds.
	FreeKey func(key string) bool
	// Schema makes the JSON Schema of what creating takes, nil if there is none.
	Schema func() map[string]any
}

// Field is a field of a collection. What the functions take and return are values in JSON, as rows have them.
type Field struct {
	// ID stays when the key changes. It is never "uuid" or "version".
	ID string
	// Key is what the API calls the field, Label what people call it, Type the name of its type.
	Key, Label, Type string
	// About says what the values are, in a line.
	About string
	// Required and Unique are of the values. What is computed or read-only is not Settable, and what is Sensitive is
	// kept out of trails.
	Required, Unique, Settable, Sensitive bool

	// User says that values are ids of users. Names returns the item that a stored value names, nil for a field whose
	// values name none. Show writes a stored value as people call it, nil for Cell.
	User bool
	// Refers names the collection whose rows values name, "" for none. Title says that the field is what people call a row.
	Refers Name
	Title  bool
	Names  func(json []byte) (item.Ref, bool)
	Show   func(json []byte) string

	// Cell writes a stored value as a cell of a table.
	Cell func(json []byte) string
	// Append appends a stored value to JSON, as answers show it.
	Append func(to, json []byte) []byte
	// Read makes JSON of a cell. Its error says what would be right, to stand after "The year ".
	Read func(cell string) ([]byte, error)
	// Check brings what Read made into its normal form, with an error like Read's.
	Check func(json []byte) ([]byte, error)
	// Folded says that values which differ may be the same for unique, such as in case. The collection is then a Finder.
	Folded bool
	// List says that values are lists of objects, with the fields of Elements, whose keys are paths such as address.city; nil for others. Called are
	// other names of the elements in their order, separated by spaces: "origin pickup" for the first; Presets what members are where no cell says it,
	// "kind=pickup" for the first. Rows of a file that have the same value of the
	// field Gather make one row of the collection, each with an element; "" for none.
	List     bool
	Elements []Field
	Called   []string
	Presets  []string
	Gather   string
	// Same returns what a value, as Check returns it and not null, has in common with those that unique takes for
	// the same; "" for one that does not count.
	Same func(json []byte) string
}

// Page is a part of the rows.
type Page struct {
	Description Description
	Rows        []Row
	// Keys are those of fields= in the query, nil for all.
	Keys []string
	// Next is the cursor of the next page, "" for the last one.
	Next string
}

// Row is a row. Values are in the order of the description's fields, nil for none.
type Row struct {
	UUID                 uuid.UUID
	Version              int64
	CreatedAt, UpdatedAt time.Time
	// CreatedBy and UpdatedBy are users, nil for programs.
	CreatedBy, UpdatedBy *uuid.UUID
	Values               [][]byte
}

// Change asks for a row to be written.
type Change struct {
	// Values is a JSON object by the keys of fields.
	Values []byte
	// By is the key of the unique field that names the row to change, "" for none. A row that is not there is made.
	By string
	// Row is the row to change, or to make if it is not there; uuid.Nil for none.
	Row uuid.UUID
	// Version is the one that the row must have if it is there; 0 for any.
	Version int64
}

// Written is what became of a row.
type Written struct {
	Row uuid.UUID
	// Before and After are its versions; Before is 0 if it was made, and After if nothing changed.
	Before, After int64
}

// Outcome is what became of a change.
type Outcome struct {
	Written

	// Err is why nothing was written, nil if it was: an *errs.Error, which is about this change alone unless AffectsAllRows
	// says otherwise.
	Err error
}
