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
	"github.com/dispatchd/dispatchd/platform/search"
	"github.com/dispatchd/dispatchd/platform/web"
)

// searchable makes plan.searched.
func (p *plan) searchable() []*field {
	title := p.title()
	all := []*field{title}
	for _, f := range p.fields {
		if f.search && f != title {
			all = append(all, f)
		}
	}
	if title == nil && len(all) == 1 {
		return nil
	}

	return all
}

// entry is what a row of a company is found by.
func (r *rulesOf[R]) entry(company uuid.UUID, row R) search.Entry {
	v, m := valueOf(&row), metaOf(&row)
	made := search.Entry{Company: company, Type: r.Item, ID: m.ID, Part: r.partOf(row), Deleted: m.DeletedAt != nil}
	for _, f := range r.plan.searched {
		var line search.Line
		if f != nil {
			line.Text, _ = f.plain(v).(string)
			line.More = f.more(line.Text)
		}
		made.Lines = append(made.Lines, line)
	}

	return made
}

// more is what a value is found by beside its text: a North American number as people write it.
func (f *field) more(text string) string {
	national, ok := strings.CutPrefix(text, "+1")
	if !f.phone || !ok || len(national) != 10 {
		return ""
	}
	area, exchange, line := national[:3], national[3:6], national[6:]

	return "(" + area + ") " + exchange + "-" + line + " " + area + "-" + exchange + "-" + line
}

// enter keeps in the index what rows that were changed are found by.
func (r *Resource[R]) enter(ctx context.Context, all []revision[R]) error {
	if r.plan.searched == nil {
		return nil
	}
	var entries []search.Entry
	for _, c := range all {
		if !r.foundAlike(c.before, *c.after) {
			entries = append(entries, r.entry(companyOf(ctx), *c.after))
		}
	}

	return r.engine.index.Put(ctx, entries...)
}

// foundAlike reports whether two versions of a row have the same entry.
func (r *rulesOf[R]) foundAlike(before, after R) bool {
	a, b := valueOf(&before), valueOf(&after)

	return r.partOf(before) == r.partOf(after) && (metaOf(&before).DeletedAt == nil) == (metaOf(&after).DeletedAt == nil) &&
		!slices.ContainsFunc(r.plan.searched, func(f *field) bool { return f != nil && !f.same(a, b) })
}

// finding is a resource as a search over all of them knows it.
type finding interface {
	// lines are the keys of the fields that are searched, "" for a title that there is not; nil if none is.
	lines() []string
	// info is the resource as a collection.
	info() collection.Info
	// readable reports whether the caller has the scope to read rows by the given operations.
	readable(ctx context.Context) bool
	reindex(ctx context.Context, after database.Place, most int) ([]database.Place, error)
}

// lines implements finding.
func (r *rulesOf[R]) lines() []string {
	var keys []string
	for _, f := range r.plan.searched {
		key := ""
		if f != nil {
			key = f.key
		}
		keys = append(keys, key)
	}

	return keys
}

// info implements finding.
func (r *rulesOf[R]) info() collection.Info {
	return collection.Info{Name: collection.Name(r.Item), Area: r.area, Title: naming.Label(r.Plural)}
}

// readable implements finding. Of rows that the area lists or reads by a handler of its own, nobody knows here who may
// see which.
func (r *rulesOf[R]) readable(ctx context.Context) bool {
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
		if r.lines() == nil || !r.readable(ctx) {
			continue
		}
		uses, err := e.uses(ctx, r.info().Area)
		if err != nil {
			return collection.Found{}, err
		}
		if !uses {
			continue
		}
		types = append(types, name)
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
		if keys := r.lines(); hit.Line < len(keys) {
			made.Field = keys[hit.Line]
		}
		all.Hits = append(all.Hits, made)
	}

	return all, nil
}
