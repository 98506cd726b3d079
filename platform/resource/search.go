package resource

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/search"
	"github.com/dispatchd/dispatchd/platform/web"
)

// entry is what a row of a company is found by.
func (r *table) entry(company uuid.UUID, row any) search.Entry {
	v, m := columns.ValueOf(row), columns.MetaOf(row)
	made := search.Entry{Company: company, Type: r.Item, ID: m.ID, Part: r.partOf(row), Deleted: m.DeletedAt != nil}
	for _, f := range r.plan.Searched {
		var line search.Line
		if f != nil {
			line.Text, _ = f.Plain(v).(string)
			line.More = f.More(line.Text)
		}
		made.Lines = append(made.Lines, line)
	}

	return made
}

// enter keeps in the index what rows that were changed, and are stored, are found by.
func (r *table) enter(ctx context.Context, all []revision) error {
	own := r.ownIn(ctx)
	if !r.searches(own) {
		return nil
	}
	var entries []search.Entry
	for _, c := range all {
		if !r.foundAlike(own, c.before, c.after) {
			entries = append(entries, r.entryWith(principal.CompanyOf(ctx), c.after, linesOf(own, columns.MetaOf(c.after), true)))
		}
	}

	return r.engine.index.Put(ctx, entries...)
}

// finding is a resource as a search over all of them knows it.
type finding interface {
	// lines are the keys of the fields that are searched, "" for a title that there is not; nil if none is.
	lines() []string
	firstOwnLine() int
	ownFields(ctx context.Context) (Own, error)
	// info is the resource as a collection.
	info() collection.Info
	// readable reports whether the caller has the scope to read rows by the given operations.
	readable(ctx context.Context) bool
	reindex(ctx context.Context, after database.Place, most int) ([]database.Place, error)
}

// lines implements finding.
func (r *table) lines() []string {
	var keys []string
	for _, f := range r.plan.Searched {
		key := ""
		if f != nil {
			key = f.Key
		}
		keys = append(keys, key)
	}

	return keys
}

// info implements finding.
func (r *table) info() collection.Info {
	return collection.Info{Name: collection.Name(r.Item), Area: r.area, Title: naming.Label(r.Plural)}
}

// readable implements finding. Of rows that the area lists or reads by a handler of its own, nobody knows here who may
// see which.
func (r *table) readable(ctx context.Context) bool {
	if r.owns(List) || r.owns(Read) {
		return false
	}
	scope := string(r.ReadAccess)
	if strings.HasPrefix(scope, ":") {
		scope = r.area + scope
	}
	caller, known := principal.From(ctx)

	return known && (r.ReadAccess == web.SignedIn || r.ReadAccess == web.Public || caller.Allows(scope))
}

// Search implements collection.Searcher over the resources that the caller may read, in the areas that the company uses.
func (e *Engine) Search(ctx context.Context, text string, most int) (collection.Found, error) {
	terms, types := search.Parse(text), []string(nil)
	for name, r := range e.resources {
		uses, err := e.finds(ctx, r)
		if err != nil {
			return collection.Found{}, err
		}
		if uses {
			types = append(types, name)
		}
	}
	slices.Sort(types)
	hidden, err := e.items.Hidden(ctx)
	if err != nil {
		return collection.Found{}, err
	}
	hits, err := e.index.Hits(ctx, search.Scope{Types: types, Hidden: hidden}, terms, most+1)
	if err != nil {
		return collection.Found{}, err
	}
	all := collection.Found{More: len(hits) > most}
	for _, hit := range hits[:min(len(hits), most)] {
		r := e.resources[hit.Type]
		made := collection.Hit{Type: hit.Type, Row: hit.ID, Title: hit.Title, Rank: int(hit.Rank), Collection: r.info(), Snippet: hit.Snippet}
		key, there, err := lineKey(ctx, r, hit.Line)
		if err != nil {
			return collection.Found{}, err
		}
		if made.Field = key; !there { // and what it had is none of the caller's business
			made.Field, made.Snippet = "", ""
		}
		all.Hits = append(all.Hits, made)
	}

	return all, nil
}

// finds reports whether a search over everything looks for rows of a resource: the caller may read them, the company uses the
// area, and there is something by which they are found.
func (e *Engine) finds(ctx context.Context, r finding) (bool, error) {
	if !r.readable(ctx) {
		return false, nil
	}
	uses, err := e.uses(ctx, r.info().Area)
	if err != nil || !uses || r.lines() != nil {
		return uses, err
	}
	own, err := r.ownFields(ctx)

	return own != nil && own.Searched(), err
}
