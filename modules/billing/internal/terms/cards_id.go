package terms

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// CardsID is the id of a card or a payment of the area cards; "" is none, null in JSON.
type CardsID string

// MarshalJSON implements json.Marshaler.
func (id CardsID) MarshalJSON() ([]byte, error) {
	if id == "" {
		return []byte("null"), nil
	}

	return json.Marshal(string(id))
}

// Schema implements huma.SchemaProvider.
func (CardsID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Nullable: true}
}
