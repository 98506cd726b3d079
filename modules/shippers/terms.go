package shippers

import (
	"context"
	"math/big"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// finder finds the shippers of contacts.
type finder struct {
	shippers *resource.Resource[shipper]
	contacts contactsapi.Contacts
}

func newFinder(shippers *resource.Resource[shipper], contacts contactsapi.Contacts) finder {
	return finder{shippers, contacts}
}

// of returns the shipper of a contact, and false if it is none. A merged contact has that of the contact that it was merged into.
func (f finder) of(ctx context.Context, contact string) (shipper, bool, error) {
	found, err := f.contacts.Find(ctx, contact)
	if err != nil {
		return shipper{}, false, err
	}
	now, there := found[contact]
	if !there {
		return shipper{}, false, nil
	}
	rows, err := f.shippers.Where(ctx, "contact_id = ?", item.ID(now.UUID))
	if err != nil || len(rows) == 0 {
		return shipper{}, false, err
	}

	return rows[0], true, nil
}

// mayHaul reports whether a carrier may haul for the shipper.
func (s shipper) mayHaul(carrier uuid.UUID) bool {
	if slices.Contains(s.Denied.V, carrier) {
		return false
	}

	return len(s.Allowed.V) == 0 || slices.Contains(s.Allowed.V, carrier)
}

// credit is what a contact gets: of the terms of a shipper and those of its contact, the stricter ones.
type credit struct {
	hold bool
	// limit is a decimal in the currency, "" for none.
	limit, currency string
}

// decision is about credit.
type decision string

// The decisions.
const (
	granted    decision = "granted"
	held       decision = "held"
	overLimit  decision = "over_limit" // the amount exceeds what is left of the limit
	unknownFor decision = "unknown"    // the amounts are in another currency than the limit, or no decimals
)

// decide decides about an amount on top of what is owed. Amounts are decimals in one currency; owed "" is zero.
func (c credit) decide(owed, amount, currency string) decision {
	switch {
	case c.hold:
		return held
	case c.limit == "":
		return granted
	case currency != c.currency:
		return unknownFor
	}
	limit, known := new(big.Rat).SetString(c.limit)
	total, valid := new(big.Rat).SetString(amount)
	before, right := new(big.Rat), true
	if owed != "" {
		before, right = before.SetString(owed)
	}
	switch {
	case !known || !valid || !right:
		return unknownFor
	case total.Add(total, before).Cmp(limit) > 0:
		return overLimit
	default:
		return granted
	}
}
