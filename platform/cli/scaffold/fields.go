package scaffold

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// DefaultFields are those of an area that names none.
const DefaultFields = "name:text!"

// fieldType is what the values of a field are in the struct, in the table and in a request.
type fieldType struct {
	// goType is for fields that are required, optional for others; the same if "".
	goType, optional string
	// column is its type, notNull says that fields that are not required have it NOT NULL too: no value is the empty text, or false.
	column  string
	notNull bool
	// tag has the bounds of the values, example one as JSON.
	tag, example string
}

var fieldTypes = map[string]fieldType{
	"text":      {goType: "string", column: `text COLLATE "C"`, notNull: true, tag: "max=100", example: `"First"`},
	"long_text": {goType: "string", column: "text", notNull: true, tag: "max=5000,nofilter", example: `"Some words."`},
	"integer":   {goType: "int64", optional: "*int64", column: "bigint", example: "3"},
	"boolean":   {goType: "bool", column: "boolean", notNull: true, example: "true"},
	"amount":    {goType: "money.Amount", column: "numeric", example: `"12.50"`},
	"date":      {goType: "field.Date", column: "date", example: `"2026-12-01"`},
	"datetime":  {goType: "time.Time", optional: "*time.Time", column: "timestamptz", example: `"2026-12-01T09:30:00Z"`},
	"email":     {goType: "field.Email", column: `text COLLATE "C"`, notNull: true, example: `"ann@example.com"`},
	"phone":     {goType: "field.Phone", column: `text COLLATE "C"`, notNull: true, example: `"+12025550143"`},
	"url":       {goType: "field.URL", column: `text COLLATE "C"`, notNull: true, example: `"https://example.com/"`},
	"vin":       {goType: "field.VIN", column: `text COLLATE "C"`, notNull: true, example: `"1M8GDM9AXKP042788"`},
}

// field is a field of the new area as the templates take it.
type field struct {
	// Key is its key in JSON, Column that in the table, Name that in the struct.
	Key, Column, Name, GoType string
	// Tags are those of the struct, SQL is the type of the column.
	Tags, SQL string
	// Example is a value as JSON, "" for a reference.
	Example string
	// Item is the type of the items that it refers to, "" for none.
	Item string
}

var (
	validField = regexp.MustCompile(`^([a-z][a-z0-9_]{0,39}):([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?)(!?)$`)
	// rowKeys are those that every row has, and words that SQL keeps for itself.
	rowKeys = []string{
		"uuid", "id", "version", "created_at", "created_by", "updated_at", "updated_by", "deleted_at", "custom", "expanded", "company_id",
		"all", "and", "as", "check", "column", "default", "desc", "end", "from", "group", "in", "limit", "not", "null", "on", "or", "order", "select", "table", "to", "user",
		"when", "where",
	}
	initialisms = map[string]string{"vin": "VIN", "url": "URL", "id": "ID", "zip": "ZIP", "usdot": "USDOT", "sms": "SMS", "pdf": "PDF"}
)

// parseFields reads fields such as "code:text! spot:yard.spot": keys with types or the types of items, and an exclamation mark
// behind what is required. The first required text is the title.
func parseFields(text string) ([]field, error) {
	var all []field
	titled := false
	for word := range strings.FieldsSeq(text) {
		parts := validField.FindStringSubmatch(word)
		if parts == nil {
			return nil, fmt.Errorf("field %q: want key:type, such as code:text! (required), odometer:integer or spot:yard.spot", word)
		}
		made, err := newField(parts[1], parts[2], parts[3] == "!", !titled)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", word, err)
		}
		titled = titled || parts[2] == "text" && parts[3] == "!"
		if slices.ContainsFunc(all, func(f field) bool { return f.Key == made.Key || f.Column == made.Column }) {
			return nil, fmt.Errorf("field %q: there are two of that name", word)
		}
		all = append(all, made)
	}
	if !titled {
		return nil, errors.New("fields: one must be a required text, such as name:text!, by which people know the item")
	}

	return all, nil
}

func newField(key, typ string, required, first bool) (field, error) {
	if slices.Contains(rowKeys, key) {
		return field{}, errors.New("every row, or SQL, has that name already; choose another one")
	}
	if strings.Contains(typ, ".") {
		if required {
			return field{}, errors.New("a reference is made required in the struct, once the test makes an item for it")
		}

		return field{
			Key: key + "_uuid", Column: key + "_id", Name: goName(key), GoType: "*uuid.UUID", Item: typ, SQL: "uuid",
			Tags: fmt.Sprintf(`json:"%[1]s_uuid" gorm:"column:%[1]s_id" field:"item=%[2]s,on_delete=clear"`, key, typ),
		}, nil
	}
	t, known := fieldTypes[typ]
	if !known {
		return field{}, fmt.Errorf("there is no type %q: want an item type such as yard.spot, or one of %s", typ,
			strings.Join(slices.Sorted(maps.Keys(fieldTypes)), ", "))
	}
	words := []string{}
	made := field{Key: key, Column: key, Name: goName(key), GoType: t.goType, SQL: t.column, Example: t.example}
	if required && typ != "boolean" {
		words = append(words, "required")
	} else if t.optional != "" {
		made.GoType = t.optional
	}
	if t.tag != "" {
		words = append(words, t.tag)
	}
	if required && typ == "text" && first {
		words = append(words, "unique,sort,search,title")
	}
	made.Tags = fmt.Sprintf(`json:"%s"`, key)
	if len(words) > 0 {
		made.Tags += fmt.Sprintf(` field:"%s"`, strings.Join(words, ","))
	}
	if t.notNull || required {
		made.SQL += " NOT NULL"
	}

	return made, nil
}

// Words are the key as people read it.
func (f field) Words() string { return strings.ReplaceAll(f.Key, "_", " ") }

// goName is a key as Go has it: UnitNumber for unit_number.
func goName(key string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(key, "_") {
		switch upper := initialisms[word]; {
		case upper != "":
			name.WriteString(upper)
		case word != "":
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}

	return name.String()
}

// imports are those of the struct's file, by groups.
func (p plan) imports() (standard, others []string) {
	uses := func(prefix string) bool {
		return slices.ContainsFunc(p.Fields, func(f field) bool { return strings.HasPrefix(strings.TrimPrefix(f.GoType, "*"), prefix+".") })
	}
	if uses("time") {
		standard = append(standard, "time")
	}
	if uses("uuid") {
		standard = append(standard, "github.com/google/uuid")
	}
	for _, name := range []string{"field", "money"} {
		if uses(name) {
			others = append(others, home+"/platform/"+name)
		}
	}

	return standard, append(others, home+"/platform/resource")
}

// Imports is the import declaration of the struct's file.
func (p plan) Imports() string {
	standard, others := p.imports()
	if len(standard)+len(others) == 1 {
		return `import "` + others[0] + `"`
	}
	var text strings.Builder
	text.WriteString("import (\n")
	for _, name := range standard {
		text.WriteString("\t\"" + name + "\"\n")
		if name == "time" && len(standard) > 1 {
			text.WriteString("\n")
		}
	}
	if len(standard) > 0 {
		text.WriteString("\n")
	}
	for _, name := range others {
		text.WriteString("\t\"" + name + "\"\n")
	}

	return text.String() + ")"
}

// TitleField is the field by which people know an item.
func (p plan) TitleField() field {
	return p.Fields[slices.IndexFunc(p.Fields, func(f field) bool { return strings.Contains(f.Tags, ",title") })]
}

// Body is the body of a request that makes an item, with another value for the title.
func (p plan) Body(title string) string {
	members := make([]string, 0, len(p.Fields))
	for _, f := range p.Fields {
		value := f.Example
		if f.Key == p.TitleField().Key {
			value = `"` + title + `"`
		}
		if value != "" {
			members = append(members, fmt.Sprintf("%q: %s", f.Key, value))
		}
	}

	return "{" + strings.Join(members, ", ") + "}"
}
