package field

import (
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Facet is a member of values that are objects, by which records are filtered: "pickup.city". No index
// holds it.
type Facet struct {
	Name string
	Type Type
}

// addressFacets are the parts of an address that people look for.
func addressFacets() []Facet {
	words := Type{Index: TextIndex, Filter: kind.Text, Operators: searchOperators(), New: func() Values { return &TextOptions{} }}
	codes := words
	codes.New = func() Values { return &code{} }

	return []Facet{{"line1", words}, {"line2", words}, {"city", words}, {"state", words}, {"postal_code", words}, {"country", codes}}
}

// code is text that is kept in upper case.
type code struct{ TextOptions }

// Comparable implements Values.
func (c *code) Comparable(text string) (any, error) { return c.Part(text) }

// Part implements PartSearcher.
func (*code) Part(text string) (string, error) {
	text, err := ComparableText(text)

	return strings.ToUpper(strings.TrimSpace(text)), err
}

// geoFacets are the degrees of a point, of which four conditions are a box.
func geoFacets() []Facet {
	degrees := Type{
		Index: NumericIndex, Filter: kind.Decimal, Operators: list.Ordered, Number: true,
		New: func() Values { return &DecimalOptions{Scale: geoDigits} },
	}

	return []Facet{{"lat", degrees}, {"lng", degrees}}
}
