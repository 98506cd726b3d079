package kind

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// Decode turns a value of a row into the text of a cursor; no text is no value. It understands
// strings, byte strings, integers, booleans and times, named types of them, pointers to them, and
// whatever is a driver.Valuer (uuid.UUID, sql.NullString).
func (k Kind) Decode(value any) (*string, error) {
	value, err := plainValue(value)
	if err != nil || value == nil {
		return nil, err
	}
	text, err := k.text(value)

	return &text, err
}

func (k Kind) text(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case time.Time:
		return k.FormatTime(v), nil
	}

	return "", fmt.Errorf("a %T is not a %s", value, k)
}

// FormatTime returns the text of a time: a Date and a LocalTime are those of its zone.
func (k Kind) FormatTime(t time.Time) string {
	switch k {
	case Date:
		return t.Format(time.DateOnly)
	case LocalTime:
		return t.Format(time.DateTime)
	default:
		return t.UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	}
}

// plainValue takes pointers, named types and valuers off a value; nil is no value.
func plainValue(value any) (any, error) {
	v := reflect.ValueOf(value)
	if !v.IsValid() || (v.Kind() == reflect.Pointer && v.IsNil()) {
		return nil, nil
	}
	if valuer, ok := value.(driver.Valuer); ok {
		return valuer.Value()
	}
	if v.Kind() == reflect.Pointer {
		return plainValue(v.Elem().Interface())
	}

	return basicValue(v), nil
}

// basicValue takes the name off a basic type and makes integers 64 bits wide.
func basicValue(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.Kind() == reflect.Bool:
		return v.Bool()
	default:
		return v.Interface()
	}
}
