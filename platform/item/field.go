package item

import "github.com/dispatchd/dispatchd/platform/kind"

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
	Label string `json:"label"`
	// Kind says what the values are in JSON: an id is a text.
	Kind kind.Kind `json:"kind"`
	// Sensitive says that the values are for few eyes. Whoever shows or sends values to others asks
	// twice; the type itself withholds them from callers who may not see them.
	Sensitive bool `json:"sensitive,omitempty"`
	// Scope is the scope beside that of the items which the values of a sensitive field require, "" if it is <area>:sensitive.
	Scope string `json:"-"`
}
