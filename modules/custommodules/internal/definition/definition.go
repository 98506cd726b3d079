// Package definition knows the modules that companies define as they are kept, and as they are ready to read and write records:
// fields and their types, permissions, payloads, formulas, and what lists can be asked for. It reads no database.
package definition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Definition is a module as it is at one revision, ready to read and write records. It is never
// changed and may be used from several goroutines.
type Definition struct {
	Module   uuid.UUID
	Name     string
	Revision int64
	// archived says that records neither come nor change.
	Archived bool
	// overflowed says that the module has or had fields whose values are in custom_modules_index.
	Overflowed bool
	// titleField is the one whose value people call a record by, nil for the first text.
	titleField *ModuleField
	// fields are ordered by number.
	Fields   []*ModuleField
	Keys     []string
	byKey    map[string]int
	ByNumber map[string]int
	// schema is what a list of records may be asked for.
	Schema  list.Schema
	dialect database.Dialect
	// permissions are those of the module.
	Permissions Permissions
	// arriving are the positions of incoming fields; replacing says that some have replaced others.
	arriving []int
	// mirrors are the positions of the fields of a struct that formulas read.
	Mirrors   []int
	replacing bool
	// public is the definition without the fields that nobody sees, nil if it has none.
	Public *Definition
	// open is the definition without its sensitive fields, nil if it has none; see SeenBy.
	Open *Definition
	// withheld are the keys of the fields that are left out of this definition.
	Withheld []string
	// hidden are their ids.
	hidden []uuid.UUID
	// programs are the formulas, each after those that it uses.
	Programs []program
	// watches are the references of which others compute rollups.
	Watches []watch
	// lookups are the fields that have the values of records which others name, LookedUp what others look up of the module's.
	Lookups  []LookedAt
	LookedUp []LookedUp
	// PresetsByDate says that the default of some field is counted from the present.
	PresetsByDate bool
	// rolling says that some rollup or lookup has yet to be computed for records that were there before it.
	Rolling bool
}

// ModuleField is a field of a definition.
type ModuleField struct {
	ID uuid.UUID
	// number names the field in documents: it is unique in its module and never used again, so
	// another key touches no record.
	Number   string
	Key      string
	Label    string
	Spoken   string
	Typ      field.Type
	Values   field.Values
	required bool
	// unique says that no two records have the same value; ReadOnly that callers do not set it.
	Unique, ReadOnly bool
	// checking says that the values of the field are yet to be compared with each other.
	Checking bool
	// arrival is from where an incoming field has its values, nil for all others. Nobody sees the field.
	Arrival *arrival
	// mirror says that the field is one of the struct of an area's row, of whose value records have a copy: see mirror.
	mirror bool
	// scope is what the values of a mirror require beside the scope of the rows, "" for nothing.
	scope string
	// formers are the fields that this one has replaced, the latest first.
	formers []*former
	// sensitive says that the values are for those who have the scope; see SeenBy.
	Sensitive bool
	// preset is the value of a new record that does not mention the field, nil if there is none.
	preset []byte
	// presetMoment is the default that is counted from the present, nil for another; presetMe says that the default is who
	// makes the record.
	presetMoment *calendar.Moment
	presetMe     bool
	// slot is where values are copied to, "" if they are not; position is where it stands among slots(),
	// -1 if it overflows.
	Slot     Slot
	Position int
	Overflow bool
	// indexed says that the slot has the values of all records, so that queries may go by it.
	Indexed bool
	// searchable says that records are found by the words of the field, SearchReady that all are.
	Searchable, SearchReady bool
	// stored and shown are the starts of the field's member in a document ("3":) and in a payload
	// ("price":).
	Stored, Shown []byte
}

// Compile makes a field of a definition of its row. It fails on what a newer version of the service
// has written and this one does not know.
func (t Types) Compile(row FieldRow) (*ModuleField, error) {
	values, err := t.Values(row.Type, row.Options)
	if err != nil {
		return nil, err
	}
	number := strconv.Itoa(row.Number)
	f := &ModuleField{
		ID:        row.ID,
		Number:    number,
		Key:       row.Key,
		Label:     row.Label,
		Spoken:    row.displayName(),
		Typ:       t[row.Type].Shaped(values),
		Values:    values,
		required:  row.Required,
		Unique:    row.IsUnique,
		ReadOnly:  row.ReadOnly,
		Sensitive: row.Sensitive,
		Stored:    []byte(`"` + number + `":`),
		Shown:     append(rawjson.Quote(row.Key), ':'),
	}
	f.Checking = row.Checking
	f.Searchable, f.SearchReady = row.Searchable, row.SearchReady
	if row.DefaultValue != nil {
		f.preset = *row.DefaultValue
	}
	f.relate()
	if row.Slot != nil {
		f.Slot, f.Position, f.Indexed = *row.Slot, row.Slot.Position(), row.SlotReady
		f.Overflow = f.Slot.Overflows()
	}
	if f.Position < 0 && (!f.Overflow || !slices.Contains(field.Indexes, f.Slot.Kind())) {
		return nil, fmt.Errorf("this version does not know the slot %q", f.Slot)
	}

	return f, nil
}

// displayName is what messages call the field: by its label, unless that was made of the key.
func (f FieldRow) displayName() string {
	if f.Label == "" || f.Label == naming.Label(f.Key) {
		return naming.Spaced(f.Key)
	}

	return f.Label
}

// NewDefinition puts fields, ordered by number, together.
func NewDefinition(module uuid.UUID, revision int64, fields []*ModuleField, on database.Dialect) *Definition {
	d := &Definition{
		Module:   module,
		Revision: revision,
		Fields:   fields,
		byKey:    make(map[string]int, len(fields)),
		ByNumber: make(map[string]int, len(fields)),
		dialect:  on,
	}
	for i, f := range fields {
		d.ByNumber[f.Number] = i
		d.replacing = d.replacing || len(f.formers) > 0
		d.PresetsByDate = d.PresetsByDate || f.presetMoment != nil
		switch {
		case f.Arrival != nil:
			d.arriving = append(d.arriving, i)

			continue
		case f.mirror:
			d.Mirrors = append(d.Mirrors, i)

			continue
		}
		d.Keys = append(d.Keys, f.Key)
		d.byKey[f.Key] = i
	}
	d.Schema = d.listSchema(on).Prepared()
	d.Programs, _ = CompileFormulas(fields)
	d.withhold()

	return d
}

// Field returns the field of a key, nil if there is none.
func (d *Definition) Field(key string) *ModuleField {
	if i, ok := d.byKey[key]; ok {
		return d.Fields[i]
	}

	return nil
}

// FieldByID returns a field, or the one that has taken its place; nil if there is none.
func (d *Definition) FieldByID(id uuid.UUID) *ModuleField {
	for _, f := range d.Fields {
		if f.ID == id || slices.ContainsFunc(f.formers, func(was *former) bool { return was.field.ID == id }) {
			return f
		}
	}

	return nil
}

// OnDelete is what becomes of the field when the record that it points at is deleted.
func (f *ModuleField) OnDelete() OnDelete {
	if r, ok := f.Values.(*Reference); ok && r.OnDelete != "" {
		return r.OnDelete
	}

	return Restrict
}

// Describe takes what the module itself says.
func (d *Definition) Describe(row ModuleRow) {
	d.Name, d.Archived, d.Permissions, d.Overflowed = row.Name, row.ArchivedAt != nil, row.Permissions, row.overflowed()
	if row.TitleField != nil {
		d.titleField = d.FieldByID(*row.TitleField)
	}
	for _, part := range []*Definition{d.Public, d.Open} {
		if part != nil {
			part.Describe(row)
		}
	}
}

// Title returns what the title field of a document has, without one its first short text, on one line.
func (d *Definition) Title(document []byte) string {
	for _, f := range d.Fields {
		if d.titleField != nil && f != d.titleField || d.titleField == nil && f.Typ.Index != field.TextIndex {
			continue
		}
		text, _ := f.Comparand(document)
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			runes := []rune(text)

			return string(runes[:min(len(runes), longestTitle)])
		}
	}

	return ""
}

// FieldAmong returns the field of an id, nil if there is none.
func FieldAmong(fields []*ModuleField, id *uuid.UUID) *ModuleField {
	for _, f := range fields {
		if id != nil && f.ID == *id {
			return f
		}
	}

	return nil
}

// ValueIn returns the value of a field in a payload, nil if it has none.
func (d *Definition) ValueIn(payload []byte, f *ModuleField) []byte {
	for name, raw := range rawjson.Members(payload) {
		if i, ok := d.find(name); ok && d.Fields[i] == f {
			return raw
		}
	}

	return nil
}

// UniqueKeys are the keys of the fields by which a record can be named.
func (d *Definition) UniqueKeys() []string {
	var keys []string
	for _, f := range d.Fields {
		if f.Unique && !f.Checking && f.Arrival == nil {
			keys = append(keys, f.Key)
		}
	}
	slices.Sort(keys)

	return keys
}

// Referring are the fields of a definition that refer to records.
func (d *Definition) Referring() []uuid.UUID {
	var ids []uuid.UUID
	for _, f := range d.Fields {
		if f.Refers() {
			ids = append(ids, f.ID)
		}
	}

	return ids
}
