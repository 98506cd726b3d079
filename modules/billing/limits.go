package billing

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/limit"
)

// limits knows what plans grant and limit.
type limits struct {
	tables *tables
	plans  *plans
}

func newLimits(t *tables, p *plans) *limits { return &limits{tables: t, plans: p} }

func newEntitlements(l *limits) billingapi.Entitlements { return l }

// Entitlement implements billingapi.Entitlements.
func (l *limits) Entitlement(ctx context.Context) (billingapi.Entitlement, error) {
	sub, err := l.tables.current(ctx)
	if errs.KindOf(err) == errs.NotFound {
		return billingapi.Entitlement{}, nil
	}
	if err != nil {
		return billingapi.Entitlement{}, err
	}
	p, err := l.plans.find(ctx, sub.Plan)
	if err != nil {
		return billingapi.Entitlement{}, err
	}
	e := billingapi.Entitlement{Plan: p.Code, Limits: p.Limits.V}
	if full, _ := granted(sub.State); full {
		e.Flags = p.Features.V.Flags
	}

	return e, nil
}

// checking refuses what is beyond the limits of the company's plan. A company without a subscription has none.
func (l *limits) checking(ctx context.Context, c *limit.Checking) error {
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

	return limit.ErrReached.WithMessage("The plan %s limits %s to %d; %d in use. Change to a larger plan.", e.Plan, limitNames[c.Limit], most, c.Used).
		WithDetail("plan", e.Plan).WithDetail("limit", c.Limit).WithDetail("allowed", most).WithDetail("used", c.Used)
}
