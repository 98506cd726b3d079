package resource

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// errOwnWrites says that an area creates or changes the rows by operations of its own, which decide what this cannot.
var errOwnWrites = errs.New(errs.Forbidden, "collection.own_operations", "Rows of this collection are written by the operations of its area alone.")

// rows are the rows of a resource as a collection.
type rows struct{ of *table }

// collectionLine is the manifest line of the resource's collection. One whose lists the area serves by itself has none.
func collectionLine[R any](rules Rules[R], area string) fx.Option {
	if slices.Contains(rules.Own, List) {
		return fx.Options()
	}
	scopes := collection.Scopes{Read: area + string(rules.ReadAccess), Write: area + string(rules.WriteAccess)}

	return collection.Type(collection.Name(rules.Item), columns.Capitalize(columns.Spaced(rules.Plural)), scopes, func(r *Resource[R]) collection.Collection {
		return rows{r.table}
	})
}

// collected is what a collection says of the fields that a caller sees.
type collected struct {
	// of are the fields of the struct, which come first; own keeps the others, nil for none.
	of     []*columns.Field
	own    Own
	fields []collection.Field
	hidden []string
	schema map[string]any
}

// collect describes the fields that a caller sees.
func (r *table) collect(sees columns.Sight) (collected, error) {
	var c collected
	body, err := json.Marshal(r.plan.Forms().Body)
	if err == nil {
		err = json.Unmarshal(body, &c.schema)
	}
	if err != nil {
		return c, err
	}
	t, own := r.plan.Type(), r.plan.MetaKeys()
	for _, f := range r.plan.Fields {
		switch {
		case own[f.Key]:
		case !f.SeenBy(sees):
			c.hidden = append(c.hidden, f.Key)
			if properties, ok := c.schema["properties"].(map[string]any); ok {
				delete(properties, f.Key)
			}
		default:
			c.of, c.fields = append(c.of, f), append(c.fields, f.CollectionField(t.FieldByIndex(f.Index).Type))
		}
	}

	return c, nil
}

// collectedFor is collect for who is calling.
func (r *table) collectedFor(ctx context.Context) (collected, error) {
	c, err := r.collections[r.sees(ctx)]()
	if err != nil {
		return c, err
	}

	return r.collectOwn(ctx, c)
}

// Describe implements collection.Collection.
func (c rows) Describe(ctx context.Context) (collection.Description, error) {
	seen, err := c.of.collectedFor(ctx)

	return c.describe(seen), err
}

func (c rows) describe(seen collected) collection.Description {
	return collection.Description{
		Info: collection.Info{Name: collection.Name(c.of.Item), Area: c.of.area, Title: columns.Capitalize(columns.Spaced(c.of.Plural))}, Noun: "collection",
		Fields: seen.fields, Hidden: seen.hidden, Schema: func() map[string]any { return seen.schema },
	}
}

// MayWrite implements collection.Collection.
func (c rows) MayWrite(context.Context) error {
	if c.of.owns(Create) || c.of.owns(Update) {
		return errOwnWrites
	}

	return nil
}

// Hold implements collection.Collection. What a resource is does not change while the service runs.
func (c rows) Hold(ctx context.Context) (collection.Description, error) {
	if err := c.MayWrite(ctx); err != nil {
		return collection.Description{}, err
	}

	return c.Describe(ctx)
}

// AffectsAllRows implements collection.Collection.
func (rows) AffectsAllRows(err error) bool {
	return errors.Is(err, errOwnWrites) || errors.Is(err, collection.ErrNotFound) || errors.Is(err, principal.ErrScopeMissing)
}

// Page implements collection.Collection.
func (c rows) Page(ctx context.Context, view uuid.UUID, in *list.Input) (collection.Page, error) {
	ctx, err := c.of.lookUpOwn(ctx)
	if err != nil {
		return collection.Page{}, err
	}
	seen, err := c.of.collectedFor(ctx)
	if err != nil {
		return collection.Page{}, err
	}
	if in, err = c.of.viewed(ctx, view, in); err != nil {
		return collection.Page{}, err
	}
	schema, err := c.of.schema(ctx)
	if err != nil {
		return collection.Page{}, err
	}
	q, err := in.Parse(ctx, schema)
	if err != nil {
		return collection.Page{}, err
	}
	found, err := c.of.page(ctx, q, false, "")
	if err != nil {
		return collection.Page{}, err
	}
	page := collection.Page{Description: c.describe(seen), Keys: q.Fields(), Rows: make([]collection.Row, len(found.Data))}
	if found.Meta.NextCursor != nil {
		page.Next = *found.Meta.NextCursor
	}
	documents, sees, err := c.of.documentsOf(ctx, seen, found.Data)
	if err != nil {
		return collection.Page{}, err
	}
	sight := c.of.sees(ctx)
	for i := range found.Data {
		c.of.plan.Mask(columns.ValueOf(found.Data[i]), sight)
		m := columns.MetaOf(found.Data[i])
		page.Rows[i] = collection.Row{
			UUID: m.ID, Version: m.Version, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, CreatedBy: m.CreatedBy, UpdatedBy: m.UpdatedBy,
			Values: make([][]byte, len(seen.of)),
		}
		for n, f := range seen.of {
			if page.Rows[i].Values[n], err = f.JSON(columns.ValueOf(found.Data[i])); err != nil {
				return collection.Page{}, err
			}
		}
		if seen.own != nil {
			page.Rows[i].Values = append(page.Rows[i].Values, seen.ownValues(documents[i], sees)...)
		}
	}

	return page, nil
}

// Holders implements collection.Finder.
func (c rows) Holders(ctx context.Context, field string, same []string) (map[string]uuid.UUID, error) {
	values := make([]any, len(same))
	for i, one := range same {
		values[i] = one
	}

	return c.of.holders(ctx, c.of.plan.ByKey[field], values)
}

// ifMatchVersion is the If-Match of a version, of any for 0.
func ifMatchVersion(version int64) web.IfMatch {
	if version == 0 {
		return web.IfMatch{}
	}

	return web.IfMatch{IfMatch: strconv.Quote(strconv.FormatInt(version, 10))}
}
