package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Equal reports whether two values mean the same; null is as good as nothing. PostgreSQL writes objects in an order of its
// own.
func Equal(a, b []byte) bool {
	a, b = OrNothing(a), OrNothing(b)
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
		return false
	}
	switch a[0] {
	case '"': // escapes are kept as they were given
		return Text(a) == Text(b)
	case '{', '[':
	default:
		return false
	}

	return reflect.DeepEqual(parseExact(a), parseExact(b))
}

// parseExact parses a valid value without losing digits.
func parseExact(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil
	}

	return value
}
