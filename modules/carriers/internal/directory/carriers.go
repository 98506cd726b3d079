// Package directory finds carriers of a company, for its users and for other areas.
package directory

import (
	"cmp"
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// directory implements carriersapi.Carriers.
type directory struct {
	roster   *store.Roster
	contacts contactsapi.Contacts
}

// NewCarriers returns the carriers that other areas ask for.
func NewCarriers(r *store.Roster, contacts contactsapi.Contacts) carriersapi.Carriers {
	return directory{r, contacts}
}

// Find implements carriersapi.Carriers.
func (d directory) Find(ctx context.Context, uuids ...string) (map[string]carriersapi.Carrier, error) {
	rows, err := d.roster.AllStanding(ctx, uuids...)
	found := make(map[string]carriersapi.Carrier, len(rows))
	for asked, row := range rows {
		one := row.Shown()
		if asked != row.ID {
			one.MergedFrom = asked.String()
		}
		found[asked.String()] = one
	}

	return found, err
}

// Reach implements carriersapi.Carriers.
func (d directory) Reach(ctx context.Context, id string, p carriersapi.Purpose) (carriersapi.Reach, error) {
	row, err := d.roster.Standing(ctx, id)
	if err != nil {
		return carriersapi.Reach{}, err
	}

	by := row.Reach(p)
	if row.Contact == nil {
		return by, nil
	}
	known, err := d.contacts.Reach(ctx, row.Contact.String(), contactsapi.Service)
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
