package custommodules

import (
	"database/sql/driver"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// jsonText is a JSON object that goes from a request to a column and from there to an answer as it
// is. In a column it is text: SQLite would take bytes for its own binary form of JSON.
type jsonText []byte

// Value implements driver.Valuer.
func (j jsonText) Value() (driver.Value, error) { return string(j), nil }

// Scan implements sql.Scanner.
func (j *jsonText) Scan(from any) error {
	switch text := from.(type) {
	case string:
		*j = jsonText(text)
	case []byte:
		*j = append(jsonText(nil), text...)
	default:
		return fmt.Errorf("a %T is no JSON", from)
	}

	return nil
}

// MarshalJSON implements json.Marshaler.
func (j jsonText) MarshalJSON() ([]byte, error) {
	if j == nil {
		return []byte("null"), nil
	}

	return j, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (j *jsonText) UnmarshalJSON(text []byte) error {
	*j = append(jsonText(nil), text...)

	return nil
}

// Schema implements huma.SchemaProvider.
func (jsonText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}
