package columns

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Sight says which of the guarded fields of a plan a caller sees: a bit for each of Plan.Guards.
type Sight uint8

// maxGuards bounds the scopes of a plan: what is made for each set of them is made once, and kept.
const maxGuards = 3

// sensitiveGuard is the guard of fields with the word sensitive.
const sensitiveGuard = "sensitive"

// ScopeOf is the scope that a guard names in an area: a word of its own, or a whole scope of any area.
func ScopeOf(area, guard string) string {
	if guard == "" || strings.Contains(guard, ":") {
		return guard
	}

	return area + ":" + guard
}

// GuardBy gives the guards of the fields the scopes that they have in an area.
func (p *Plan) GuardBy(area string) error {
	resolve := func(guard string) (scope string, bit Sight) {
		if scope = ScopeOf(area, guard); scope == "" {
			return "", 0
		}
		at := slices.Index(p.Guards, scope)
		if at < 0 {
			at, p.Guards = len(p.Guards), append(p.Guards, scope)
		}

		return scope, 1 << at
	}
	for _, f := range p.Fields {
		if f.Scope, f.bit = resolve(f.Guard); f.inside != nil {
			f.inside.guardBy(resolve)
		}
	}
	if len(p.Guards) > maxGuards {
		return fmt.Errorf("the fields take %d scopes, at most %d are supported", len(p.Guards), maxGuards)
	}
	guarded := slices.ContainsFunc(p.Fields, func(f *Field) bool { return f.Guard != "" && !f.Sensitive })
	if _, drops := reflect.TypeAssert[json.Marshaler](reflect.New(p.row)); guarded && !drops {
		return errors.New("fields with a scope are left out of answers: want a method MarshalJSON that calls resource.MarshalRow")
	}

	return nil
}

// everything is the sight of all fields.
func (p *Plan) everything() Sight { return 1<<len(p.Guards) - 1 }

// SightOf returns what a caller sees who has the scopes for which allows is true.
func (p *Plan) SightOf(allows func(scope string) bool) (s Sight) {
	for i, scope := range p.Guards {
		if allows(scope) {
			s |= 1 << i
		}
	}

	return s
}

// Sights are all that callers can see.
func (p *Plan) Sights() []Sight {
	all := make([]Sight, p.everything()+1)
	for i := range all {
		all[i] = Sight(i)
	}

	return all
}

// Whole reports whether it is the sight of all fields.
func (p *Plan) Whole(s Sight) bool { return s == p.everything() }

// SeenBy reports whether the values of the field are seen; parts of them may not be.
func (f *Field) SeenBy(s Sight) bool { return f.bit&^s == 0 }

// partlySeenBy reports whether parts of the values are not seen.
func (f *Field) partlySeenBy(s Sight) bool { return f.inside != nil && f.inside.all&^s != 0 }

// withheld are the scopes of the fields that are not seen, by key.
func (p *Plan) withheld(s Sight) map[string]string {
	all := map[string]string{}
	for _, f := range p.Fields {
		if !f.SeenBy(s) {
			all[f.Key] = f.Scope
		}
	}

	return all
}

// Mask takes out of a row the values that are not seen. Lists and objects that are shared with other rows are replaced, not changed.
func (p *Plan) Mask(row reflect.Value, s Sight) {
	if p.Whole(s) {
		return
	}
	var withheld []string
	for _, f := range p.Fields {
		if f.SeenBy(s) {
			if f.partlySeenBy(s) {
				f.inside.mask(f.Of(row), s)
			}

			continue
		}
		f.Of(row).SetZero()
		if !f.Sensitive { // which is null
			withheld = append(withheld, f.Key)
		}
	}
	if of, ok := reflect.TypeAssert[interface{ Meta() *Row }](row.Addr()); ok {
		of.Meta().withheld = withheld
	}
}

// MarshalRow is a row as JSON without the fields that Mask took out of it; plain is the row as a type without methods of its own.
func MarshalRow(row *Row, plain any) ([]byte, error) {
	raw, err := json.Marshal(plain)
	if err != nil || len(row.withheld) == 0 {
		return raw, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	for _, key := range row.withheld {
		delete(all, key)
	}

	return json.Marshal(all)
}

// MaskJSON takes out of a value of the field, as JSON was decoded, what is not seen of it. It reports whether any of it is seen.
func (f *Field) MaskJSON(value any, s Sight) (seen bool) {
	if f.SeenBy(s) && f.partlySeenBy(s) {
		f.inside.maskJSON(value, s)
	}

	return f.SeenBy(s)
}

// KeepUnseen gives the values of the field in a row the parts that are not seen, as they were before. It names the first of these parts for which
// the row has a value, and its scope.
func (f *Field) KeepUnseen(before, row reflect.Value, s Sight) (part, scope string) {
	if !f.partlySeenBy(s) {
		return "", ""
	}

	return f.inside.keep(before, f.Of(row), s)
}

// members are what guards say of the values of a type inside a field: a list, a pointer, or a struct with members of its own.
type members struct {
	// all are the guards of all members.
	all Sight
	// elem is of what a list or a pointer has, nil for a struct.
	elem *members
	own  []member
}

type member struct {
	index      int
	key, guard string
	bit        Sight
	scope      string
	// inside are the members of the member, nil for one that has a guard itself.
	inside *members
}

// membersOf are the guarded members of the values of a type, nil for none.
func membersOf(t reflect.Type, outer ...reflect.Type) *members {
	if slices.Contains(outer, t) {
		return nil // a type that contains itself
	}
	switch outer = append(slices.Clip(outer), t); t.Kind() {
	case reflect.Pointer, reflect.Slice:
		if elem := membersOf(t.Elem(), outer...); elem != nil {
			return &members{elem: elem}
		}
	case reflect.Struct:
		m := &members{}
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() || f.Anonymous {
				continue
			}
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			guard := guardIn(f.Tag.Get("field"))
			if inside := membersOf(f.Type, outer...); guard != "" || inside != nil {
				m.own = append(m.own, member{index: i, key: key, guard: guard, inside: inside})
			}
		}
		if m.own != nil {
			return m
		}
	default:
	}

	return nil
}

// guardIn is the guard that a tag names, "" for none.
func guardIn(tag string) string {
	for word := range strings.SplitSeq(tag, ",") {
		if guard, ok := strings.CutPrefix(strings.TrimSpace(word), "scope="); ok {
			return guard
		}
	}

	return ""
}

func (m *members) guardBy(resolve func(guard string) (string, Sight)) {
	if m.elem != nil {
		m.elem.guardBy(resolve)
		m.all = m.elem.all

		return
	}
	for i := range m.own {
		one := &m.own[i]
		if one.scope, one.bit = resolve(one.guard); one.inside != nil {
			one.inside.guardBy(resolve)
			m.all |= one.inside.all
		}
		m.all |= one.bit
	}
}

func (m *members) mask(v reflect.Value, s Sight) {
	switch {
	case m.elem != nil && v.IsNil():
	case m.elem != nil && v.Kind() == reflect.Pointer:
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		m.elem.mask(own.Elem(), s)
		v.Set(own)
	case m.elem != nil:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			m.elem.mask(own.Index(i), s)
		}
		v.Set(own)
	default:
		for _, one := range m.own {
			if one.bit&^s != 0 {
				v.Field(one.index).SetZero()
			} else if one.inside != nil {
				one.inside.mask(v.Field(one.index), s)
			}
		}
	}
}

// maskJSON is mask for JSON that was decoded. The struct around a column of JSON is not in there.
func (m *members) maskJSON(value any, s Sight) {
	if m.elem == nil && m.own[0].key == "" {
		m.own[0].inside.maskJSON(value, s)

		return
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			m.elem.maskJSON(one, s)
		}
	case map[string]any:
		if m.elem != nil {
			m.elem.maskJSON(v, s)

			return
		}
		for _, one := range m.own {
			if one.bit&^s != 0 {
				delete(v, one.key)
			} else if inner, there := v[one.key]; there && one.inside != nil {
				one.inside.maskJSON(inner, s)
			}
		}
	}
}

// keep gives a value the members that are not seen, as they were before: those of the entries of a list by the uuid of each.
func (m *members) keep(before, v reflect.Value, s Sight) (part, scope string) {
	switch {
	case m.elem != nil && v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return "", ""
		}
		was := reflect.Zero(v.Type().Elem())
		if before.IsValid() && !before.IsNil() {
			was = before.Elem()
		}

		return m.elem.keep(was, v.Elem(), s)
	case m.elem != nil:
		for i := range v.Len() {
			if part, scope = m.elem.keep(sameEntry(before, v.Index(i)), v.Index(i), s); part != "" {
				return part, scope
			}
		}

		return "", ""
	}
	for _, one := range m.own {
		now, was := v.Field(one.index), reflect.Zero(v.Field(one.index).Type())
		if before.IsValid() {
			was = before.Field(one.index)
		}
		switch {
		case one.bit&^s == 0 && one.inside != nil:
			if part, scope = one.inside.keep(was, now, s); part != "" {
				return part, scope
			}
		case one.bit&^s == 0:
		case !now.IsZero(): // even where it is the same: a guess must not be confirmed
			return one.key, one.scope
		default:
			now.Set(was)
		}
	}

	return "", ""
}

// sameEntry is the entry of a list with the uuid of another one, the zero Value for none.
func sameEntry(list, entry reflect.Value) reflect.Value {
	id := uuidOf(entry)
	if !list.IsValid() || id == uuid.Nil {
		return reflect.Value{}
	}
	for i := range list.Len() {
		if uuidOf(list.Index(i)) == id {
			return list.Index(i)
		}
	}

	return reflect.Value{}
}

func uuidOf(entry reflect.Value) uuid.UUID {
	if entry.Kind() != reflect.Struct {
		return uuid.Nil
	}
	at := entry.FieldByName("UUID")
	if !at.IsValid() {
		return uuid.Nil
	}
	id, _ := reflect.TypeAssert[uuid.UUID](at)

	return id
}
