package field

import (
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Type is everything about one type of field. A new type is one file with a function that
// returns one, and one line in Types.
type Type struct {
	// Name is what a definition calls the type: "vin".
	Name string
	// About says in one sentence what the values are, for the documentation of the API.
	About string
	// Index is where an indexed value is copied to; "" for values that cannot be indexed.
	Index Index
	// AlwaysIndexed gives a field a slot, while there are any, without being asked.
	AlwaysIndexed bool
	// Filter decides the operators of a filter. It is "" for values that cannot be filtered.
	Filter kind.Kind
	// Operators narrows those of the filter; nil is all of them. Whether there is a value can be
	// asked of every type that has a filter.
	Operators []list.Operator
	// Sortable says whether records can be sorted by the values.
	Sortable bool
	// Inside names the part that is compared, where values are objects.
	Inside string
	// Number says that what is compared is a number in JSON, which SQLite would read inexactly.
	Number bool
	// Facets are what of values that are objects can be filtered by on its own.
	Facets []Facet
	// New returns the options of a field of this type, at their defaults. They are decoded
	// over it, and then handle the values of that one field.
	New func() Values
}

// Values handles the values of one field. It is at the same time the options of the field: what
// JSON makes of it is stored, shown, and decoded again.
type Values interface {
	// Check reports options that make no sense, as an OptionError. It may complete and normalise
	// the others, and makes ready what Parse needs of them.
	Check() error
	// Parse checks a JSON value, which is valid and not null, and brings it into its one normal
	// form. Its error is an Error.
	Parse(raw []byte) (Value, error)
	// Comparable reads what a filter compares with, in the form of Value.Key. Its error is an
	// Error.
	Comparable(text string) (any, error)
	// Schema is the JSON Schema of a value whose text is in normalization form C. It may allow more
	// than Parse, never less.
	Schema() map[string]any
	// CSV writes a value, in its normal form and not null, as a cell of a table.
	CSV(json []byte) string
	// FromCSV reads a cell into JSON that Parse may or may not take. An empty cell is null, so an
	// empty text does not come back. It takes what CSV writes. Its error is an Error.
	FromCSV(cell string) ([]byte, error)
}

// PartSearcher is a Values whose filters look for parts of a text. Others look for them in Unicode
// normalization form C.
type PartSearcher interface {
	// Part brings a part of a value into the form that it has in values. Its error is an Error.
	Part(text string) (string, error)
}

// Folder is a Values some of whose keys are the same where no two records may have one value.
type Folder interface {
	// Folded returns what the same keys have in common.
	Folded(key string) string
}

// Keeper is a Values that takes from a record what it has already, though it would not take it
// anew.
type Keeper interface {
	// ParseOver is Parse where before, in its normal form and not null, is the present value.
	ParseOver(raw, before []byte) (Value, error)
}

// UserNamer is a Values whose values name users of the company. The key of such a value is the
// user's id.
type UserNamer interface {
	NamesUser()
}

// Value is a value in its normal form.
type Value struct {
	// JSON is what the document holds and answers show.
	JSON []byte
	// Key is what is compared and what an indexed field copies into its slot: a string for text,
	// for a number without exponent, and for a date or time as the document has it; a bool; or a
	// uuid.UUID. nil is none.
	Key any
	// Warning is what is doubtful about a value that was taken all the same, in the words of an
	// Error.
	Warning string
}

// Error says what is wrong with a value, so that "The year " may stand before it.
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// Predicate is what an answer says after the name of the value.
func (e Error) Predicate() string { return string(e) }

// OptionError says what is wrong with an option of a field, a whole sentence.
type OptionError struct{ Option, Problem string }

// Error implements error.
func (e OptionError) Error() string { return e.Problem }

// Shaper is a Values whose options decide what the values are. What it returns stands for the type of
// the field.
type Shaper interface{ Shaped(t Type) Type }

// Computed is a Values whose values nobody sets.
type Computed interface{ Computed() }

// ItemKind says what the values are in JSON, to those who know items alone.
func (t Type) ItemKind() kind.Kind {
	if t.Filter == kind.UUID && t.Inside != "" {
		return kind.Reference
	}

	return t.Filter.JSON()
}

// Empty reports whether a value does not count as one for a required field: text of which nothing can be seen is none.
func (v Value) Empty() bool {
	text, is := v.Key.(string)

	return v.Key == nil || is && !strings.ContainsFunc(text, func(r rune) bool { return !naming.IsInvisible(r) })
}

// Offering is a Values of which people choose among options.
type Offering interface{ Offers() Choices }

// Types are the types whose values mean the same wherever they stand, in the order in which people read of them. A value
// of the type long_text has at most maxText characters.
func Types(maxText int) []Type {
	return []Type{
		TextType(),
		longTextType(maxText),
		IntegerType(),
		DecimalType(),
		BooleanType(),
		DateType(),
		LocalDatetimeType(),
		DatetimeType(),
		timeType,
		selectType,
		multiSelectType,
		emailType(),
		phoneType(),
		urlType(),
		jsonType,
		userType,
		addressType(),
		geoPointType(),
		vinType,
		usdotType(),
		mcType,
		scacType(),
		equipmentType,
		weightType(),
		lengthType(),
		itemType,
		fileType,
	}
}

// Index is a sort of typed column, beside the document with the values of a thing, that an indexed value is
// copied to.
type Index string

// The kinds of indexes.
const (
	// TextIndex compares bytes, which for UTF-8 is the order of code points.
	TextIndex Index = "text"
	// NumericIndex is exact: numeric on PostgreSQL, text in the order of numbers on SQLite.
	NumericIndex Index = "numeric"
	// TimeIndex holds a date, or a date and time, without a zone.
	TimeIndex Index = "time"
	// BoolIndex holds true or false.
	BoolIndex Index = "bool"
	// UUIDIndex holds the id of a user, a record or another thing.
	UUIDIndex Index = "uuid"
)

// Indexes are all kinds, in one order.
var Indexes = []Index{TextIndex, NumericIndex, TimeIndex, BoolIndex, UUIDIndex}

// named are the operators of values that are names for something: their order says nothing.
var named = []list.Operator{list.Equal, list.NotEqual, list.In, list.NotIn}

// searchOperators are those of names that people look for by a part.
func searchOperators() []list.Operator { return append(named, list.Like, list.Starts) }

// present are the operators of values that are there or not, and are not compared.
var present = []list.Operator{list.Null}
