package list

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// decode turns a value of a row into the text of a cursor; no text is no value. It understands
// strings, byte strings, integers, booleans and times, named types of them, pointers to them, and
// whatever is a driver.Valuer (uuid.UUID, sql.NullString).
func (k Kind) decode(value any) (*string, error) {
	value, err := plain(value)
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
		return k.timeText(v), nil
	}

	return "", fmt.Errorf("a %T is not a %s", value, k)
}

func (k Kind) timeText(t time.Time) string {
	switch k {
	case Date:
		return t.Format(dateLayout)
	case LocalTime:
		return t.Format(localTimeLayout)
	case Text, Integer, Decimal, Boolean, Time, UUID:
	}

	return t.UTC().Format(timeLayout)
}

// plain takes pointers, named types and valuers off a value; nil is no value.
func plain(value any) (any, error) {
	v := reflect.ValueOf(value)
	if !v.IsValid() || (v.Kind() == reflect.Pointer && v.IsNil()) {
		return nil, nil
	}
	if valuer, ok := value.(driver.Valuer); ok {
		return valuer.Value()
	}
	if v.Kind() == reflect.Pointer {
		return plain(v.Elem().Interface())
	}

	return basic(v), nil
}

// basic takes the name off a basic type and makes integers 64 bits wide.
func basic(v reflect.Value) any {
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
