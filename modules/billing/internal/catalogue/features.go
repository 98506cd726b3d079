package catalogue

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/feature"
)

// Features sets which areas companies use.
type Features struct {
	settings store.Settings
	sets     *feature.Sets
}

// NewFeatures returns Features.
func NewFeatures(s store.Settings, sets *feature.Sets) *Features { return &Features{s, sets} }

// areas returns the areas of the deployment.
func (f *Features) areas(ctx context.Context, company uuid.UUID) ([]string, error) {
	uses, err := f.sets.Of(ctx, company)
	ids := make([]string, len(uses))
	for i, u := range uses {
		ids[i] = u.Area
	}

	return ids, err
}

// apply has a company use the granted areas and those that it keeps anyway, and no others. It joins the caller's transaction.
func (f *Features) apply(ctx context.Context, company uuid.UUID, granted []string) error {
	uses, err := f.sets.Of(ctx, company)
	if err != nil {
		return err
	}
	change := feature.Change{Areas: enabledAreas(uses, append([]string{billingapi.Area}, append(f.settings.KeepAreas, granted...)...))}
	if len(change.Areas) == 0 {
		return nil
	}
	_, err = f.sets.Apply(ctx, company, change)

	return err
}

// enabledAreas decides which areas are on: those that are wanted, and those that they need. Essential areas are on anyway.
func enabledAreas(uses []feature.Use, wanted []string) map[string]bool {
	byID := make(map[string]feature.Use, len(uses))
	for _, u := range uses {
		byID[u.Area] = u
		if u.Essential {
			wanted = append(wanted, u.Area)
		}
	}
	on := map[string]bool{}
	for open := wanted; len(open) > 0; {
		id := open[0]
		open = open[1:]
		if u, known := byID[id]; known && !on[id] {
			on[id] = true
			open = append(open, u.Needs...)
		}
	}
	areas := map[string]bool{}
	for _, u := range uses {
		if !u.Essential {
			areas[u.Area] = on[u.Area]
		}
	}

	return areas
}
