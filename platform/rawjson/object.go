package rawjson

import (
	"database/sql/driver"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// Object is a JSON object that goes from a request to a column and from there to an answer as it
// is. In a column it is text: SQLite would take bytes for its own binary form of JSON.
type Object []byte

// Value implements driver.Valuer.
func (j Object) Value() (driver.Value, error) { return string(j), nil }

// Scan implements sql.Scanner.
func (j *Object) Scan(from any) error {
	switch text := from.(type) {
	case string:
		*j = Object(text)
	case []byte:
		*j = append(Object(nil), text...)
	default:
		return fmt.Errorf("a %T is not JSON", from)
	}

	return nil
}

// MarshalJSON implements json.Marshaler.
func (j Object) MarshalJSON() ([]byte, error) {
	if j == nil {
		return []byte("null"), nil
	}

	return j, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (j *Object) UnmarshalJSON(text []byte) error {
	*j = append(Object(nil), text...)

	return nil
}

// Schema implements huma.SchemaProvider.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}
