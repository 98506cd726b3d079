// Package registry asks the area regulator about carriers. A company that does not use that area has carriers all the same: what the
// regulator would say of them is unavailable.
package registry

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/port"
)

// Registry asks the area regulator.
type Registry struct{ ports *port.Registry }

// New returns a registry; it does no I/O.
func New(ports *port.Registry) *Registry { return &Registry{ports} }

// Used returns the registry of the area regulator, or one that knows nothing if the caller's company does not use the area.
func (r *Registry) Used(ctx context.Context) (regulatorapi.Registry, error) {
	all, err := port.All[regulatorapi.Registry](ctx, r.ports)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return absent{}, nil
	}

	return all[0].Value, nil
}

// Find returns what is known of a USDOT number. Error: regulatorapi.ErrNotInRegistry.
func (r *Registry) Find(ctx context.Context, usdot int64) (regulatorapi.Facts, error) {
	used, err := r.Used(ctx)
	if err != nil {
		return regulatorapi.Facts{}, err
	}

	return used.Find(ctx, usdot)
}

// FindDocket returns what is known of the carrier that has a docket, such as MC-123456. Error: regulatorapi.ErrNotInRegistry.
func (r *Registry) FindDocket(ctx context.Context, docket string) (regulatorapi.Facts, error) {
	used, err := r.Used(ctx)
	if err != nil {
		return regulatorapi.Facts{}, err
	}

	return used.FindDocket(ctx, docket)
}

// Of returns what is known of a carrier by the numbers that it has. They are unknown if it has none; for a number that was never issued,
// the census has none.
func (r *Registry) Of(ctx context.Context, usdot, docket *string) (f regulatorapi.Facts, err error) {
	switch {
	case usdot != nil:
		read, wrong := number.USDOT("", *usdot)
		if wrong != nil {
			return f, wrong
		}
		f, err = r.Find(ctx, read.Number)
	case docket != nil:
		read, wrong := number.Docket("", *docket)
		if wrong != nil {
			return f, wrong
		}
		f, err = r.FindDocket(ctx, read.String())
	default:
		return unregistered(regulatorapi.Unavailable, "the carrier has no USDOT number and no docket"), nil
	}
	if errors.Is(err, regulatorapi.ErrNotInRegistry) {
		return unregistered(regulatorapi.None, "the regulator has no carrier of this number"), nil
	}

	return f, err
}

// unregistered returns the facts of a carrier that cannot be looked up (unavailable), or that the regulator does not have (none).
func unregistered(outcome regulatorapi.Outcome, why string) regulatorapi.Facts {
	source := regulatorapi.Source{Name: "census", Outcome: outcome, Why: why}

	return regulatorapi.Facts{Identity: regulatorapi.Identity{Source: source}, Sources: []regulatorapi.Source{source}}
}

// absent is the registry of a company that does not use the area regulator.
type absent struct{}

const whyAbsent = "the company does not use the area regulator"

// Find implements regulatorapi.Registry.
func (absent) Find(_ context.Context, usdot int64) (regulatorapi.Facts, error) {
	f := unregistered(regulatorapi.Unavailable, whyAbsent)
	f.USDOT = usdot

	return f, nil
}

// FindDocket implements regulatorapi.Registry.
func (absent) FindDocket(context.Context, string) (regulatorapi.Facts, error) {
	return unregistered(regulatorapi.Unavailable, whyAbsent), nil
}

// Status implements regulatorapi.Registry.
func (absent) Status(context.Context) (regulatorapi.Health, error) {
	return regulatorapi.Health{Adapter: "offline", OK: true, Why: whyAbsent, Sets: []regulatorapi.SetState{}}, nil
}

// Sandbox implements regulatorapi.Registry.
func (absent) Sandbox() bool { return false }
