package resource

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Description is what can be said of a resource without a caller.
type Description struct {
	// Item is the item type, Path that of its operations in the area: "/trucks".
	Item, Area, Path string
	// Noun and Plural are as the IDs of operations have them.
	Noun, Plural string
	// Body is the schema of a new row, without references to other schemas.
	Body   *huma.Schema
	Fields []FieldDescription
	// Searched says that q= of its list looks into some fields; Title is the key of the title, "" for none.
	Searched bool
	Title    string
	// Own are the operations that the area serves by itself.
	Own []Verb
	// Steps are those of its life, nil without one.
	Steps []Step
	// Initial is the state of a new row, and State the key of the field that has it.
	Initial, State string
}

// FieldDescription is what can be said of a field.
type FieldDescription struct {
	Key, Label string
	Kind       kind.Kind
	// ReadOnly is the service's to write, Fixed given with a new row alone.
	Required, Unique, Sensitive, ReadOnly, Fixed bool
	// Sortable and Filterable are of its lists.
	Sortable, Filterable bool
	// Item is the type of the items that it names, User says that it names a user.
	Item string
	User bool
	// AnyItem says that it is an Item.
	AnyItem bool
}

// Step is a step of a life.
type Step struct{ From, Verb, To string }

// Resources are the resources of the enabled areas, by item type.
func (e *Engine) Resources() []Description {
	all := make([]Description, 0, len(e.resources))
	for _, name := range slices.Sorted(maps.Keys(e.resources)) {
		all = append(all, e.resources[name].describeAll())
	}

	return all
}

func (r *table) describeAll() Description {
	d := Description{
		Item: r.Item, Area: r.area, Path: "/" + r.Plural, Noun: r.noun, Plural: r.Plural, Body: r.plan.Forms().Body, Own: r.Own,
	}
	d.Searched = r.plan.Searched != nil
	if title := r.plan.Title(); title != nil {
		d.Title = title.Key
	}
	for _, f := range r.plan.Fields {
		d.Fields = append(d.Fields, FieldDescription{
			Key: f.Key, Label: f.Label, Kind: f.Kind, Required: f.Required, Unique: f.Unique, Sensitive: f.Guard != "",
			ReadOnly: f.ReadOnly, Fixed: f.Fixed, Item: f.Item, User: f.User, AnyItem: f.AnyItem,
			Sortable: f.Sort, Filterable: f.Kind.Comparable() && !f.NoFilter,
		})
	}
	if r.life != nil {
		d.State = r.stateKey
		d.Initial, d.Steps = r.life.describe()
	}

	return d
}
