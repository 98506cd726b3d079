package compliance

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// verdicts implements carriersapi.Verdicts.
type verdicts struct {
	roster *store.Roster
	judge  *Judge
}

// NewVerdicts returns the verdicts that other areas ask for.
func NewVerdicts(r *store.Roster, j *Judge) carriersapi.Verdicts { return verdicts{r, j} }

// Verdict implements carriersapi.Verdicts.
func (v verdicts) Verdict(ctx context.Context, id string, l carriersapi.Load) (carriersapi.Verdict, error) {
	return v.judge.verdict(ctx, id, l)
}

// Judge implements carriersapi.Verdicts.
func (v verdicts) Judge(ctx context.Context, l carriersapi.Load, carriers ...string) (map[string]carriersapi.Verdict, error) {
	standing, err := v.roster.AllStanding(ctx, carriers...)
	if err != nil || len(standing) == 0 {
		return nil, err
	}
	var asked []uuid.UUID
	var rows []store.Carrier
	for id, row := range standing {
		asked, rows = append(asked, id), append(rows, row)
	}
	all, err := v.judge.verdicts(ctx, &verdict.Load{Declared: money.Amount(l.Declared), Delivery: field.Date(l.Delivery)}, rows...)
	if err != nil {
		return nil, err
	}
	made := make(map[string]carriersapi.Verdict, len(all))
	for i, one := range all {
		made[asked[i].String()] = shownVerdict(rows[i].ID, one.verdict)
	}

	return made, nil
}

func shownVerdict(id uuid.UUID, v verdict.Verdict) carriersapi.Verdict {
	return carriersapi.Verdict{
		Carrier: id.String(), Eligible: v.Eligible, Status: string(v.Status), Blockers: findings(v.Blockers), Warnings: findings(v.Warnings), CheckedAt: v.CheckedAt,
	}
}

func findings(all []verdict.Finding) []carriersapi.Finding {
	made := make([]carriersapi.Finding, len(all))
	for i, f := range all {
		made[i] = carriersapi.Finding{Code: f.Code, Title: f.Title, Fix: f.Fix, Overridden: f.Override != nil}
	}

	return made
}
