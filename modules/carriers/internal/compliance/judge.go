package compliance

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Judge computes verdicts.
type Judge struct {
	carriers *resource.Resource[store.Carrier]
	roster   *store.Roster
	evidence *Evidence
	book     *rulebook.Book
	clock    clock.Clock
	// defaults are the rules of a company without rules of its own.
	defaults *verdict.Rules
}

// NewJudge returns a Judge. It fails if the default rules are invalid.
func NewJudge(carriers *resource.Resource[store.Carrier], r *store.Roster, e *Evidence, b *rulebook.Book, c clock.Clock) (*Judge, error) {
	defaults, err := verdict.Compile(verdict.Defaults)

	return &Judge{carriers: carriers, roster: r, evidence: e, book: b, clock: c, defaults: defaults}, err
}

// rules returns the compiled rules of the caller's company.
func (j *Judge) rules(ctx context.Context) (*verdict.Rules, error) {
	own, err := j.book.Own(ctx)
	if err != nil || len(own) == 0 {
		return j.defaults, err
	}

	return verdict.Compile(rulebook.Effective(own))
}

// judged is a verdict and the facts that it is based on.
type judged struct {
	verdict verdict.Verdict
	facts   regulatorapi.Facts
}

// verdicts returns the verdicts of carriers of the caller's company for a load, or for none if it is nil.
func (j *Judge) verdicts(ctx context.Context, load *verdict.Load, carriers ...store.Carrier) ([]judged, error) {
	rules, err := j.rules(ctx)
	if err != nil {
		return nil, err
	}
	today, err := j.carriers.Today(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(carriers))
	for i := range carriers {
		ids[i] = carriers[i].ID
	}
	overrides, err := j.book.Overridden(ctx, today, ids...)
	if err != nil {
		return nil, err
	}
	company, err := j.evidence.ofCompany(ctx, today, ids...)
	if err != nil {
		return nil, err
	}
	all := make([]judged, len(carriers))
	for i := range carriers {
		f, err := j.evidence.regulator(ctx, &carriers[i])
		if err != nil {
			return nil, err
		}
		s := verdict.Subject{Facts: f, Own: company.own(&carriers[i], dayOf(load, today)), Load: load, Day: today, At: j.clock.Now()}
		all[i] = judged{rules.Judge(s, overrides[carriers[i].ID]), f}
	}

	return all, nil
}

// stranger returns the verdict of a carrier that the company does not have.
func (j *Judge) stranger(ctx context.Context, f regulatorapi.Facts, load *verdict.Load) (verdict.Verdict, error) {
	rules, err := j.rules(ctx)
	if err != nil {
		return verdict.Verdict{}, err
	}
	today, err := j.carriers.Today(ctx)

	return rules.Judge(verdict.Subject{Facts: f, Load: load, Day: today, At: j.clock.Now()}, nil), err
}

// verdict judges a carrier, or the one that it was merged into, for a load. Error: carriers.carrier_not_found.
func (j *Judge) verdict(ctx context.Context, id string, l carriersapi.Load) (carriersapi.Verdict, error) {
	row, err := j.roster.Standing(ctx, id)
	if err != nil {
		return carriersapi.Verdict{}, err
	}
	all, err := j.verdicts(ctx, &verdict.Load{Declared: money.Amount(l.Declared), Delivery: field.Date(l.Delivery)}, row)
	if err != nil {
		return carriersapi.Verdict{}, err
	}

	return shownVerdict(row.ID, all[0].verdict), nil
}

// dayOf is the day by which the papers of a carrier must be good: that of the delivery of a load, or today.
func dayOf(load *verdict.Load, today field.Date) field.Date {
	if load == nil {
		return today
	}

	return max(load.Delivery, today)
}
