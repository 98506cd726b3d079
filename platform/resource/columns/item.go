package columns

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
)

// Item is a field that names an item of any type, or none: {"type": "loads.load", "uuid": "…"} or null in JSON. It has
// three columns, for the type, the id, and the part of the item's class:
//
//	Item resource.Item `json:"item" gorm:"embedded;embeddedPrefix:item_" field:"required"`
//
// That there is such an item is checked when the field changes; it may go later. Rows about items that are hidden from a
// caller (item.Hides) are not there for that caller.
type Item struct {
	Type string
	UUID uuid.UUID `gorm:"column:id"`
	// Part is kept by the service and not shown.
	Part string
}

// Ref names the item, the zero Ref for none.
func (i Item) Ref() item.Ref { return item.Ref{Type: i.Type, UUID: i.UUID} }

// MarshalJSON implements json.Marshaler.
func (i Item) MarshalJSON() ([]byte, error) {
	if i.UUID == uuid.Nil {
		return []byte("null"), nil
	}

	return json.Marshal(i.Ref())
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Item) UnmarshalJSON(text []byte) error {
	var given struct {
		Type string    `json:"type"`
		UUID uuid.UUID `json:"uuid"`
	}
	err := json.Unmarshal(text, &given)
	*i = Item{Type: given.Type, UUID: given.UUID}

	return err
}

// Schema implements huma.SchemaProvider.
func (Item) Schema(r huma.Registry) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Nullable: true, Required: []string{"type", "uuid"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"type": {Type: huma.TypeString, Pattern: typePattern, Description: "What sort of item it is, as <area>.<thing>."},
			"uuid": {Type: huma.TypeString, Format: "uuid", Description: "Which one."},
		},
	}
	for _, property := range s.Properties {
		property.PrecomputeMessages()
	}
	s.PrecomputeMessages()

	return s
}

// typePattern is what the type of an item looks like.
const typePattern = `^[a-z][a-z0-9_]{0,39}\.[a-z][a-z0-9_]{0,39}$`

// storedItem are the values of the columns of an Item.
func storedItem(i Item) []any {
	if i.UUID == uuid.Nil {
		return []any{nil, nil, ""}
	}

	return []any{i.Type, i.UUID, i.Part}
}
