package custommodules

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// fieldType is everything about one type of field. A new type is one file with a function that
// returns one, and one line in fieldTypes.
type fieldType struct {
	// name is what a definition calls the type: "vin".
	name typeName
	// about says in one sentence what the values are, for the documentation of the API.
	about string
	// slot is where an indexed value is copied to; "" for values that cannot be indexed.
	slot slotKind
	// alwaysIndexed gives a field a slot, while there are any, without being asked.
	alwaysIndexed bool
	// filter decides the operators of a filter. It is "" for values that cannot be filtered.
	filter list.Kind
	// operators narrows those of the filter; nil is all of them. Whether there is a value can be
	// asked of every type that has a filter.
	operators []list.Operator
	// sortable says whether records can be sorted by the values.
	sortable bool
	// inside names the part that is compared, where values are objects.
	inside string
	// number says that what is compared is a number in JSON, which SQLite would read inexactly.
	number bool
	// facets are what of values that are objects can be filtered by on its own.
	facets []facet
	// options returns the options of a field of this type, at their defaults. They are decoded
	// over it, and then handle the values of that one field.
	options func() valueType
}

// fieldTypes are the types that a field can have, in the order in which people read of them.
func fieldTypes(s settings) []fieldType {
	return []fieldType{
		textType(),
		longTextType(s.MaxTextLength),
		integerType(),
		decimalType(),
		booleanType(),
		dateType(),
		localDatetimeType(),
		datetimeType(),
		timeOfDayType(),
		choiceType(),
		choicesType(),
		emailType(),
		phoneType(),
		webAddressType(),
		jsonType(),
		userType(),
		referenceType(),
		addressType(),
		geoPointType(),
		vinType(),
		usdotNumberType(),
		mcNumberType(),
		scacType(),
		equipmentType(),
		weightType(),
		lengthType(),
		autoNumberType(),
		formulaType(),
		rollupType(),
		itemType(),
		fileType(),
	}
}

// valueType handles the values of one field. It is at the same time the options of the field: what
// JSON makes of it is stored, shown, and decoded again.
type valueType interface {
	// check reports options that make no sense, as an optionError. It may complete and normalise
	// the others, and makes ready what parse needs of them.
	check() error
	// parse checks a JSON value, which is valid and not null, and brings it into its one normal
	// form. Its error is a valueError.
	parse(raw []byte) (value, error)
	// comparable reads what a filter compares with, in the form of value.key. Its error is a
	// valueError.
	comparable(text string) (any, error)
	// schema is the JSON Schema of a value whose text is in normalization form C. It may allow more
	// than parse, never less.
	schema() map[string]any
	// csv writes a value, in its normal form and not null, as a cell of a table.
	csv(json []byte) string
	// fromCSV reads a cell into JSON that parse may or may not take. An empty cell is null, so an
	// empty text does not come back. It takes what csv writes. Its error is a valueError.
	fromCSV(cell string) ([]byte, error)
}

// partial is a valueType whose filters look for parts of a text. Others look for them in Unicode
// normalization form C.
type partial interface {
	// part brings a part of a value into the form that it has in values. Its error is a valueError.
	part(text string) (string, error)
}

// keeping is a valueType that takes from a record what it has already, though it would not take it
// anew.
type keeping interface {
	// parseOver is parse where before, in its normal form and not null, is the present value.
	parseOver(raw, before []byte) (value, error)
}

// naming is a valueType whose values name users of the company. The key of such a value is the
// user's id.
type naming interface {
	namesUser()
}

// referring is a valueType whose values point at records of another module. The key of such a
// value is the record's id.
type referring interface {
	target() uuid.UUID
}

// value is a value in its normal form.
type value struct {
	// json is what the document holds and answers show.
	json []byte
	// key is what is compared and what an indexed field copies into its slot: a string for text,
	// for a number without exponent, and for a date or time as the document has it; a bool; or a
	// uuid.UUID. nil is none.
	key any
	// warning is what is doubtful about a value that was taken all the same, in the words of a
	// valueError.
	warning string
}

// valueError says what is wrong with a value, so that "The year " may stand before it.
type valueError string

// Error implements error.
func (e valueError) Error() string { return string(e) }

// optionError says what is wrong with an option of a field, a whole sentence.
type optionError struct{ option, problem string }

// Error implements error.
func (e optionError) Error() string { return e.problem }
