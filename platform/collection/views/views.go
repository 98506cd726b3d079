// Package views keeps saved views of the lists of collections: a filter, a sort and columns under a name, one user's or everybody's.
//
// What a view names is kept by the ids of fields, so that a view follows a field whose key changes, and says which of its parts are
// gone. A list by a view is the list of the query that ApplyTo makes of it.
package views

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	// mostViews bounds the views of a collection. What one may have is what the list may that it becomes.
	mostViews = 1_000
	// longestName is how many characters the name of a view may have.
	longestName = 120
)

// Views keeps the views of all collections. It may be used from several goroutines.
type Views struct {
	db    *database.DB
	repo  repository
	clock clock.Clock
	audit *audit.Log
}

// New returns the views in a database.
func New(db *database.DB, c clock.Clock, trail *audit.Log) *Views {
	return &Views{db: db, repo: repository{db}, clock: c, audit: trail}
}

// Schema is what a list of views can be asked for.
var Schema = list.Schema{
	ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
	Fields: []list.Field{
		{Name: "name", Expr: "name", Kind: kind.Text, Sortable: true, Filterable: true},
		{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
	},
	DefaultSort: []string{"name"},
}

// List answers with a page of the views of a collection that the caller sees: everybody's and his own. Errors: those of lists and of the
// collection.
func List[B any](ctx context.Context, v *Views, of collection.Viewed, in *list.Input, show func(View) B) (*list.Output[B], error) {
	q, err := in.Parse(ctx, list.ShownAs[B](Schema))
	if err != nil {
		return nil, err
	}
	var shown list.Page[B]
	err = of.Listing(ctx, func(ctx context.Context, l collection.Listing) error {
		page, err := v.repo.page(ctx, l.Name, q)
		if err != nil {
			return err
		}
		shown = list.Convert(page, func(row viewRow) B {
			view, failure := row.toView(ctx, l)
			if failure != nil {
				err = failure
			}

			return show(view)
		})

		return err
	})

	return list.Answer(q, shown), err
}

// Find returns a view. Errors: ErrNotFound and those of the collection.
func (v *Views) Find(ctx context.Context, of collection.Viewed, id uuid.UUID) (view View, err error) {
	err = of.Listing(ctx, func(ctx context.Context, l collection.Listing) error {
		row, err := v.repo.find(ctx, l.Name, id)
		if err == nil {
			view, err = row.toView(ctx, l)
		}

		return err
	})

	return view, err
}

// Create keeps a new view. Errors: ErrInvalid, ErrTooMany, those of Listing.MayShare and of the collection.
func (v *Views) Create(ctx context.Context, of collection.Viewed, n NewView) (view View, err error) {
	now, by := v.clock.Now(), principal.UserOf(ctx)
	err = of.Listing(ctx, func(ctx context.Context, l collection.Listing) error {
		row := viewRow{
			ID: database.NewID(), Collection: l.Name, Content: []byte("{}"), Version: 1,
			CreatedAt: now, CreatedBy: by, UpdatedAt: now, UpdatedBy: by,
		}
		if err := row.apply(ctx, l, n.all()); err != nil {
			return err
		}
		err := v.db.InTx(ctx, func(ctx context.Context) error {
			if err := v.makeRoom(ctx, l); err != nil {
				return err
			}
			if err := v.repo.insert(ctx, row); err != nil {
				return err
			}

			return v.record(ctx, l, viewRow{}, row)
		})
		if err == nil {
			view, err = row.toView(ctx, l)
		}

		return err
	})

	return view, err
}

// makeRoom returns ErrTooMany if a collection may have no more views. Nobody else adds one until the transaction ends.
func (v *Views) makeRoom(ctx context.Context, l collection.Listing) error {
	if err := v.repo.lock(ctx, l.Name); err != nil {
		return err
	}
	count, err := v.repo.count(ctx, l.Name)
	if err == nil && count >= mostViews {
		err = ErrTooMany.WithMessage("The %s already has %d views, the maximum. Delete one first.", l.Noun, count).WithDetail("limit", mostViews)
	}

	return err
}

// Replace keeps a view anew. Errors: those of Create and Find, ErrOvertaken, and a stale If-Match.
func (v *Views) Replace(ctx context.Context, of collection.Viewed, id uuid.UUID, match web.IfMatch, n NewView) (View, error) {
	return v.Change(ctx, of, id, match, n.all())
}

// Change changes a part of a view. Errors: those of Replace.
func (v *Views) Change(ctx context.Context, of collection.Viewed, id uuid.UUID, match web.IfMatch, p Patch) (view View, err error) {
	err = of.Listing(ctx, func(ctx context.Context, l collection.Listing) error {
		before, err := v.changeable(ctx, l, id, match)
		if err != nil {
			return err
		}
		row := before
		row.Version, row.UpdatedAt, row.UpdatedBy = before.Version+1, v.clock.Now(), principal.UserOf(ctx)
		if err := row.apply(ctx, l, p); err != nil {
			return err
		}
		err = v.db.InTx(ctx, func(ctx context.Context) error {
			if err := v.repo.update(ctx, row); err != nil {
				return err
			}

			return v.record(ctx, l, before, row)
		})
		if err == nil {
			view, err = row.toView(ctx, l)
		}

		return err
	})

	return view, err
}

// Delete removes a view. Errors: those of Find and Listing.MayShare, ErrOvertaken, and a stale If-Match.
func (v *Views) Delete(ctx context.Context, of collection.Viewed, id uuid.UUID, match web.IfMatch) error {
	return of.Listing(ctx, func(ctx context.Context, l collection.Listing) error {
		row, err := v.changeable(ctx, l, id, match)
		if err != nil {
			return err
		}

		return v.db.InTx(ctx, func(ctx context.Context) error {
			if err := v.repo.remove(ctx, row); err != nil {
				return err
			}

			return v.record(ctx, l, row, viewRow{})
		})
	})
}

// ApplyTo returns the query of a list by a view, uuid.Nil for none: what the query says itself goes before what the view says.
// Columns of fields that are gone are left out; a filter that is gone would show other rows. Errors: ErrNotFound, ErrBroken.
func (v *Views) ApplyTo(ctx context.Context, l collection.Listing, view uuid.UUID, in *list.Input) (*list.Input, error) {
	if view == uuid.Nil {
		return in, nil
	}
	row, err := v.repo.find(ctx, l.Name, view)
	if err != nil {
		return nil, err
	}
	kept, err := row.storedContent()
	if err != nil {
		return nil, err
	}
	content, lost := kept.Renamed(l.KeyOf)
	refusal := ErrBroken
	for _, part := range lost {
		if !strings.HasPrefix(part.Path, "columns.") {
			refusal = refusal.WithField("view."+part.Path, "The field "+part.Field+" is gone.")
		}
	}
	if len(refusal.Fields) > 0 {
		return nil, refusal
	}

	return in.WithQuery(func(given url.Values) url.Values { return content.Query(given, l.Column) }), nil
}

// CountNaming counts the views of a collection that name a field by its ID, which is a UUID.
func (v *Views) CountNaming(ctx context.Context, of collection.Name, id uuid.UUID) (int64, error) {
	return v.repo.countNaming(ctx, of, id.String())
}

// Drop deletes all views of a collection that is purged, of any company, in the transaction in ctx. The trail has nothing of it.
func (v *Views) Drop(ctx context.Context, company uuid.UUID, of collection.Name) error {
	return v.repo.drop(ctx, company, of)
}

// changeable returns a view that the caller may change.
func (v *Views) changeable(ctx context.Context, l collection.Listing, id uuid.UUID, match web.IfMatch) (viewRow, error) {
	row, err := v.repo.find(ctx, l.Name, id)
	if err == nil && row.OwnerID == nil {
		err = l.MayShare(ctx)
	}
	if err == nil {
		err = match.Check(row.Version)
	}

	return row, err
}

// apply changes what a view says, or says everything that is wrong with the change.
func (v *viewRow) apply(ctx context.Context, l collection.Listing, p Patch) error {
	refusal := ErrInvalid
	if p.Name != nil {
		v.Name = naming.Normal(*p.Name)
		if problem := naming.Check("name", v.Name, longestName); problem != "" {
			refusal = refusal.WithField("name", problem)
		}
	}
	if p.Shared != nil {
		v.OwnerID = principal.UserOf(ctx)
		switch {
		case *p.Shared:
			v.OwnerID = nil
			if err := l.MayShare(ctx); err != nil {
				return err
			}
		case v.OwnerID == nil:
			refusal = refusal.WithField("shared", "A service token has no private views: shared must be true.")
		}
	}
	named, lost := Content{Filter: p.Filter, Sort: p.Sort, Columns: p.Columns}.Renamed(l.IDOf)
	for _, part := range lost {
		refusal = refusal.WithField(part.Path, naming.UnknownKey(part.Field, " in this "+l.Noun, slices.Concat(l.Keys, l.Own)))
	}
	if len(refusal.Fields) > 0 {
		return refusal
	}
	if !p.replaces() {
		return nil
	}

	return v.applyPatch(ctx, l, named, p)
}

// applyPatch takes those parts of a content, by ids, that a patch has, if a list by the view can be asked for then.
func (v *viewRow) applyPatch(ctx context.Context, l collection.Listing, named Content, p Patch) error {
	made, err := v.storedContent()
	if err != nil {
		return err
	}
	if p.Filter != nil {
		made.Filter = named.Filter
	}
	if p.Sort != nil {
		made.Sort = named.Sort
	}
	if p.Columns != nil {
		made.Columns = named.Columns
	}
	shown, _ := made.Renamed(l.KeyOf)
	if _, err := checkList(ctx, l, shown); err != nil {
		return viewRefusal(err, shown)
	}
	v.Content, err = json.Marshal(made)

	return err
}

// checkList checks the list that a content becomes.
func checkList(ctx context.Context, l collection.Listing, c Content) ([]list.Warning, error) {
	in := list.FromQuery("", c.Query(url.Values{}, l.Column))

	return l.Ask(ctx, &in)
}

// viewRefusal is the refusal of a query as that of a view, whose parts it names.
func viewRefusal(err error, content Content) error {
	query, ok := errors.AsType[*errs.Error](err)
	if !ok || query.Kind != errs.Invalid || len(query.Fields) == 0 {
		return err
	}
	refusal := ErrInvalid
	for _, path := range slices.Sorted(maps.Keys(query.Fields)) {
		if part := content.Path(path); refusal.Fields[part] == nil {
			refusal = refusal.WithField(part, query.Fields[path][0])
		}
	}

	return refusal
}

// storedContent is what a view says by the ids of fields.
func (v viewRow) storedContent() (Content, error) {
	var kept Content
	if err := json.Unmarshal(v.Content, &kept); err != nil {
		return kept, fmt.Errorf("view %s: %w", v.ID, err)
	}

	return kept, nil
}

// toView is the view by the present keys of fields, without the parts whose fields the caller does not see, or nobody any more. The
// warnings are those of the list that it becomes; a view that is none for the caller, or by now, has none.
func (v viewRow) toView(ctx context.Context, l collection.Listing) (View, error) {
	kept, err := v.storedContent()
	if err != nil {
		return View{}, err
	}
	content, lost := kept.Renamed(l.KeyOf)
	shown := View{
		UUID: v.ID, Name: v.Name, Shared: v.OwnerID == nil, Filter: content.Filter, Sort: content.Sort, Columns: content.Columns,
		Version: v.Version, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt, broken: lost, collection: v.Collection,
	}
	warnings, err := checkList(ctx, l, Content{Filter: content.Filter, Sort: content.Sort})
	if err != nil && errs.KindOf(err) != errs.Invalid {
		return View{}, err
	}
	for _, w := range warnings {
		w.Path = content.Path(w.Path)
		shown.Warnings = append(shown.Warnings, w)
	}

	return shown, nil
}
