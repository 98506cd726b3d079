package field

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errItem = Error(`must be an item: {"type": "…", "uuid": "…"}.`)

// ItemOptions points at an item of another area.
type ItemOptions struct {
	rawCells

	Types []string `json:"types"`
}

var itemType = Type{
	Name: "item",
	About: `An item of another area, as {"type": "yards.spot", "uuid": "…"}; types lists the allowed types; ` +
		"without it, all are allowed. The item must exist when the value is set, and may be deleted later.",
	Index:  UUIDIndex,
	Filter: kind.UUID,
	Inside: "uuid",
	New:    func() Values { return &ItemOptions{Types: []string{}} },
}

// mostItemTypes bounds the types of a field.
const mostItemTypes = 100

// Check implements Values.
func (f *ItemOptions) Check() error {
	if f.Types == nil {
		f.Types = []string{}
	}
	if len(f.Types) > mostItemTypes {
		return OptionError{"types", fmt.Sprintf("The types must not have more than %d entries.", mostItemTypes)}
	}
	slices.Sort(f.Types)
	f.Types = slices.Compact(f.Types)

	return nil
}

// Parse implements Values.
func (f *ItemOptions) Parse(raw []byte) (Value, error) {
	ref, err := ParseItem(raw)
	if err != nil {
		return Value{}, err
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, ref.Type) {
		return Value{}, Error("must be of one of the types " + strings.Join(f.Types, ", ") + naming.DidYouMean(ref.Type, f.Types))
	}

	return Value{JSON: []byte(`{"type":` + string(rawjson.Quote(ref.Type)) + `,"uuid":"` + ref.UUID.String() + `"}`), Key: ref.UUID}, nil
}

// ParseItem reads an item: {"type": "sms.message", "uuid": "…"}. Its error is an Error.
func ParseItem(raw []byte) (ref item.Ref, err error) {
	if raw[0] != '{' || json.Unmarshal(raw, &ref) != nil {
		return ref, errItem
	}

	return ref, nil
}

// Comparable implements Values.
func (*ItemOptions) Comparable(text string) (any, error) { return ParseUUID(text) }

// Schema implements Values.
func (f *ItemOptions) Schema() map[string]any {
	typ := map[string]any{"type": "string"}
	if len(f.Types) > 0 {
		typ["enum"] = f.Types
	}

	return map[string]any{
		"type":       "object",
		"properties": map[string]any{"type": typ, "uuid": map[string]any{"type": "string", "format": "uuid"}},
		"required":   []string{"type", "uuid"}, "additionalProperties": false,
	}
}
