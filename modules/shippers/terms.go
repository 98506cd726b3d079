package shippers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/shippers/shippersapi"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// terms finds the terms of contacts.
type terms struct {
	shippers *resource.Resource[shipper]
	contacts contactsapi.Contacts
}

func newTerms(shippers *resource.Resource[shipper], contacts contactsapi.Contacts) shippersapi.Shippers {
	return terms{shippers, contacts}
}

// Terms implements shippersapi.Shippers.
func (t terms) Terms(ctx context.Context, contact string) (shippersapi.Terms, bool, error) {
	found, err := t.contacts.Find(ctx, contact)
	if err != nil {
		return shippersapi.Terms{}, false, err
	}
	now, there := found[contact]
	if !there {
		return shippersapi.Terms{}, false, nil
	}
	rows, err := t.shippers.Where(ctx, "contact_id = ?", uuid.MustParse(now.UUID))
	if err != nil || len(rows) == 0 {
		return shippersapi.Terms{}, false, err
	}
	s := rows[0]

	return shippersapi.Terms{
		Shipper: s.ID.String(), CreditLimit: string(s.Limit), Currency: string(s.Currency), CreditHold: s.Hold, HoldReason: s.HoldReason,
		NetDays: s.NetDays, DefaultTerms: s.Terms, AllowedCarriers: texts(s.Allowed.V), DeniedCarriers: texts(s.Denied.V),
		ReleaseRequired: s.NeedsRelease, ReleaseRule: s.Release,
	}, true, nil
}

func texts(ids []uuid.UUID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = id.String()
	}

	return all
}
