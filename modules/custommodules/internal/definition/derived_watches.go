package definition

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// ReadKeys are the keys of the fields that a formula reads, own ones or those of a struct.
func (f FieldRow) ReadKeys() []string {
	keys := formula.NamesIn(f.FormulaText())
	for i, name := range keys {
		keys[i] = strings.TrimPrefix(name, formula.Own)
	}

	return keys
}

// Reads reports whether a formula reads the field of a key.
func (f FieldRow) Reads(key string) bool { return slices.Contains(f.ReadKeys(), key) }

// WithRenamed returns the options with another name for a field in the formula.
func (f FieldRow) WithRenamed(from, to string) rawjson.Object {
	text := formula.Rename(formula.Rename(f.FormulaText(), from, to), formula.Own+from, formula.Own+to)

	return rawjson.Object(MergePatch(f.Options, append(append([]byte(`{"formula":`), rawjson.Quote(text)...), '}')))
}

// FindField returns the field of a key, or without one that of an id; nil if there is none.
func FindField(fields []*ModuleField, key *string, id uuid.UUID) *ModuleField {
	i := slices.IndexFunc(fields, func(f *ModuleField) bool {
		if key != nil {
			return f.Key == NormalKey(*key)
		}

		return f.ID == id
	})
	if i < 0 {
		return nil
	}

	return fields[i]
}

// RefersWrongly says why records are not looked up by a field, nil for one that is not there; "" if they are.
func RefersWrongly(f *ModuleField, among []*ModuleField) string {
	if f != nil && f.Refers() {
		return ""
	}
	var keys []string
	for _, other := range among {
		if other.Refers() {
			keys = append(keys, other.Key)
		}
	}
	allowed := " The module has no reference."
	if len(keys) > 0 {
		allowed = " References of the module are: " + strings.Join(keys, ", ") + "."
	}
	if f == nil {
		return "The reference must be the key of a field of the type reference." + allowed
	}
	if _, is := f.Values.(*field.ItemOptions); is {
		return "Only values of records can be looked up, not those of items of other areas." + allowed
	}

	return "The field " + f.Key + " does not refer to records." + allowed
}

// LookedAt is a lookup of a definition: its position, that of its reference, and the field of the other module.
type LookedAt struct {
	At, Reference int
	Lookup        *Lookup
	Of            *ModuleField
}

// LookedUp is a lookup of others of a field of the definition's module.
type LookedUp struct {
	ID, Reference uuid.UUID
	Of            *ModuleField
}

// FindLookups takes the lookups of a definition, whose other fields are among some.
func (d *Definition) FindLookups(of []*ModuleField) {
	for i, f := range d.Fields {
		l, is := f.Values.(*Lookup)
		if !is {
			continue
		}
		reference := slices.IndexFunc(d.Fields, func(f *ModuleField) bool { return f.ID == l.Reference })
		if other := FieldAmong(of, &l.Field); other != nil && reference >= 0 {
			d.Lookups = append(d.Lookups, LookedAt{At: i, Reference: reference, Lookup: l, Of: other})
		}
	}
}

// LookupIDs are the ids of the lookups that the caller sees.
func (d *Definition) LookupIDs() []uuid.UUID {
	var ids []uuid.UUID
	for _, f := range d.Fields {
		if _, is := f.Values.(*Lookup); is {
			ids = append(ids, f.ID)
		}
	}

	return ids
}

// LookupsBy are the lookups by some references.
func (d *Definition) LookupsBy(references ...uuid.UUID) []LookedAt {
	var some []LookedAt
	for _, l := range d.Lookups {
		if slices.Contains(references, l.Lookup.Reference) {
			some = append(some, l)
		}
	}

	return some
}

// Names is the record that a document names by a lookup's reference.
func (d *Definition) Names(l LookedAt, document []byte) (uuid.UUID, bool) {
	text, there := d.Fields[l.Reference].Comparand(document)
	id, err := uuid.Parse(text)

	return id, there && err == nil
}

// WithoutFields leaves out some fields of a module and the formulas that use them.
func WithoutFields(fields []FieldRow, some func(FieldRow) bool) []FieldRow {
	gone := map[string]bool{}
	for range fields { // as often as a chain of formulas can be long
		for _, f := range fields {
			if some(f) || slices.ContainsFunc(f.ReadKeys(), func(key string) bool { return gone[key] }) {
				gone[f.Key] = true
			}
		}
	}

	return slices.DeleteFunc(slices.Clone(fields), func(f FieldRow) bool { return gone[f.Key] })
}

// watch is a reference whose targets have rollups, and the fields that these are computed of.
type watch struct {
	Reference *ModuleField
	fields    []*ModuleField
}

// WatchFor takes the rollups that others compute of the module's records.
func (d *Definition) WatchFor(rollups []*Rollup) {
	byReference := map[uuid.UUID]int{}
	for _, r := range rollups {
		reference := d.FieldByID(r.Reference)
		if reference == nil {
			continue
		}
		at, known := byReference[r.Reference]
		if !known {
			at = len(d.Watches)
			byReference[r.Reference] = at
			d.Watches = append(d.Watches, watch{Reference: reference})
		}
		for _, id := range []*uuid.UUID{r.Field, r.WhereField} {
			if id == nil {
				continue
			}
			if f := d.FieldByID(*id); f != nil {
				d.Watches[at].fields = append(d.Watches[at].fields, f)
			}
		}
	}
}

func (w watch) Target(document []byte) (uuid.UUID, bool) {
	text, there := w.Reference.Comparand(document)
	id, err := uuid.Parse(text)

	return id, there && err == nil
}

func (w watch) Differs(before, after []byte) bool {
	for _, f := range w.fields {
		if !rawjson.Equal(rawjson.Member(before, f.Number), rawjson.Member(after, f.Number)) {
			return true
		}
	}

	return false
}
