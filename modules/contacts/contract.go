package contacts

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
)

// contract implements contactsapi.Contacts.
type contract struct {
	tables *tables
	rows   *repository
}

func newContract(t *tables, rows *repository) contactsapi.Contacts {
	return contract{tables: t, rows: rows}
}

// sureScore is the score from which on a contact counts as the same.
const sureScore = 90

// Ensure implements contactsapi.Contacts.
func (c contract) Ensure(ctx context.Context, n contactsapi.NewContact) (contactsapi.Contact, bool, error) {
	row := contact{Kind: person, Name: n.Name, Customer: n.Customer, Status: "active"}
	found, err := c.alike(ctx, &row, n.Email, n.Phone)
	if err != nil {
		return contactsapi.Contact{}, false, err
	}
	for _, m := range found {
		if m.Score < sureScore {
			break
		}
		known, err := c.tables.Contacts.Find(ctx, m.UUID)
		if err != nil {
			return contactsapi.Contact{}, false, err
		}
		if !another(known, row) {
			return shown(known), true, nil
		}
	}
	made, err := c.tables.Contacts.Create(ctx, row)

	return shown(made), false, err
}

// another reports whether a person with a contact's phone number is a different person: both name and e-mail address differ.
func another(known, who contact) bool {
	if who.Email == "" || slices.ContainsFunc(known.Emails.V, func(e email) bool { return strings.EqualFold(e.Address, string(who.Email)) }) {
		return false
	}

	return !sameName(known.Name, who.Name) && !sameName(known.FirstName+" "+known.LastName, who.Name) && !sameName(known.LegalName, who.Name) &&
		!sameName(known.DBA, who.Name)
}

// sameName reports whether one of two names has all words of the other, or their initials: Ann Lee, Lee Ann M., A. Lee.
func sameName(a, b string) bool {
	few, many := strings.Fields(folded(a)), strings.Fields(folded(b))
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) == 0 {
		return false
	}
	for _, word := range few {
		if !slices.ContainsFunc(many, func(other string) bool {
			short, long := word, other
			if len(short) > len(long) {
				short, long = long, short
			}

			return short == long || len([]rune(short)) == 1 && strings.HasPrefix(long, short)
		}) {
			return false
		}
	}

	return true
}

// alike gives a contact an e-mail address and a phone number, either of which may be "", and finds those that it may be.
func (c contract) alike(ctx context.Context, row *contact, address, number string) ([]match, error) {
	if address != "" {
		row.Emails.V = []email{{Address: address, Primary: true}}
	}
	if number != "" {
		row.Phones.V = []phone{{Number: number, Primary: true}}
	}
	if err := check(ctx, row); err != nil {
		return nil, err
	}

	return c.rows.matching(ctx, keysOf(*row))
}

// Known implements contactsapi.Contacts.
func (c contract) Known(ctx context.Context, address, number string) ([]string, error) {
	found, err := c.alike(ctx, &contact{Kind: person, Name: "Somebody", Status: "active"}, address, number)
	var ids []string
	for _, m := range found {
		ids = append(ids, m.UUID.String())
	}

	return ids, err
}

// Find implements contactsapi.Contacts.
func (c contract) Find(ctx context.Context, uuids ...string) (map[string]contactsapi.Contact, error) {
	var ids []uuid.UUID
	for _, text := range uuids {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}
	rows, err := c.tables.Contacts.FindSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	var into []uuid.UUID
	for _, row := range rows {
		if row.MergedInto != nil {
			into = append(into, *row.MergedInto)
		}
	}
	stay, err := c.tables.Contacts.FindSome(ctx, into)
	if err != nil {
		return nil, err
	}
	now := make(map[uuid.UUID]contact, len(stay))
	for _, row := range stay {
		now[row.ID] = row
	}
	found := make(map[string]contactsapi.Contact, len(rows))
	for _, row := range rows {
		if row.MergedInto == nil {
			found[row.ID.String()] = shown(row)
		} else if stays, there := now[*row.MergedInto]; there {
			one := shown(stays)
			one.MergedFrom = row.ID.String()
			found[row.ID.String()] = one
		}
	}

	return found, nil
}

func shown(c contact) contactsapi.Contact {
	return contactsapi.Contact{
		UUID: c.ID.String(), Kind: c.Kind, Name: c.Name, Email: string(c.Email), Phone: string(c.Phone), Status: c.Status,
		Blocked: c.BlockedAt != nil, CreditHold: c.CreditHold, NetDays: c.NetDays, CreditLimit: string(c.Limit), Currency: string(c.Currency),
	}
}

// Reach implements contactsapi.Contacts.
func (c contract) Reach(ctx context.Context, id string, p contactsapi.Purpose) (contactsapi.Reach, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return contactsapi.Reach{}, c.tables.Contacts.NotFound()
	}
	row, err := c.tables.Contacts.Find(ctx, parsed)
	if err == nil && row.MergedInto != nil {
		row, err = c.tables.Contacts.Find(ctx, *row.MergedInto)
	}
	if err != nil {
		return contactsapi.Reach{}, err
	}

	return reach(row, p), nil
}

// reach returns the address and the numbers for a purpose. Marketing requires consent; service messages are allowed unless they were
// refused.
func reach(c contact, p contactsapi.Purpose) (by contactsapi.Reach) {
	if c.Status == doNotContact || c.ErasedAt != nil || (p == contactsapi.Marketing && c.BlockedAt != nil) {
		by.Refused = contactsapi.Channels{Email: true, SMS: true, Call: true}

		return by
	}
	may := func(channel string) bool {
		for _, said := range c.Consents.V {
			if said.Channel == channel && said.Purpose == string(p) {
				return said.State == "granted"
			}
		}

		return p == contactsapi.Service
	}
	by.Refused = contactsapi.Channels{Email: !may("email"), SMS: !may("sms"), Call: !may("call")}
	for _, e := range c.Emails.V {
		if may("email") && e.Bounced == nil && (by.Email == "" || e.Primary) {
			by.Email = e.Address
		}
	}
	for _, n := range c.Phones.V {
		if may("call") && (by.Call == "" || n.Primary) {
			by.Call = string(n.E164)
		}
		if may("sms") && n.Kind != "landline" && (n.SMS == nil || *n.SMS) && (by.SMS == "" || n.Primary) {
			by.SMS = string(n.E164)
		}
	}

	return by
}
