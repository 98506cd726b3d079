package carriers

import (
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// loadSide answers what loads ask about carriers.
type loadSide struct {
	roster   *roster
	judge    *judge
	registry *registry.Registry
}

func newLoadSide(r *roster, j *judge, g *registry.Registry) *loadSide { return &loadSide{r, j, g} }

// covering refuses a carrier that the rules of the company block. It names the carrier that the asked one was merged into.
func (s *loadSide) covering(ctx context.Context, load *loadsapi.Covering) error {
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

// agreed enters after how many days a carrier is paid.
func (s *loadSide) agreed(ctx context.Context, q *loadsapi.AskingTerms) error {
	ids := parsed([]string{q.Carrier})
	if len(ids) == 0 {
		return nil
	}
	found, err := s.roster.standingOnes(ctx, ids...)
	if days := found[ids[0]].TermsDays; days != nil {
		q.CarrierDays = days
	}

	return err
}

// onRecording adds the addresses of the carriers of a load to the record of the transaction, as the regulator has them.
func (s *loadSide) onRecording(ctx context.Context, r *loadsapi.Recording) error {
	for i := range r.Carriers {
		found, err := s.roster.some(ctx, item.ID(r.Carriers[i].Carrier))
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
		a := f.Identity.Physical
		r.Carriers[i].Address = strings.Join(slices.DeleteFunc([]string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.ZIP)}, func(text string) bool { return text == "" }), ", ")
	}

	return nil
}
