package columns

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSON is a field whose values are lists or objects: a column of JSON (jsonb on PostgreSQL, text on SQLite). Lists
// cannot be filtered or sorted by it.
type JSON[T any] struct{ V T }

// Value implements driver.Valuer.
func (j JSON[T]) Value() (driver.Value, error) {
	text, err := json.Marshal(j)

	return string(text), err
}

// Scan implements sql.Scanner.
func (j *JSON[T]) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*j = JSON[T]{}

		return nil
	case string:
		return json.Unmarshal([]byte(v), &j.V)
	case []byte:
		return json.Unmarshal(v, &j.V)
	default:
		return fmt.Errorf("resource: a JSON column holds %T", value)
	}
}

// detach has the value share nothing with those that it was copied from. What the column keeps is what it is.
func (j *JSON[T]) detach() {
	if v := reflect.ValueOf(j.V); !v.IsValid() || v.IsZero() {
		return
	}
	text, err := json.Marshal(j)
	var own T
	if err == nil && json.Unmarshal(text, &own) == nil {
		j.V = own
	}
}

func (JSON[T]) isList() bool { return reflect.TypeFor[T]().Kind() == reflect.Slice }

// MarshalJSON implements json.Marshaler. A list that is nil is empty.
func (j JSON[T]) MarshalJSON() ([]byte, error) {
	if v := reflect.ValueOf(j.V); v.Kind() == reflect.Slice && v.IsNil() {
		return []byte("[]"), nil
	}

	return json.Marshal(j.V)
}

// UnmarshalJSON implements json.Unmarshaler.
func (j *JSON[T]) UnmarshalJSON(text []byte) error {
	var v T
	err := json.Unmarshal(text, &v)
	j.V = v

	return err
}

// UnmarshalJSONFrom implements the json.UnmarshalerFrom of those who say where in a body a value is wrong.
func (j *JSON[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	var v T
	err := jsonv2.UnmarshalDecode(from, &v)
	j.V = v

	return err
}

// Schema implements huma.SchemaProvider.
func (JSON[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), false, "JSON")
	s.Nullable = false

	return &s
}
