package custommodules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
)

const errItem = valueError(`must be an item: {"type": "…", "uuid": "…"}.`)

// itemField points at an item of another area.
type itemField struct {
	rawCells

	Types []string `json:"types"`
}

func itemType() fieldType {
	return fieldType{
		name: "item",
		about: `A thing of another area, as {"type": "sms.message", "uuid": "…"}; types are the types that it may have, all ` +
			"without them. It must be there when it is set, and may go later.",
		slot:    uuidSlot,
		filter:  list.UUID,
		inside:  "uuid",
		options: func() valueType { return &itemField{Types: []string{}} },
	}
}

// mostItemTypes bounds the types of a field.
const mostItemTypes = 100

func (f *itemField) check() error {
	if f.Types == nil {
		f.Types = []string{}
	}
	if len(f.Types) > mostItemTypes {
		return optionError{"types", fmt.Sprintf("The types must not be more than %d.", mostItemTypes)}
	}
	slices.Sort(f.Types)
	f.Types = slices.Compact(f.Types)

	return nil
}

func (f *itemField) parse(raw []byte) (value, error) {
	ref, err := itemIn(raw)
	if err != nil {
		return value{}, err
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, ref.Type) {
		return value{}, valueError("must be of one of the types " + strings.Join(f.Types, ", ") + meant(ref.Type, f.Types))
	}

	return value{json: []byte(`{"type":` + string(quote(ref.Type)) + `,"uuid":"` + ref.UUID.String() + `"}`), key: ref.UUID}, nil
}

func itemIn(raw []byte) (ref item.Ref, err error) {
	if raw[0] != '{' || json.Unmarshal(raw, &ref) != nil {
		return ref, errItem
	}

	return ref, nil
}

// meant ends a sentence, with the nearest of the known names.
func meant(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return ". Did you mean " + near + "?"
	}

	return "."
}

func (*itemField) comparable(text string) (any, error) { return parseUUID(text) }

func (f *itemField) schema() map[string]any {
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

// itemNaming is a valueType whose values are items of other areas.
type itemNaming interface {
	// named returns the item that a value, in its normal form, names.
	named(json []byte) (item.Ref, error)
}

func (*itemField) named(json []byte) (item.Ref, error) { return itemIn(json) }

// pointer is an item that a record which is being written points at.
type pointer struct {
	field *field
	to    item.Ref
}

// checkItems finds items that are not there, asking for all of a type at once.
func (s *service) checkItems(ctx context.Context, named []pointer, found *problems) error {
	byType := map[string][]pointer{}
	var files []pointer
	for _, p := range named {
		if _, isFile := p.field.values.(*fileField); isFile {
			files = append(files, p)

			continue
		}
		byType[p.to.Type] = append(byType[p.to.Type], p)
	}
	for _, some := range byType {
		refs := make([]item.Ref, len(some))
		for i, p := range some {
			refs[i] = p.to
		}
		missing, err := s.others.items.Exists(ctx, refs...)
		refusal, refused := errors.AsType[*errs.Error](err)
		if err != nil && (!refused || refusal.Kind != errs.Invalid) {
			return fmt.Errorf("items: %w", err)
		}
		for _, p := range some {
			switch {
			case refused:
				found.add("payload."+p.field.key, refusal.Message)
			case slices.Contains(missing, p.to):
				found.add("payload."+p.field.key, "The "+p.field.spoken+" does not exist.")
			}
		}
	}

	return s.checkFiles(ctx, files, found)
}

// checkItemTypes finds types of items, in the options of a field, that there are not.
func (s *service) checkItemTypes(row fieldRow, found *problems) {
	values, err := s.definitions.types.values(row.Type, row.Options)
	items, ok := values.(*itemField)
	if err != nil || !ok {
		return
	}
	var known []string
	for _, t := range s.others.items.Types() {
		known = append(known, t.Type)
	}
	for _, typ := range items.Types {
		if !slices.Contains(known, typ) {
			found.add("options.types", "There is no type of items "+shorten(typ)+meant(typ, known))
		}
	}
}
