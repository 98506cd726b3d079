package custommodules

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// namesItems reports whether the values of a field are items of other areas.
func namesItems(values field.Values) bool {
	switch values.(type) {
	case *field.ItemOptions, *field.FileOptions:
		return true
	default:
		return false
	}
}

// namedItem returns the item that a value, in its normal form, names; false where values name none.
func namedItem(values field.Values, json []byte) (item.Ref, bool) {
	switch values.(type) {
	case *field.ItemOptions:
		ref, err := field.ParseItem(json)

		return ref, err == nil
	case *field.FileOptions:
		id, err := field.ParseUUID(rawjson.Text(rawjson.Member(json, "attachment_uuid")))

		return item.Ref{Type: attachmentItem, UUID: id}, err == nil
	default:
		return item.Ref{}, false
	}
}

// pointer is an item that a record which is being written points at.
type pointer struct {
	field *moduleField
	to    item.Ref
}

// checkItems finds items that are not there, asking for all of a type at once.
func (s *service) checkItems(ctx context.Context, named []pointer, found *problems) error {
	byType := map[string][]pointer{}
	var files []pointer
	for _, p := range named {
		if _, isFile := p.field.values.(*field.FileOptions); isFile {
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
	items, ok := values.(*field.ItemOptions)
	if err != nil || !ok {
		return
	}
	var known []string
	for _, t := range s.others.items.Types() {
		known = append(known, t.Type)
	}
	for _, typ := range items.Types {
		if !slices.Contains(known, typ) {
			found.add("options.types", "There is no type of items "+naming.Shorten(typ)+naming.DidYouMean(typ, known))
		}
	}
}
