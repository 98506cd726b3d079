package custommodules

import (
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// definition is a module as it is at one revision, ready to read and write records. It is never
// changed and may be used from several goroutines.
type definition struct {
	module   uuid.UUID
	revision int64
	// fields are ordered by number.
	fields   []*field
	keys     []string
	byKey    map[string]int
	byNumber map[string]int
	// schema is what a list of records may be asked for.
	schema list.Schema
}

// field is a field of a definition.
type field struct {
	id uuid.UUID
	// number names the field in documents: it is unique in its module and never used again, so
	// another key touches no record.
	number   string
	key      string
	spoken   string
	typ      fieldType
	values   valueType
	required bool
	// slot is the column that values are copied to, "" if the field has none; position is where it
	// stands among slots().
	slot     slot
	position int
	// stored and shown are the starts of the field's member in a document ("3":) and in a payload
	// ("price":).
	stored, shown []byte
}

// compile makes a field of a definition of its row. It fails on what a newer version of the service
// has written and this one does not know.
func (t types) compile(row fieldRow) (*field, error) {
	values, err := t.values(row.Type, row.Options)
	if err != nil {
		return nil, err
	}
	number := strconv.Itoa(row.Number)
	f := &field{
		id:       row.ID,
		number:   number,
		key:      row.Key,
		spoken:   spoken(row.Key),
		typ:      t[row.Type],
		values:   values,
		required: row.Required,
		stored:   []byte(`"` + number + `":`),
		shown:    append(quote(row.Key), ':'),
	}
	if row.Slot != nil {
		f.slot, f.position = *row.Slot, row.Slot.position()
	}
	if f.position < 0 {
		return nil, fmt.Errorf("this version does not know the slot %q", f.slot)
	}

	return f, nil
}

// newDefinition puts fields, ordered by number, together.
func newDefinition(module uuid.UUID, revision int64, fields []*field, on database.Dialect) *definition {
	d := &definition{
		module:   module,
		revision: revision,
		fields:   fields,
		byKey:    make(map[string]int, len(fields)),
		byNumber: make(map[string]int, len(fields)),
	}
	for i, f := range fields {
		d.keys = append(d.keys, f.key)
		d.byKey[f.key] = i
		d.byNumber[f.number] = i
	}
	d.schema = d.listSchema(on)

	return d
}

// field returns the field of a key, nil if there is none.
func (d *definition) field(key string) *field {
	if i, ok := d.byKey[key]; ok {
		return d.fields[i]
	}

	return nil
}
