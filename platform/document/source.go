package document

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Visibility is for whom a paper is meant.
type Visibility string

// The visibilities. Public is for customers and for carriers.
const (
	Internal Visibility = "internal"
	Customer Visibility = "customer"
	Carrier  Visibility = "carrier"
	Public   Visibility = "public"
)

// KindFile is the kind of files of which nothing else is known.
const KindFile = "file"

// Paper is a paper that an item has: a file, or one that is printed when it is read.
type Paper struct {
	// UUID is of the attachment; of a paper that is printed, the registry fills it in: it is the same for the same kind and item.
	UUID uuid.UUID
	// Kind is the name of a kind, or another word such as KindFile.
	Kind, Title string
	CreatedAt   time.Time
	Visibility  Visibility
	// Carrier is the uuid of the carrier that it is of: no other carrier sees it. "" for none.
	Carrier string
	// Of is what the paper is about, where that is not the item that was asked for. A paper that is printed is of its kind's item.
	Of item.Ref
	// Path is where the company reads a paper that is printed when it is read; "" for a file.
	Path string
	// Frozen says that the file is the paper of its kind about Of as it was printed: Of lists it in place of the one that is printed when it is read.
	Frozen bool
}

// live reports whether the paper is printed when it is read.
func (p Paper) live() bool { return p.Path != "" }

// Viewer is who looks at the papers of items.
type Viewer struct {
	as      Visibility
	carrier string
}

// ForCompany is a caller of the company, who sees what the scopes allow.
func ForCompany() Viewer { return Viewer{as: Internal} }

// ForCustomer is the customer of an item.
func ForCustomer() Viewer { return Viewer{as: Customer} }

// ForCarrier is a carrier, by its uuid.
func ForCarrier(carrier string) Viewer { return Viewer{as: Carrier, carrier: carrier} }

// sees is the rule by which papers are shown.
func (v Viewer) sees(p Paper) bool {
	switch v.as {
	case Internal:
		return true
	case Carrier:
		return (p.Visibility == Carrier || p.Visibility == Public) && (p.Carrier == "" || p.Carrier == v.carrier)
	case Customer:
		return p.Visibility == Customer || p.Visibility == Public
	case Public:
		return p.Visibility == Public
	default:
		return false
	}
}

// source is a source as the registry keeps it.
type source struct {
	area string
	// types are those of the items that it knows papers of, nil for all.
	types []string
	read  func(ctx context.Context, of item.Ref) ([]Paper, error)
}

// Source is the manifest line of papers that items of some types have; without types, of all. T is a type of the area. The method returns those of an item,
// in any order, in the name of the caller; none for one that is not there. A file that several sources name is listed as a source with types names it.
func Source[T any](types []string, papers func(t T, ctx context.Context, of item.Ref) ([]Paper, error)) fx.Option {
	return module.Contribute("papers", module.FuncName(papers), nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *Registry, t T) error {
			r.sources = append(r.sources, source{at.Area, types, func(ctx context.Context, of item.Ref) ([]Paper, error) { return papers(t, ctx, of) }})
			slices.SortStableFunc(r.sources, func(a, b source) int { return min(len(b.types), 1) - min(len(a.types), 1) })

			return nil
		})
	})
}

// Of returns the papers of items that the viewer sees, the newest first and each once. Those of areas that the company does not use are absent, and so are those of
// areas and kinds whose scopes the caller does not have. Of a paper that is there frozen, that alone is there, if the viewer sees it. That the items are there,
// and that the viewer may read them, is for the caller to see to.
func (r *Registry) Of(ctx context.Context, v Viewer, items ...item.Ref) ([]Paper, error) {
	all, err := r.Every(ctx, v, items...)
	frozen := slices.Clone(all)

	return slices.DeleteFunc(all, func(p Paper) bool {
		return p.live() && slices.ContainsFunc(frozen, func(f Paper) bool { return f.Frozen && f.Kind == p.Kind && f.Of == p.Of })
	}), err
}

// Every is Of with the papers that are printed when they are read beside those that are frozen.
func (r *Registry) Every(ctx context.Context, v Viewer, items ...item.Ref) ([]Paper, error) {
	var all []Paper
	for _, s := range r.sources {
		shown, err := r.shows(ctx, s.area)
		if err != nil {
			return nil, err
		}
		for _, of := range items {
			if !shown || s.types != nil && !slices.Contains(s.types, of.Type) {
				continue
			}
			found, err := s.read(telemetry.WithArea(ctx, s.area), of)
			if err != nil {
				return nil, fmt.Errorf("papers of %s from %s: %w", of, s.area, err)
			}
			for _, p := range found {
				all = append(all, p.complete(of))
			}
		}
	}
	seen := map[uuid.UUID]bool{}
	all = slices.DeleteFunc(all, func(p Paper) bool {
		again := seen[p.UUID]
		seen[p.UUID] = true

		return again || !v.sees(p) || !r.allows(ctx, p.Kind)
	})
	slices.SortStableFunc(all, func(a, b Paper) int { return b.CreatedAt.Compare(a.CreatedAt) })

	return all, nil
}

// complete is a paper of an item with what its source has left out.
func (p Paper) complete(of item.Ref) Paper {
	if p.Of.Type == "" {
		p.Of = of
	}
	if p.live() {
		p.UUID = uuid.NewSHA1(p.Of.UUID, []byte(p.Kind))
	}

	return p
}

// shows reports whether papers of an area are for the caller.
func (r *Registry) shows(ctx context.Context, area string) (bool, error) {
	if caller, _ := principal.From(ctx); !caller.Allows(area + ":read") {
		return false, nil
	}

	return r.uses(ctx, area)
}

// allows reports whether the caller has the scopes that a kind needs.
func (r *Registry) allows(ctx context.Context, name string) bool {
	caller, _ := principal.From(ctx)

	return !slices.ContainsFunc(r.kinds[name].scopes, func(scope string) bool { return !caller.Allows(scope) })
}
