package custommodules

import (
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

// facet is a member of values that are objects, by which records are filtered: "pickup.city". No index
// holds it.
type facet struct {
	name string
	typ  fieldType
}

// facets returns the facets of a field as fields that a list can be filtered by.
func (f *field) facets() []*field {
	facets := make([]*field, len(f.typ.facets))
	for i, facet := range f.typ.facets {
		typ := facet.typ
		typ.inside = facet.name
		facets[i] = &field{number: f.number, key: f.key + "." + facet.name, typ: typ, values: typ.options(), position: -1}
	}

	return facets
}

// addressFacets are the parts of an address that people look for.
func addressFacets() []facet {
	words := fieldType{slot: textSlot, filter: list.Text, operators: searched(), options: func() valueType { return &text{} }}
	codes := words
	codes.options = func() valueType { return &code{} }

	return []facet{{"line1", words}, {"line2", words}, {"city", words}, {"state", words}, {"postal_code", words}, {"country", codes}}
}

// code is text that is kept in upper case.
type code struct{ text }

func (c *code) comparable(text string) (any, error) { return c.part(text) }

func (*code) part(text string) (string, error) {
	text, err := comparableText(text)

	return strings.ToUpper(strings.TrimSpace(text)), err
}

// geoFacets are the degrees of a point, of which four conditions are a box.
func geoFacets() []facet {
	degrees := fieldType{
		slot: numericSlot, filter: list.Decimal, operators: ordered(), number: true,
		options: func() valueType { return &decimal{Scale: geoDigits} },
	}

	return []facet{{"lat", degrees}, {"lng", degrees}}
}
