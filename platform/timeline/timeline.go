// Package timeline merges what areas know of an item into one timeline, without any of them knowing the others.
//
// An area contributes a source by one line of its manifest: a name, the kinds of its entries, and a method that reads
// some of them.
//
//	timeline.Source("messages", []string{"message"}, (*repository).timeline),
//
//	func (r *repository) timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
//		rows, err := database.All[message](q.Narrow(r.db.Dynamic(ctx), timeline.Columns{
//			ID: "id", At: "created_at", ItemType: "owner_type", ItemID: "owner_id", Actor: "created_by",
//		}))
//		// … an Entry for each row …
//	}
//
// Entries come in the order of their time, their source and their id, the newest first. A page takes one statement for
// each source, however many entries it has (see docs/adr/0046).
package timeline

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Entry is something that happened to an item.
type Entry struct {
	// ID tells the entries of a source apart.
	ID uuid.UUID
	At time.Time
	// Source is the name of the source, which the registry fills in.
	Source string
	// Kind is one of the source's kinds.
	Kind string
	// Title says in a line what happened, Text what was written; "" for nothing.
	Title, Text string
	// Item is what the entry is about, the zero Ref for nothing.
	Item item.Ref
	// Thing is what can be looked at, such as a message, the zero Ref for nothing.
	Thing item.Ref
	Actor Actor
	// Changes are the values that changed.
	Changes []Change
	// Details are what else there is to say, by key, as JSON; nil for nothing.
	Details map[string]any
	// Checked says that the source itself leaves out what Query.Hidden names. Other entries of a company are shown only
	// if their item is there for the caller, where anything is hidden from the caller.
	Checked bool
}

// Actor is who made something happen.
type Actor struct {
	// Kind is "user", "service", "operator" or "system", or "" where nobody of the company did.
	Kind string
	// User is the person and Token the token of a service, uuid.Nil for none.
	User, Token uuid.UUID
}

// ByUser returns the actor of a row that keeps only the person, nil for none.
func ByUser(user *uuid.UUID) Actor {
	if user == nil {
		return Actor{}
	}

	return Actor{Kind: string(principal.User), User: *user}
}

// Change is a value before and after, nil for none.
type Change struct {
	Key string
	// Label is what people call it.
	Label         string
	Before, After any
}

// source is a source as the registry keeps it.
type source struct {
	name, area, scope string
	kinds             []string
	read              func(ctx context.Context, q Query) ([]Entry, error)
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Registry knows the sources of the enabled areas. It may be used from several goroutines once it is filled.
type Registry struct {
	gate    Gate
	items   *item.Registry
	areas   []string
	sources []source // by name
}

// New returns a registry without sources. The areas are all those of the binary. Without a gate, every company uses every
// area.
func New(gate Gate, items *item.Registry, areas []string) *Registry {
	return &Registry{gate: gate, items: items, areas: slices.Sorted(slices.Values(areas))}
}

// Option is a detail of a source.
type Option func(*source)

// NeedsScope has the entries of a source shown to callers with a scope ("audit:read") other than <area>:read.
func NeedsScope(scope string) Option { return func(s *source) { s.scope = scope } }

// Source is the manifest line of a source of timelines. No other source has the name, or any of the kinds of its entries. T
// is a type of the area. The method returns the entries that a query asks for, in its order; it is called only for
// companies that use the area, and for callers who have the scope <area>:read. It takes one statement, and a few more that do
// not grow with the number of entries.
func Source[T any](name string, kinds []string, read func(t T, ctx context.Context, q Query) ([]Entry, error), options ...Option) fx.Option {
	return module.Contribute("timeline", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			s := source{name: name, area: at.Area, scope: at.Area + ":read", kinds: kinds}
			s.read = func(ctx context.Context, q Query) ([]Entry, error) { return read(t, ctx, q) }
			for _, option := range options {
				option(&s)
			}

			return r.add(s)
		})
	})
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

func (r *Registry) add(s source) error {
	if !namePattern.MatchString(s.name) || len(s.kinds) == 0 {
		return fmt.Errorf("source of timelines %q: want a name in lower case, and kinds of entries", s.name)
	}
	known := r.Kinds()
	for _, kind := range s.kinds {
		if !namePattern.MatchString(kind) || slices.Contains(known, kind) {
			return fmt.Errorf("source of timelines %q: the kind %q belongs to another source, or is not in lower case", s.name, kind)
		}
	}
	at, taken := slices.BinarySearchFunc(r.sources, s.name, func(s source, name string) int { return compareText(s.name, name) })
	if taken {
		return fmt.Errorf("source of timelines %q is declared twice", s.name)
	}
	r.sources = slices.Insert(r.sources, at, s)

	return nil
}

// Kinds returns the kinds of entries that the enabled areas have, in the order of the alphabet.
func (r *Registry) Kinds() []string {
	var all []string
	for _, s := range r.sources {
		all = append(all, s.kinds...)
	}
	slices.Sort(all)

	return all
}

// shows reports whether the entries of an area are for the caller, who needs a scope.
func (r *Registry) shows(ctx context.Context, area, scope string) (bool, error) {
	caller, _ := principal.From(ctx)
	if !caller.Allows(scope) {
		return false, nil
	}
	if r.gate == nil {
		return true, nil
	}

	return r.gate.Allows(ctx, caller.Company, area)
}

// unreadableAreas returns the areas whose items the caller may not read, or that the company does not use.
func (r *Registry) unreadableAreas(ctx context.Context) ([]string, error) {
	var all []string
	for _, area := range r.areas {
		shown, err := r.shows(ctx, area, area+":read")
		if err != nil {
			return nil, err
		}
		if !shown {
			all = append(all, area)
		}
	}

	return all, nil
}

// read returns the entries that a query asks for of all sources, in its order, q.most of them at the most.
func (r *Registry) read(ctx context.Context, q Query) ([]Entry, error) {
	var all []Entry
	for _, s := range r.sources {
		mine := q.forSource(s)
		if len(mine.kinds) == 0 {
			continue
		}
		shown, err := r.shows(ctx, s.area, s.scope)
		if err != nil {
			return nil, err
		}
		if !shown {
			continue
		}
		found, err := s.read(telemetry.WithArea(ctx, s.area), mine)
		if err != nil {
			return nil, fmt.Errorf("timeline: %s: %w", s.name, err)
		}
		if len(found) > q.most {
			return nil, errors.New("timeline: " + s.name + ": more entries than asked for")
		}
		for i := range found {
			found[i].Source = s.name
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, q.compare)

	return all[:min(len(all), q.most)], nil
}
