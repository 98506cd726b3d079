package columns

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Of is the field in a row.
func (f *Field) Of(row reflect.Value) reflect.Value { return row.FieldByIndex(f.Index) }

// Plain is the field's value as the database has it: nil for none.
func (f *Field) Plain(row reflect.Value) any {
	v := f.Of(row)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch inner := v.Interface().(type) {
	case uuid.UUID, time.Time:
		return inner
	case Item:
		if inner.UUID == uuid.Nil {
			return nil
		}

		return inner.Ref()
	case driver.Valuer:
		value, err := inner.Value()
		if err != nil {
			return nil
		}

		return value
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int32, reflect.Int64:
		return v.Int()
	default:
		return v.Interface()
	}
}

// Stored are the values of the field's columns.
func (f *Field) Stored(row reflect.Value) []any {
	switch {
	case f.AnyItem:
		return storedItem(f.Of(row).Interface().(Item)) //nolint:forcetypeassert // readType has seen to it
	case f.folded:
		return []any{f.Plain(row), database.FoldText(f.Of(row).String())}
	default:
		return []any{f.Plain(row)}
	}
}

// Shown is the field's value as JSON has it, for the audit trail: nil for none.
func (f *Field) Shown(row reflect.Value) any {
	v := f.Of(row)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}

	return v.Interface()
}

// Empty reports whether there is no value, or a text of spaces.
func (f *Field) Empty(row reflect.Value) bool {
	switch value := f.Plain(row).(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(value) == ""
	case uuid.UUID:
		return value == uuid.Nil
	default:
		return false
	}
}

// Normalise brings a text into normalization form C, without spaces at its ends, and a time into UTC, as precise as it is
// stored.
func (f *Field) Normalise(row reflect.Value) {
	v := f.Of(row)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case !v.IsValid() || !f.Writable() || f.verbatim:
	case v.Kind() == reflect.String && f.values == nil:
		v.SetString(norm.NFC.String(strings.TrimSpace(v.String())))
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(clock.Stamp(v.Interface().(time.Time)))) //nolint:forcetypeassert // it is one
	}
}

// JSON is the value in a row as JSON, nil for none. The empty text is one only where a text that is not given gets a default.
func (f *Field) JSON(row reflect.Value) ([]byte, error) {
	value := f.Of(row)
	if value.Kind() == reflect.String && value.Len() == 0 && f.preset == nil {
		return nil, nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f.Shown(row)); err != nil {
		return nil, fmt.Errorf("field %s: %w", f.Key, err)
	}

	return rawjson.OrNothing(bytes.TrimSuffix(out.Bytes(), []byte("\n"))), nil
}
