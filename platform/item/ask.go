package item

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Exists returns which of the items there are not, for the caller's company, in the given order. It
// needs no scope: who names an item by its UUID may know that it is there. Errors:
// item.unknown_type.
func (r *Registry) Exists(ctx context.Context, refs ...Ref) (missing []Ref, err error) {
	there, err := r.describe(ctx, refs, r.typeOf)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if _, exists := there[ref]; !exists {
			missing = append(missing, ref)
		}
	}

	return missing, nil
}

// ClassOf returns the class of an item, and whether there is such an item for the caller. Like Exists, it needs no
// scope; the class is for keeping beside the reference, not for an answer. Errors: item.unknown_type.
func (r *Registry) ClassOf(ctx context.Context, ref Ref) (Class, bool, error) {
	there, err := r.describe(ctx, []Ref{ref}, r.typeOf)
	d, exists := there[ref]

	return Class{Type: ref.Type, Part: d.Part}, exists, err
}

// Classes returns the classes of those of some items that there are. Like ClassOf, it needs no scope. Errors:
// item.unknown_type.
func (r *Registry) Classes(ctx context.Context, refs ...Ref) (map[Ref]Class, error) {
	there, err := r.describe(ctx, refs, r.typeOf)
	classes := make(map[Ref]Class, len(there))
	for ref, d := range there {
		classes[ref] = Class{Type: ref.Type, Part: d.Part}
	}

	return classes, err
}

// Titled is what an item is called.
type Titled struct {
	Ref

	// Exists says that there is such an item, of a type that the company may use.
	Exists bool
	// Title is "" for an item that does not exist, and for a caller who may not read it.
	Title string
	// Class is what fields the item has; the zero Class where Title is withheld.
	Class Class
}

// Titles returns what items are called, one answer for each reference and in their order. It is for
// references that were stored, which outlive what they point to: an item whose type is not known
// any more, or whose area the company has ceased to use, does not exist, and that is no error.
func (r *Registry) Titles(ctx context.Context, refs []Ref) ([]Titled, error) {
	there, err := r.describe(ctx, refs, func(ctx context.Context, typ string) (itemType, error) {
		k, err := r.typeOf(ctx, typ)
		if errors.Is(err, ErrUnknownType) {
			return itemType{}, nil
		}

		return k, err
	})
	if err != nil {
		return nil, err
	}
	titles := make([]Titled, len(refs))
	for i, ref := range refs {
		titles[i].Ref = ref
		var d Description
		if d, titles[i].Exists = there[ref]; titles[i].Exists && r.types[ref.Type].allows(ctx) {
			titles[i].Title, titles[i].Class = d.Title, Class{Type: ref.Type, Part: d.Part}
		}
	}

	return titles, nil
}

// describe asks the types of some items what there is. A type without a name is passed over.
func (r *Registry) describe(
	ctx context.Context, refs []Ref, typeOf func(ctx context.Context, typ string) (itemType, error),
) (map[Ref]Description, error) {
	all := make(map[Ref]Description, len(refs))
	for _, g := range groupByType(refs) {
		k, err := typeOf(ctx, g.typ)
		if err != nil {
			return nil, err
		}
		if k.name == "" {
			continue
		}
		got, err := inBatches(ctx, k, g.ids, k.describe)
		if err != nil {
			return nil, err
		}
		for id, d := range got {
			all[Ref{Type: g.typ, UUID: id}] = d
		}
	}

	return all, nil
}

// Fields returns the fields of the items of some classes, one answer for each class and in their
// order; nil for a part that is not there. Titles tells the class of an item. Errors:
// item.unknown_type, item.not_readable and item.no_fields.
func (r *Registry) Fields(ctx context.Context, classes ...Class) ([][]Field, error) {
	parts := map[string][]string{}
	var types []string
	for _, c := range classes {
		if _, seen := parts[c.Type]; !seen {
			types = append(types, c.Type)
		}
		parts[c.Type] = append(parts[c.Type], c.Part)
	}
	all := make(map[string]map[string][]Field, len(types))
	for _, typ := range types {
		k, err := r.readable(ctx, typ)
		if err != nil {
			return nil, err
		}
		if all[typ], err = k.fields(telemetry.WithArea(ctx, k.area), uniqueTexts(parts[typ])); err != nil {
			return nil, fmt.Errorf("fields of items of type %s: %w", typ, err)
		}
	}
	fields := make([][]Field, len(classes))
	for i, c := range classes {
		fields[i] = all[c.Type][c.Part]
	}

	return fields, nil
}

// Values returns values of items by key, one answer for each reference and in their order; nil for
// an item that does not exist. Without keys it returns all values. A key that an item has no field
// for is absent from its answer: of a Class, Fields says which there are. Errors: item.unknown_type,
// item.not_readable and item.no_fields.
func (r *Registry) Values(ctx context.Context, refs []Ref, keys ...string) ([]Values, error) {
	keys = uniqueTexts(keys)
	all := make(map[Ref]Values, len(refs))
	for _, g := range groupByType(refs) {
		k, err := r.readable(ctx, g.typ)
		if err != nil {
			return nil, err
		}
		got, err := inBatches(ctx, k, g.ids, func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Values, error) {
			return k.values(ctx, ids, keys)
		})
		if err != nil {
			return nil, err
		}
		for id, values := range got {
			all[Ref{Type: g.typ, UUID: id}] = values
		}
	}
	values := make([]Values, len(refs))
	for i, ref := range refs {
		values[i] = all[ref]
	}

	return values, nil
}

// uniqueTexts returns the texts, each once, in the order of first mention.
func uniqueTexts(texts []string) []string {
	var once []string
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			once = append(once, text)
		}
	}

	return once
}
