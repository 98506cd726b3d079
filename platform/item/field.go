package item

// Class is a sort of items that have the same fields: a type, and where items of one type differ in
// their fields, a part of it. The records of one module are a class. Classes can be compared.
type Class struct {
	Type string `json:"type"`
	// Part is "" where all items of the type have the same fields.
	Part string `json:"part,omitempty"`
}

// Field is something that items of a class have a value for.
type Field struct {
	// Key is what Values calls the field.
	Key string `json:"key"`
	// Label is what people call it.
	Label string    `json:"label"`
	Kind  FieldKind `json:"kind"`
	// Sensitive says that the values are for few eyes. Whoever shows or sends values to others asks
	// twice; the type itself withholds them from callers who may not see them.
	Sensitive bool `json:"sensitive,omitempty"`
}

// FieldKind says what the values of a field are, so that they can be shown and compared by those
// who do not know the type.
type FieldKind string

// The kinds of fields, with the JSON that a value is.
const (
	Text      FieldKind = "text"           // a string
	Integer   FieldKind = "integer"        // a number without a fraction
	Decimal   FieldKind = "decimal"        // a string: "12.50"
	Boolean   FieldKind = "boolean"        // true or false
	Date      FieldKind = "date"           // a string: "2026-09-22"
	Time      FieldKind = "time"           // a string, RFC 3339 in UTC
	LocalTime FieldKind = "local_datetime" // a string: "2026-09-22 10:00:00"
	Reference FieldKind = "reference"      // an object that names another item
	Object    FieldKind = "object"         // any other object or array
)
