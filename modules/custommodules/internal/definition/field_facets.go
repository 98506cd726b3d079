package definition

// Facets returns the facets of a field as fields that a list can be filtered by.
func (f *ModuleField) Facets() []*ModuleField {
	facets := make([]*ModuleField, len(f.Typ.Facets))
	for i, facet := range f.Typ.Facets {
		typ := facet.Type
		typ.Inside = facet.Name
		facets[i] = &ModuleField{Number: f.Number, Key: f.Key + "." + facet.Name, Typ: typ, Values: typ.New(), Position: -1}
	}

	return facets
}
