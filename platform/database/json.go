package database

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// JSON is a column that holds a JSON document: jsonb on PostgreSQL, text on SQLite. Nil is NULL.
type JSON json.RawMessage

// Value implements driver.Valuer.
func (j JSON) Value() (driver.Value, error) {
	if j == nil {
		return nil, nil //nolint:nilnil // NULL
	}

	return string(j), nil
}

// Scan implements sql.Scanner.
func (j *JSON) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*j = nil
	case string:
		*j = JSON(v)
	case []byte:
		*j = bytes.Clone(v)
	default:
		return fmt.Errorf("database: a JSON column holds %T", value)
	}

	return nil
}

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) { return json.RawMessage(j).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = bytes.Clone(text)

	return nil
}
