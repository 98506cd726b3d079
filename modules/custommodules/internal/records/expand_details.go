package records

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// allowDetails adds the details of a module's fields to what may be asked for, behind prefix.
func (x *expansions) allowDetails(ctx context.Context, d *definition.Definition, prefix string) error {
	for _, f := range d.Fields {
		names, err := x.registry.Names(ctx, f.Typ.Name)
		if err != nil {
			return err
		}
		for _, name := range names {
			x.allowed = append(x.allowed, detail.Path(prefix+f.Key, name))
		}
	}

	return nil
}

// addDetail adds a path that names a detail, one of those that are allowed.
func (x *expansions) addDetail(at *[]*expansion, f *definition.ModuleField, path string) error {
	if slices.ContainsFunc(*at, func(e *expansion) bool { return e.path == path }) {
		return nil
	}
	if err := x.countOne(); err != nil {
		return err
	}
	keys := strings.Split(path, ".")
	above, name := keys[:len(keys)-2], keys[len(keys)-1]
	asked := &detail.Asked{Type: f.Typ.Name, Name: name}
	x.details = append(x.details, asked)
	*at = append(*at, &expansion{path: path, key: f.Key, field: f.ID, detail: asked})
	var under strings.Builder
	for _, key := range above {
		under.WriteString("payload." + key + ".record.")
	}
	x.keys = append(x.keys, detail.Keys(under.String(), f.Key, name)...)

	return nil
}

func addValues(to *detail.Asked, f *definition.ModuleField, rows []definition.RecordRow) {
	for _, row := range rows {
		value, _ := f.Comparand(row.Data)
		to.Add(value)
	}
}

// embedDetails adds details to a record as the caller sees it: a value that is withheld has none.
func embedDetails(tree []*expansion, shown *Record, left *int) error {
	for _, e := range tree {
		if e.detail == nil {
			continue
		}
		text, there := e.detail.Of(rawjson.Text(rawjson.Member(shown.Payload, e.key)))
		if !there {
			continue
		}
		if *left -= len(text); *left < 0 {
			return errEmbedsTooMuch()
		}
		shown.Expanded = details(detail.Shown(shown.Expanded).With(e.key, e.detail.Name, text))
	}

	return nil
}

// details are what expand= embeds in a record.
type details detail.Shown

// Schema implements huma.SchemaProvider: it is the same for rows of all areas.
func (details) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: r.Schema(reflect.TypeFor[resource.Expanded](), true, "")}
}
