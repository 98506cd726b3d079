package compliance

import (
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
)

// errBlocked is the failure of a load for which the verdict on its carrier has blockers.
var errBlocked = errs.New(errs.Conflict, "carriers.blocked", "The carrier may not have the load. Mend what blocks it, or allow it by an override.")

// Loads answers what loads ask about carriers.
type Loads struct {
	roster   *store.Roster
	judge    *Judge
	registry *registry.Registry
}

// NewLoads returns a Loads.
func NewLoads(r *store.Roster, j *Judge, g *registry.Registry) *Loads { return &Loads{r, j, g} }

// Covering refuses a carrier that the rules of the company block. It names the carrier that the asked one was merged into.
func (s *Loads) Covering(ctx context.Context, load *loadsapi.Covering) error {
	v, err := s.judge.verdict(ctx, load.Carrier, carriersapi.Load{Declared: load.Declared, Delivery: load.Delivery})
	if err != nil {
		return err
	}
	load.Carrier = v.Carrier
	if !v.Eligible {
		return errBlocked.WithDetail("blockers", v.Blockers)
	}

	return nil
}

// Agreed enters after how many days a carrier is paid.
func (s *Loads) Agreed(ctx context.Context, q *loadsapi.AskingTerms) error {
	found, err := s.roster.AllStanding(ctx, q.Carrier)
	for _, carrier := range found {
		if carrier.TermsDays != nil {
			q.CarrierDays = carrier.TermsDays
		}
	}

	return err
}

// AddAddresses adds the addresses of the carriers of a load to the record of the transaction, as the regulator has them.
func (s *Loads) AddAddresses(ctx context.Context, r *loadsapi.Recording) error {
	for i := range r.Carriers {
		found, err := s.roster.Some(ctx, item.ID(r.Carriers[i].Carrier))
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		f, err := s.registry.Of(ctx, found[0].USDOT, found[0].Docket)
		if err != nil {
			return err
		}
		r.Carriers[i].Address = line(f.Identity.Physical)
	}

	return nil
}

// line is an address of the regulator's record in one line.
func line(a regulatorapi.Address) string {
	parts := []string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.ZIP)}

	return strings.Join(slices.DeleteFunc(parts, func(text string) bool { return text == "" }), ", ")
}
