package packs

// Naming are the options of a type of field that name other definitions: in a pack by key, in a company by
// id, as the option of the same name with _uuid at its end.
type Naming struct {
	// Module is the option that names a module, "" if none does.
	Module string
	// Fields are those that name fields of that module, Own those that name fields of the field's own module.
	Fields, Own []string
}

// IDSuffix is what the name of an option has at its end where it holds an id.
const IDSuffix = "_uuid"

// ReferenceOptions returns which options of a type name other definitions.
func ReferenceOptions(fieldType string) Naming {
	switch fieldType {
	case "reference":
		return Naming{Module: "module"}
	case "rollup":
		return Naming{Module: "module", Fields: []string{"reference", "field", "where_field"}}
	case "lookup":
		return Naming{Module: "module", Fields: []string{"field"}, Own: []string{"reference"}}
	default:
		return Naming{}
	}
}

// Text returns an option that is a text which is not empty.
func (f *Field) Text(option string) (string, bool) {
	var text string
	raw, given := f.Options[option]

	return text, given && DecodeJSON(raw, &text) && text != ""
}

// Set sets an option to a text.
func (f *Field) Set(option, text string) {
	f.Options[option] = EncodeJSON(text)
}
