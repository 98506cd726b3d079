package carriers

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// contract implements the interfaces of carriersapi.
type contract struct {
	roster    *roster
	judge     *judge
	incidents *incidents
	contacts  contactsapi.Contacts
}

func newContract(
	r *roster, j *judge, i *incidents, contacts contactsapi.Contacts,
) (carriersapi.Carriers, carriersapi.Verdicts, carriersapi.Incidents) {
	c := contract{r, j, i, contacts}

	return c, c, c
}

// Find implements carriersapi.Carriers.
func (c contract) Find(ctx context.Context, uuids ...string) (map[string]carriersapi.Carrier, error) {
	rows, err := c.roster.standingOnes(ctx, parsed(uuids)...)
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

// Reach implements carriersapi.Carriers.
func (c contract) Reach(ctx context.Context, id string, p carriersapi.Purpose) (carriersapi.Reach, error) {
	row, err := c.roster.standingText(ctx, id)
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

// Judge implements carriersapi.Verdicts.
func (c contract) Judge(ctx context.Context, l carriersapi.Load, carriers ...string) (map[string]carriersapi.Verdict, error) {
	standing, err := c.roster.standingOnes(ctx, parsed(carriers)...)
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
