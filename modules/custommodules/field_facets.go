package custommodules

// facets returns the facets of a field as fields that a list can be filtered by.
func (f *moduleField) facets() []*moduleField {
	facets := make([]*moduleField, len(f.typ.Facets))
	for i, facet := range f.typ.Facets {
		typ := facet.Type
		typ.Inside = facet.Name
		facets[i] = &moduleField{number: f.number, key: f.key + "." + facet.Name, typ: typ, values: typ.New(), position: -1}
	}

	return facets
}
