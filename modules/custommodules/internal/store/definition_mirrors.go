package store

import (
	"slices"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// mirrors are the fields of the struct that formulas among own fields read.
func (d *Definitions) mirrors(itemType string, own []*definition.ModuleField) []*definition.ModuleField {
	var all []*definition.ModuleField
	for _, of := range d.StructFields(itemType) {
		if slices.ContainsFunc(own, func(f *definition.ModuleField) bool {
			made, is := f.Values.(*formula.Options)

			return is && slices.Contains(formula.NamesIn(made.Formula), of.Key)
		}) {
			all = append(all, definition.MirrorField(of))
		}
	}

	return all
}
