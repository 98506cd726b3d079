package loads

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// terms returns the settings of the company, read once for a batch.
func (s *service) terms(ctx context.Context, b *batch) (terms.Terms, error) {
	if b.terms != nil {
		return *b.terms, nil
	}
	now, err := s.settings(ctx)
	b.terms = &now

	return now, err
}

// applyTerms gives a new load what the settings have by default, and holds its goods against them.
func (s *service) applyTerms(ctx context.Context, b *batch, c *resource.Change[load], wrong *errs.Error) (*errs.Error, error) {
	l := c.After
	if c.Verb != resource.Create && l.Transport != "" && l.Inspection != "" && !slices.ContainsFunc(l.Commodities.V, commodity.Unusual) {
		return wrong, nil
	}
	now, err := s.terms(ctx, b)
	if err != nil {
		return wrong, err
	}
	var before []commodity
	if c.Before != nil {
		before = c.Before.Commodities.V
	}
	l.Transport, l.Inspection = cmp.Or(l.Transport, now.Transport), cmp.Or(l.Inspection, now.Inspection)
	if most := now.HouseholdLb * cargo.Open(l.Vehicles.V); cargo.HouseholdLb(l.Commodities.V) > most {
		l.warn("loads.household_heavy", "commodities", "There are more than "+strconv.FormatInt(most, 10)+" lb of personal effects in the vehicles.")
	}
	if now.Hazmat {
		return wrong, nil
	}

	return cargo.CheckHazmat(l.Commodities.V, before, wrong), nil
}

func (s *service) settings(ctx context.Context) (terms.Terms, error) {
	v, err := s.kept.Read(ctx)

	return v.Now, err
}
