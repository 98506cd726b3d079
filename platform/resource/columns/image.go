package columns

import (
	"encoding/json"
	"reflect"

	"github.com/google/uuid"
)

// itemImage is a field that names an item of any type in a version.
type itemImage struct {
	Type string    `json:"type"`
	UUID uuid.UUID `json:"uuid"`
	Part string    `json:"part,omitempty"`
}

// Image is a row as versions keep it: a JSON object by the keys of fields, with all that the columns have.
func (p *Plan) Image(row reflect.Value, own *OwnWrite) ([]byte, error) {
	values := make(map[string]any, len(p.Fields))
	if own != nil && own.Before != nil {
		values[OwnKey] = json.RawMessage(own.Before)
	}
	for _, f := range p.Fields {
		switch value := f.Shown(row).(type) {
		case nil:
		case Item:
			if value.UUID != uuid.Nil {
				values[f.Key] = itemImage(value)
			}
		default:
			values[f.Key] = value
		}
	}

	return json.Marshal(values)
}

// ReadImage returns a pointer to a row that Image wrote, maybe before the struct changed: keys that are no fields by now are dropped, and
// fields without a key, or whose value is none of theirs by now, are empty.
func ReadImage(p *Plan, document []byte) (row any, err error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(document, &values); err != nil {
		return nil, err
	}
	row = p.New()
	if MetaOf(row).kept = values[OwnKey]; MetaOf(row).kept == nil {
		MetaOf(row).kept = []byte("{}")
	}
	for _, f := range p.Fields {
		raw, kept := values[f.Key]
		if !kept {
			continue
		}
		into := f.Of(ValueOf(row))
		if f.AnyItem {
			var image itemImage
			if json.Unmarshal(raw, &image) == nil {
				into.Set(reflect.ValueOf(Item(image)))
			}
		} else if json.Unmarshal(raw, into.Addr().Interface()) != nil {
			into.SetZero()
		}
	}

	return row, nil
}
