package modeling

import (
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
)

// GiveSearch makes a field searchable from the module's revision on, or says why it cannot be. Ready says
// that no record has a value of the field.
func (s *Service) GiveSearch(row *definition.FieldRow, module *definition.ModuleRow, asked, ready bool) string {
	if !asked {
		row.Searchable, row.SearchSince, row.SearchReady = false, nil, false

		return ""
	}
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if err != nil {
		return "" // said already
	}
	switch _, has := values.(field.Worded); {
	case !has:
		return "A field of the type " + string(row.Type) + " cannot be searchable."
	case row.Sensitive:
		return "A sensitive field cannot be searchable."
	case !row.Searchable:
		row.Searchable, row.SearchSince, row.SearchReady = true, new(module.Revision), ready
	}

	return ""
}
