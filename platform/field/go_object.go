package field

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Address is where something is, for the structs of areas; the zero value is none. Any part but the country may be missing.
// It is JSON in a column.
type Address struct {
	City       string `json:"city,omitempty"`
	Line1      string `json:"line1,omitempty"`
	Line2      string `json:"line2,omitempty"`
	State      string `json:"state,omitempty"`
	Country    string `json:"country,omitempty"`
	PostalCode string `json:"postal_code,omitempty"`
}

// FieldType is the field type of the value.
func (Address) FieldType() Type { return addressType() }

// MarshalJSON implements json.Marshaler.
func (a Address) MarshalJSON() ([]byte, error) {
	type plain Address

	return marshalObject(plain(a))
}

// UnmarshalJSON implements json.Unmarshaler. Its error is an Error.
func (a *Address) UnmarshalJSON(raw []byte) error {
	type plain Address

	return unmarshalObject(addressType(), raw, (*plain)(a))
}

// Value implements driver.Valuer.
func (a Address) Value() (driver.Value, error) { return columnOf(a, a == Address{}) }

// Scan implements sql.Scanner.
func (a *Address) Scan(from any) error {
	type plain Address

	return scanObject(from, (*plain)(a))
}

// Schema implements huma.SchemaProvider.
func (Address) Schema(huma.Registry) *huma.Schema {
	return addressType().Document(map[string]any{
		"line1": "1500 Marilla St", "city": "Dallas", "state": "TX", "postal_code": "75201", "country": "US",
	})
}

// GeoPoint is a point on the earth in degrees of WGS 84, for the structs of areas; the zero value is none. It is JSON in a column.
type GeoPoint struct {
	Lat json.Number `json:"lat"`
	Lng json.Number `json:"lng"`
}

// FieldType is the field type of the value.
func (GeoPoint) FieldType() Type { return geoPointType() }

// Millionths returns the point in millionths of a degree, zero for none.
func (p GeoPoint) Millionths() (lat, lng int64) {
	return millionths(p.Lat), millionths(p.Lng)
}

func millionths(degrees json.Number) int64 {
	n, err := degrees.Float64()
	if err != nil {
		return 0
	}

	return int64(math.Round(n * 1_000_000)) //nolint:mnd // millionths
}

// MarshalJSON implements json.Marshaler.
func (p GeoPoint) MarshalJSON() ([]byte, error) {
	type plain GeoPoint

	return marshalObject(plain(p))
}

// UnmarshalJSON implements json.Unmarshaler. Its error is an Error.
func (p *GeoPoint) UnmarshalJSON(raw []byte) error {
	type plain GeoPoint

	return unmarshalObject(geoPointType(), raw, (*plain)(p))
}

// Value implements driver.Valuer.
func (p GeoPoint) Value() (driver.Value, error) { return columnOf(p, p == GeoPoint{}) }

// Scan implements sql.Scanner.
func (p *GeoPoint) Scan(from any) error {
	type plain GeoPoint

	return scanObject(from, (*plain)(p))
}

// Schema implements huma.SchemaProvider.
func (GeoPoint) Schema(huma.Registry) *huma.Schema {
	return geoPointType().Document(map[string]any{"lat": 38.8976763, "lng": -77.0365298})
}

// marshalObject writes an object, null for a zero one.
func marshalObject[T comparable](object T) ([]byte, error) {
	var none T
	if object == none {
		return []byte("null"), nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(object)

	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// unmarshalObject reads a value of a type into the members of a struct.
func unmarshalObject[T any](typ Type, raw []byte, into *T) error {
	value, err := parseInto(typ, raw)
	if err != nil {
		return err
	}

	return readObject(value.JSON, into)
}

func readObject[T any](normal []byte, into *T) error {
	var made T
	if len(normal) > 0 {
		if err := json.Unmarshal(normal, &made); err != nil {
			return fmt.Errorf("a stored object: %w", err)
		}
	}
	*into = made

	return nil
}

// columnOf writes JSON as text: SQLite would take bytes for its own binary form of JSON.
func columnOf(value json.Marshaler, none bool) (driver.Value, error) {
	if none {
		return nil, nil //nolint:nilnil // no value
	}
	raw, err := value.MarshalJSON()

	return string(raw), err
}

func scanObject[T any](from any, into *T) error {
	raw, err := jsonIn(from)
	if err != nil {
		return err
	}

	return readObject(raw, into)
}

// jsonIn returns the JSON of a column, nothing for none.
func jsonIn(from any) ([]byte, error) {
	switch column := from.(type) {
	case nil:
		return nil, nil
	case string:
		return rawjson.OrNothing([]byte(strings.TrimSpace(column))), nil
	case []byte:
		return rawjson.OrNothing(bytes.TrimSpace(column)), nil
	default:
		return nil, fmt.Errorf("a %T is not JSON", from)
	}
}
