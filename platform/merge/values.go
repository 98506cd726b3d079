package merge

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// set gives a row values that a merge decides about.
func (m *Merger[R]) set(ctx context.Context, id uuid.UUID, verb resource.Verb, values func(now Values) Values) (R, error) {
	return m.rows.Change(ctx, id, web.IfMatch{}, verb, func(_ context.Context, row *R) error {
		now, err := m.valuesOf(*row)
		if err != nil {
			return err
		}

		return assign(row, values(now))
	})
}

// assign gives the fields of a row the values of their keys. What they had is not written to: it may be shared with another row.
func assign(row any, values Values) error {
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	fields := reflect.ValueOf(row).Elem()
	for i := range fields.NumField() {
		key, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		if _, given := values[key]; given {
			fields.Field(i).SetZero()
		}
	}

	return json.Unmarshal(text, row)
}

// valuesOf returns the values of a row that merges unite.
func (m *Merger[R]) valuesOf(row R) (Values, error) { return ValuesOf(row, m.rules.Keys) }

// ValuesOf returns values of a row by their keys.
func ValuesOf(row any, keys []string) (Values, error) {
	text, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	all := Values{}
	err = json.Unmarshal(text, &all)
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return !slices.Contains(keys, key) })

	return all, err
}

// differing returns the values before and after a change of a row that differ.
func (m *Merger[R]) differing(before Values, row R, decided Values) (was, is rawjson.Object, err error) {
	now, err := m.valuesOf(row)
	if err != nil {
		return nil, nil, err
	}
	maps.DeleteFunc(now, func(key string, value json.RawMessage) bool {
		_, mine := decided[key]

		return !mine || rawjson.Equal(value, before[key])
	})
	maps.DeleteFunc(before, func(key string, _ json.RawMessage) bool { _, changed := now[key]; return !changed })
	if was, err = json.Marshal(before); err != nil {
		return nil, nil, err
	}
	is, err = json.Marshal(now)

	return was, is, err
}

// united returns the values of a row, and those of them that it gets when another one becomes a part of it.
func (m *Merger[R]) united(into, from R, take map[string]uuid.UUID) (before, after Values, err error) {
	if before, err = m.valuesOf(into); err != nil {
		return nil, nil, err
	}
	theirs, err := m.valuesOf(from)
	if err != nil {
		return nil, nil, err
	}
	after = Values{}
	for _, key := range m.rules.Keys {
		chosen, asked := take[key]
		switch {
		case asked && chosen == idOf(from):
			after[key] = theirs[key]
		case asked, m.rules.Skips != nil && m.rules.Skips(key, into, from):
		case empty(before[key]) && !empty(theirs[key]) && string(theirs[key]) != `"`+idOf(into).String()+`"`:
			after[key] = theirs[key]
		}
	}
	if m.rules.Unite != nil {
		err = m.rules.Unite(into, from, func(key string) bool { _, asked := take[key]; return asked }, after)
	}

	return before, after, err
}

// empty reports whether a value is none.
func empty(value json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "false", "[]"}, string(value))
}

// Join gives values a list of the entries of both rows, those that are the same once, unless the merged row has none or the key
// was asked for.
func Join[E any](values Values, asked func(key string) bool, key string, have, more []E, same func(*E) string) error {
	if len(more) == 0 || asked(key) {
		return nil
	}
	seen := map[string]bool{}
	all := slices.Clone(have)
	for _, one := range have {
		seen[same(&one)] = true
	}
	for _, one := range more {
		if id := same(&one); !seen[id] {
			seen[id] = true
			all = append(all, one)
		}
	}
	text, err := json.Marshal(all)
	values[key] = text

	return err
}
