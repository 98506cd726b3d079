package catalogue

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/limit"
)

// Entitlements knows what plans grant and limit.
type Entitlements struct {
	tables *store.Tables
	plans  *Plans
}

// NewEntitlements returns Entitlements.
func NewEntitlements(t *store.Tables, p *Plans) *Entitlements {
	return &Entitlements{tables: t, plans: p}
}

// Entitlement implements billingapi.Entitlements.
func (l *Entitlements) Entitlement(ctx context.Context) (billingapi.Entitlement, error) {
	sub, err := l.tables.Current(ctx)
	if errs.KindOf(err) == errs.NotFound {
		return billingapi.Entitlement{}, nil
	}
	if err != nil {
		return billingapi.Entitlement{}, err
	}
	p, err := l.plans.Find(ctx, sub.Plan)
	if err != nil {
		return billingapi.Entitlement{}, err
	}
	e := billingapi.Entitlement{Plan: p.Code, Limits: p.Limits.V}
	if full, _ := store.Granted(sub.State); full {
		e.Flags = p.Features.V.Flags
	}

	return e, nil
}

// CheckLimit refuses what is beyond the limits of the company's plan. A company without a subscription has none.
func (l *Entitlements) CheckLimit(ctx context.Context, c *limit.Checking) error {
	e, err := l.Entitlement(ctx)
	if err != nil {
		return err
	}

	return exceeds(e, *c)
}

// exceeds decides whether a plan allows to add something.
func exceeds(e billingapi.Entitlement, c limit.Checking) error {
	most, is := e.Limits[c.Limit]
	if !is || c.Adding <= 0 || c.Used+c.Adding <= most {
		return nil
	}

	return limit.ErrReached.WithMessage("The plan %s limits %s to %d; %d in use. Change to a larger plan.", e.Plan, store.LimitNames[c.Limit], most, c.Used).
		WithDetail("plan", e.Plan).WithDetail("limit", c.Limit).WithDetail("allowed", most).WithDetail("used", c.Used)
}
