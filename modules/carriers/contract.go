package carriers

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// contract is what other areas are given.
type contract struct {
	judge     *judge
	incidents *incidents
}

func newContract(j *judge, i *incidents) (carriersapi.Carriers, carriersapi.Verdicts, carriersapi.Incidents) {
	c := contract{j, i}

	return c, c, c
}

// Find implements carriersapi.Carriers.
func (c contract) Find(ctx context.Context, uuids ...string) (map[string]carriersapi.Carrier, error) {
	rows, err := c.judge.standingOnes(ctx, parsed(uuids)...)
	found := make(map[string]carriersapi.Carrier, len(rows))
	for asked, row := range rows {
		one := row.shown()
		if asked != row.ID {
			one.MergedFrom = asked.String()
		}
		found[asked.String()] = one
	}

	return found, err
}

// parsed returns those of some texts that are uuids.
func parsed(texts []string) (ids []uuid.UUID) {
	for _, text := range texts {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}

	return ids
}

func (c *carrier) shown() carriersapi.Carrier {
	made := carriersapi.Carrier{
		UUID: c.ID.String(), Name: c.LegalName, DBA: c.DBA, SCAC: string(c.SCAC), Phone: string(c.Phone), Email: string(c.Email),
		Status: string(c.Status), Compliance: string(c.compliance()), PaymentDays: c.TermsDays,
	}
	if c.USDOT != nil {
		made.USDOT = *c.USDOT
	}
	if c.Docket != nil {
		made.Docket = *c.Docket
	}
	if c.Contact != nil {
		made.Contact = c.Contact.String()
	}

	return made
}

// standingOnes returns carriers by the ids that were asked for: one that was merged into another one is that one.
func (j *judge) standingOnes(ctx context.Context, ids ...uuid.UUID) (map[uuid.UUID]carrier, error) {
	rows, err := j.carriers.FindSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	var into []uuid.UUID
	for _, row := range rows {
		if row.MergedInto != nil {
			into = append(into, *row.MergedInto)
		}
	}
	stay, err := j.carriers.FindSome(ctx, into)
	now := make(map[uuid.UUID]carrier, len(rows)+len(stay))
	for _, row := range slices.Concat(rows, stay) {
		if row.MergedInto == nil {
			now[row.ID] = row
		}
	}
	for _, row := range rows {
		if row.MergedInto == nil {
			continue
		}
		if stays, there := now[*row.MergedInto]; there {
			now[row.ID] = stays
		}
	}
	for id := range now {
		if !slices.Contains(ids, id) {
			delete(now, id)
		}
	}

	return now, err
}

// standing returns a carrier, or the one that it was merged into. Error: carriers.carrier_not_found.
func (j *judge) standing(ctx context.Context, id uuid.UUID) (carrier, error) {
	found, err := j.standingOnes(ctx, id)
	if err != nil {
		return carrier{}, err
	}
	row, there := found[id]
	if !there {
		return row, j.carriers.NotFound()
	}

	return row, nil
}

// holdStanding holds a carrier that was not merged into another one. Errors: carriers.carrier_not_found, carriers.merged.
func (j *judge) holdStanding(ctx context.Context, id uuid.UUID) error {
	if err := j.carriers.Hold(ctx, id); err != nil {
		return err
	}
	c, err := j.carriers.Find(ctx, id)
	if err == nil && c.MergedInto != nil {
		err = errMerged.WithDetail("merged_into_uuid", c.MergedInto)
	}

	return err
}

// Reach implements carriersapi.Carriers.
func (c contract) Reach(ctx context.Context, id string, p carriersapi.Purpose) (carriersapi.Reach, error) {
	asked, err := uuid.Parse(id)
	if err != nil {
		return carriersapi.Reach{}, c.judge.carriers.NotFound()
	}
	row, err := c.judge.standing(ctx, asked)
	if err != nil {
		return carriersapi.Reach{}, err
	}

	return row.reach(p), nil
}

// reach returns by what the carrier is reached for a purpose: the person of that role, or else the carrier's own phone and e-mail,
// or else its owner. What one lacks, the next one has.
func (c *carrier) reach(p carriersapi.Purpose) (by carriersapi.Reach) {
	from := func(name, email, phone string) {
		if by.Email == "" && by.Phone == "" && (email != "" || phone != "") {
			by.Name = name
		}
		by.Email, by.Phone = cmp.Or(by.Email, email), cmp.Or(by.Phone, phone)
	}
	of := func(role string) {
		for _, one := range c.People.V {
			if one.Role == role {
				from(one.Name, string(one.Email), string(one.Phone))
			}
		}
	}
	of(string(p))
	from("", string(c.Email), string(c.Phone))
	of("owner")

	return by
}

// Verdict implements carriersapi.Verdicts.
func (c contract) Verdict(ctx context.Context, id string, l carriersapi.Load) (carriersapi.Verdict, error) {
	asked, err := uuid.Parse(id)
	if err != nil {
		return carriersapi.Verdict{}, c.judge.carriers.NotFound()
	}
	row, err := c.judge.standing(ctx, asked)
	if err != nil {
		return carriersapi.Verdict{}, err
	}
	all, err := c.judge.verdicts(ctx, &verdict.Load{Declared: money.Amount(l.Declared), Delivery: field.Date(l.Delivery)}, row)
	if err != nil {
		return carriersapi.Verdict{}, err
	}
	v := all[0].verdict

	return carriersapi.Verdict{
		Carrier: row.ID.String(), Eligible: v.Eligible, Status: string(v.Status), Blockers: findings(v.Blockers), Warnings: findings(v.Warnings),
		CheckedAt: v.CheckedAt,
	}, nil
}

func findings(all []verdict.Finding) []carriersapi.Finding {
	made := make([]carriersapi.Finding, len(all))
	for i, f := range all {
		made[i] = carriersapi.Finding{Code: f.Code, Title: f.Title, Fix: f.Fix, Overridden: f.Override != nil}
	}

	return made
}

// Report implements carriersapi.Incidents.
func (c contract) Report(ctx context.Context, r carriersapi.Report) (string, error) {
	row, err := c.incidents.report(ctx, r)
	if err != nil {
		return "", err
	}

	return row.ID.String(), nil
}
