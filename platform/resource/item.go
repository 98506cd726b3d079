package resource

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
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
			"type": {Type: huma.TypeString, Pattern: typePattern, Description: "What sort of item it is, as <area>.<thing>.", Examples: []any{"loads.load"}},
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

// itemFilters are what lists can be filtered by of a field that names an item of any type.
func (f *field) itemFilters() []list.Field {
	return []list.Field{
		{Name: f.key + "_type", Expr: f.columns[0], Kind: list.Text, Nullable: !f.required, Filterable: true},
		{Name: f.key + "_uuid", Expr: f.columns[1], Kind: list.UUID, Nullable: !f.required, Filterable: true},
	}
}

// classify fills in the part of an item that is about to be stored, or adds to a refusal why it cannot be.
func (e *Engine) classify(ctx context.Context, key string, i *Item, refusal *errs.Error) (*errs.Error, error) {
	class, there := mentionedIn(ctx).classes[i.Ref()]
	var err error
	if !there {
		class, there, err = e.items.ClassOf(ctx, i.Ref())
	}
	if unknown, ok := errors.AsType[*errs.Error](err); ok && unknown.Kind == errs.Invalid {
		return refusal.WithField(key+".type", unknown.Message), nil
	}
	if err == nil && !there {
		refusal = refusal.WithField(key+".uuid", "There is no such "+e.titleOfType(i.Type)+".")
	}
	i.Part = class.Part

	return refusal, err
}

// partOf is the part of the item that a row is about, "" for none: what is kept from a caller with the item is kept with
// the row.
func (r *rulesOf[R]) partOf(row R) string {
	for _, f := range r.plan.fields {
		if i, is := reflect.TypeAssert[Item](f.of(valueOf(&row))); is && i.Part != "" {
			return i.Part
		}
		if part, is := f.plain(valueOf(&row)).(string); is && f.part {
			return part
		}
	}

	return ""
}
