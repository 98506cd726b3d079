package carriers

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// contract implements the interfaces of carriersapi.
type contract struct {
	judge     *judge
	incidents *incidents
	contacts  contactsapi.Contacts
}

func newContract(j *judge, i *incidents, contacts contactsapi.Contacts) (carriersapi.Carriers, carriersapi.Verdicts, carriersapi.Incidents) {
	c := contract{j, i, contacts}

	return c, c, c
}

// covering refuses a carrier that the rules of the company block. It names the carrier that the asked one was merged into.
func (j *judge) covering(ctx context.Context, load *loadsapi.Covering) error {
	v, err := j.verdict(ctx, load.Carrier, carriersapi.Load{Declared: load.Declared, Delivery: load.Delivery})
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
func (j *judge) agreed(ctx context.Context, q *loadsapi.AskingTerms) error {
	ids := parsed([]string{q.Carrier})
	if len(ids) == 0 {
		return nil
	}
	found, err := j.standingOnes(ctx, ids...)
	if days := found[ids[0]].TermsDays; days != nil {
		q.CarrierDays = days
	}

	return err
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

// parsed returns the valid UUIDs among some texts.
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
		Status: string(c.Status), Compliance: string(c.compliance()), Prospect: c.Prospect,
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

// standingOnes returns carriers by the requested ids. For a merged carrier it returns the one that it was merged into.
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

// holdStanding locks a carrier that was not merged into another one. Errors: carriers.carrier_not_found, carriers.merged.
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

	by := row.reach(p)
	if row.Contact == nil {
		return by, nil
	}
	known, err := c.contacts.Reach(ctx, row.Contact.String(), contactsapi.Service)
	if err != nil && errs.KindOf(err) != errs.NotFound {
		return carriersapi.Reach{}, err
	}

	return allowed(by, known), nil
}

// allowed leaves out the channels that the carrier's contact refused, and adds the contact's address and numbers where the carrier has none.
func allowed(by carriersapi.Reach, known contactsapi.Reach) carriersapi.Reach {
	choose := func(refused bool, own, contacts string) string {
		if refused {
			return ""
		}

		return cmp.Or(own, contacts)
	}
	by.Email = choose(known.Refused.Email, by.Email, known.Email)
	by.SMS = choose(known.Refused.SMS, by.SMS, known.SMS)
	by.Call = choose(known.Refused.Call, by.Call, known.Call)

	return by
}

// reach returns the address and the numbers of the person with the role of the purpose, or else the carrier's own, or else those of its
// owner. Each is taken from the first of them that has one.
func (c *carrier) reach(p carriersapi.Purpose) (by carriersapi.Reach) {
	from := func(name, email, phone string) {
		if by.Email == "" && by.Call == "" && (email != "" || phone != "") {
			by.Name = name
		}
		by.Email, by.Call = cmp.Or(by.Email, email), cmp.Or(by.Call, phone)
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
	by.SMS = by.Call

	return by
}

// Verdict implements carriersapi.Verdicts.
func (c contract) Verdict(ctx context.Context, id string, l carriersapi.Load) (carriersapi.Verdict, error) {
	return c.judge.verdict(ctx, id, l)
}

// verdict judges a carrier, or the one that it was merged into, for a load. Error: carriers.carrier_not_found.
func (j *judge) verdict(ctx context.Context, id string, l carriersapi.Load) (carriersapi.Verdict, error) {
	asked, err := uuid.Parse(id)
	if err != nil {
		return carriersapi.Verdict{}, j.carriers.NotFound()
	}
	row, err := j.standing(ctx, asked)
	if err != nil {
		return carriersapi.Verdict{}, err
	}
	all, err := j.verdicts(ctx, &verdict.Load{Declared: money.Amount(l.Declared), Delivery: field.Date(l.Delivery)}, row)
	if err != nil {
		return carriersapi.Verdict{}, err
	}

	return shownVerdict(row.ID, all[0].verdict), nil
}

// Judge implements carriersapi.Verdicts.
func (c contract) Judge(ctx context.Context, l carriersapi.Load, carriers ...string) (map[string]carriersapi.Verdict, error) {
	standing, err := c.judge.standingOnes(ctx, parsed(carriers)...)
	if err != nil || len(standing) == 0 {
		return nil, err
	}
	var asked []uuid.UUID
	var rows []carrier
	for id, row := range standing {
		asked, rows = append(asked, id), append(rows, row)
	}
	all, err := c.judge.verdicts(ctx, &verdict.Load{Declared: money.Amount(l.Declared), Delivery: field.Date(l.Delivery)}, rows...)
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

// Report implements carriersapi.Incidents.
func (c contract) Report(ctx context.Context, r carriersapi.Report) (string, error) {
	row, err := c.incidents.report(ctx, r)
	if err != nil {
		return "", err
	}

	return row.ID.String(), nil
}
