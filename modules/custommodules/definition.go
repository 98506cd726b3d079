package custommodules

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// definition is a module as it is at one revision, ready to read and write records. It is never
// changed and may be used from several goroutines.
type definition struct {
	module   uuid.UUID
	name     string
	revision int64
	// archived says that records neither come nor change.
	archived bool
	// overflowed says that the module has or had fields whose values are in custom_modules_index.
	overflowed bool
	// titleField is the one whose value people call a record by, nil for the first text.
	titleField *moduleField
	// fields are ordered by number.
	fields   []*moduleField
	keys     []string
	byKey    map[string]int
	byNumber map[string]int
	// schema is what a list of records may be asked for.
	schema  list.Schema
	dialect database.Dialect
	// permissions are those of the module.
	permissions permissions
	// arriving are the positions of incoming fields; replacing says that some have replaced others.
	arriving []int
	// mirrors are the positions of the fields of a struct that formulas read.
	mirrors   []int
	replacing bool
	// public is the definition without the fields that nobody sees, nil if it has none.
	public *definition
	// open is the definition without its sensitive fields, nil if it has none; see seenBy.
	open *definition
	// withheld are the keys of the fields that are left out of this definition.
	withheld []string
	// hidden are their ids.
	hidden []uuid.UUID
	// programs are the formulas, each after those that it uses.
	programs []program
	// watches are the references of which others compute rollups.
	watches []watch
	// lookups are the fields that have the values of records which others name, lookedUp what others look up of the module's.
	lookups  []lookedAt
	lookedUp []lookedUp
	// presetsByDate says that the default of some field is counted from the present.
	presetsByDate bool
	// rolling says that some rollup or lookup has yet to be computed for records that were there before it.
	rolling bool
}

// moduleField is a field of a definition.
type moduleField struct {
	id uuid.UUID
	// number names the field in documents: it is unique in its module and never used again, so
	// another key touches no record.
	number   string
	key      string
	label    string
	spoken   string
	typ      field.Type
	values   field.Values
	required bool
	// unique says that no two records have the same value; readOnly that callers do not set it.
	unique, readOnly bool
	// checking says that the values of the field are yet to be compared with each other.
	checking bool
	// arrival is from where an incoming field has its values, nil for all others. Nobody sees the field.
	arrival *arrival
	// mirror says that the field is one of the struct of an area's row, of whose value records have a copy: see mirror.
	mirror bool
	// formers are the fields that this one has replaced, the latest first.
	formers []*former
	// sensitive says that the values are for those who have the scope; see seenBy.
	sensitive bool
	// preset is the value of a new record that does not mention the field, nil if there is none.
	preset []byte
	// presetMoment is the default that is counted from the present, nil for another; presetMe says that the default is who
	// makes the record.
	presetMoment *calendar.Moment
	presetMe     bool
	// slot is where values are copied to, "" if they are not; position is where it stands among slots(),
	// -1 if it overflows.
	slot     slot
	position int
	overflow bool
	// indexed says that the slot has the values of all records, so that queries may go by it.
	indexed bool
	// searchable says that records are found by the words of the field, searchReady that all are.
	searchable, searchReady bool
	// stored and shown are the starts of the field's member in a document ("3":) and in a payload
	// ("price":).
	stored, shown []byte
}

// compile makes a field of a definition of its row. It fails on what a newer version of the service
// has written and this one does not know.
func (t types) compile(row fieldRow) (*moduleField, error) {
	values, err := t.values(row.Type, row.Options)
	if err != nil {
		return nil, err
	}
	number := strconv.Itoa(row.Number)
	f := &moduleField{
		id:        row.ID,
		number:    number,
		key:       row.Key,
		label:     row.Label,
		spoken:    row.spoken(),
		typ:       t[row.Type].Shaped(values),
		values:    values,
		required:  row.Required,
		unique:    row.IsUnique,
		readOnly:  row.ReadOnly,
		sensitive: row.Sensitive,
		stored:    []byte(`"` + number + `":`),
		shown:     append(rawjson.Quote(row.Key), ':'),
	}
	f.checking = row.Checking
	f.searchable, f.searchReady = row.Searchable, row.SearchReady
	if row.DefaultValue != nil {
		f.preset = *row.DefaultValue
	}
	f.relate()
	if row.Slot != nil {
		f.slot, f.position, f.indexed = *row.Slot, row.Slot.position(), row.SlotReady
		f.overflow = f.slot.overflows()
	}
	if f.position < 0 && (!f.overflow || !slices.Contains(field.Indexes(), f.slot.kind())) {
		return nil, fmt.Errorf("this version does not know the slot %q", f.slot)
	}

	return f, nil
}

// spoken is what messages call the field: by its label, unless that was made of the key.
func (f fieldRow) spoken() string {
	if f.Label == "" || f.Label == naming.Label(f.Key) {
		return naming.Spoken(f.Key)
	}

	return f.Label
}

// newDefinition puts fields, ordered by number, together.
func newDefinition(module uuid.UUID, revision int64, fields []*moduleField, on database.Dialect) *definition {
	d := &definition{
		module:   module,
		revision: revision,
		fields:   fields,
		byKey:    make(map[string]int, len(fields)),
		byNumber: make(map[string]int, len(fields)),
		dialect:  on,
	}
	for i, f := range fields {
		d.byNumber[f.number] = i
		d.replacing = d.replacing || len(f.formers) > 0
		d.presetsByDate = d.presetsByDate || f.presetMoment != nil
		switch {
		case f.arrival != nil:
			d.arriving = append(d.arriving, i)

			continue
		case f.mirror:
			d.mirrors = append(d.mirrors, i)

			continue
		}
		d.keys = append(d.keys, f.key)
		d.byKey[f.key] = i
	}
	d.schema = d.listSchema(on).Prepared()
	d.programs, _ = programs(fields)
	d.withhold()

	return d
}

// field returns the field of a key, nil if there is none.
func (d *definition) field(key string) *moduleField {
	if i, ok := d.byKey[key]; ok {
		return d.fields[i]
	}

	return nil
}

// fieldByID returns a field, or the one that has taken its place; nil if there is none.
func (d *definition) fieldByID(id uuid.UUID) *moduleField {
	for _, f := range d.fields {
		if f.id == id || slices.ContainsFunc(f.formers, func(was *former) bool { return was.field.id == id }) {
			return f
		}
	}

	return nil
}

// onDelete is what becomes of the field when the record that it points at is deleted.
func (f *moduleField) onDelete() onDelete {
	if r, ok := f.values.(*reference); ok && r.OnDelete != "" {
		return r.OnDelete
	}

	return restrict
}
