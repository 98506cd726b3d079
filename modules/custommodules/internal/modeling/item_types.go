package modeling

import (
	"slices"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// checkItemTypes finds types of items, in the options of a field, that there are not.
func (s *Service) checkItemTypes(row definition.FieldRow, found *definition.Problems) {
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	items, ok := values.(*field.ItemOptions)
	if err != nil || !ok {
		return
	}
	var known []string
	for _, t := range s.others.Items.Types() {
		known = append(known, t.Type)
	}
	for _, typ := range items.Types {
		if !slices.Contains(known, typ) {
			found.Add("options.types", "There is no item type "+naming.Shorten(typ)+naming.DidYouMean(typ, known))
		}
	}
}
