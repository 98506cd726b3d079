package link

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// Portal names those outside of a company whose pages its links open. A company can switch a portal off: its links do not work until it is
// on again, and no new ones can be created.
type Portal string

// The portals.
const (
	Customers Portal = "customers"
	Carriers  Portal = "carriers"
	Drivers   Portal = "drivers"
)

// Portals are all portals.
func Portals() []Portal { return []Portal{Customers, Carriers, Drivers} }

// PortalState is a portal of a company.
type PortalState struct {
	Portal Portal
	// OffSince is nil if the portal is on. OffBy is uuid.Nil if a program switched it off, or the portal is on.
	OffSince *time.Time
	OffBy    uuid.UUID
	// Purposes are those of the portal's links, sorted.
	Purposes []Purpose
	// Live is the number of links that can be used, or could be if the portal were on.
	Live int
}

// Portals returns the portals of the caller's company.
func (s *Service) Portals(ctx context.Context) ([]PortalState, error) {
	off, err := s.rows.portalsOff(ctx)
	if err != nil {
		return nil, fmt.Errorf("portals: %w", err)
	}
	live, err := s.rows.countLive(ctx, s.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("links of portals: %w", err)
	}
	all := make([]PortalState, 0, len(Portals()))
	for _, p := range Portals() {
		one := PortalState{Portal: p, Purposes: s.purposesOf(p)}
		if at := slices.IndexFunc(off, func(row portalRow) bool { return row.Portal == p }); at >= 0 {
			one.OffSince, one.OffBy = &off[at].OffSince, valueOf(off[at].OffBy)
		}
		for _, purpose := range one.Purposes {
			one.Live += live[purpose]
		}
		all = append(all, one)
	}

	return all, nil
}

// SwitchPortal switches a portal of the caller's company on or off, and reports whether it was not so before.
func (s *Service) SwitchPortal(ctx context.Context, p Portal, on bool) (changed bool, err error) {
	if !slices.Contains(Portals(), p) {
		return false, fmt.Errorf("there is no portal %q", p)
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if on {
			changed, err = s.rows.openPortal(ctx, p)
		} else {
			changed, err = s.rows.closePortal(ctx, portalRow{Portal: p, OffSince: s.clock.Now(), OffBy: principal.UserOf(ctx)})
		}

		return err
	})
	if err != nil {
		return false, fmt.Errorf("portal %s: %w", p, err)
	}

	return changed, nil
}

// PortalOf returns the portal of a purpose, "" if it has none.
func (s *Service) PortalOf(p Purpose) Portal { return s.rules[p].Portal }

// Purposes returns the declared purposes, sorted.
func (s *Service) Purposes() []Purpose {
	return s.purposes(func(Rules) bool { return true })
}

// purposesOf returns the purposes of a portal, sorted.
func (s *Service) purposesOf(p Portal) []Purpose {
	return s.purposes(func(r Rules) bool { return r.Portal == p })
}

func (s *Service) purposes(which func(Rules) bool) []Purpose {
	all := make([]Purpose, 0, len(s.rules))
	for purpose, rules := range s.rules {
		if which(rules) {
			all = append(all, purpose)
		}
	}
	slices.Sort(all)

	return all
}

// portalOff refuses to create a link of a portal that is off. How to switch it on is said to the company, not to outsiders.
func portalOff(ctx context.Context, p Portal) error {
	refusal := ErrPortalOff.WithDetail("portal", p)
	if caller, _ := principal.From(ctx); caller.Kind == principal.System {
		return refusal
	}

	return refusal.WithMessage("The portal for %s is switched off, so no links to it can be created. "+
		`Switch it on: PATCH /companies/api/v1/portals/%s with {"on": true}.`, p, p)
}

// HolderOf is an item as the holder of a link, the zero Subject for uuid.Nil.
func HolderOf(itemType string, id uuid.UUID) Subject {
	if id == uuid.Nil {
		return Subject{}
	}

	return Subject{Type: itemType, ID: id}
}

func valueOf(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}

	return *id
}
