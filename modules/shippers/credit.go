package shippers

import (
	"cmp"
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

var (
	errHold = errs.New(errs.Conflict, "shippers.credit_hold",
		"The customer is on credit hold. Release the hold, or have the load paid at the booking or to the carrier.")
	errLimit = errs.New(errs.Conflict, "shippers.credit_limit",
		"The load exceeds the customer's credit limit. Raise the limit, or have the load paid at the booking or to the carrier. See details.")
	errCurrency = errs.New(errs.Conflict, "shippers.credit_currency", "The customer's credit limit is in another currency than the load. See details.")
	errDenied   = errs.New(errs.Conflict, "shippers.carrier_denied", "The shipper does not allow this carrier to haul its loads. See the shipper's allowed_carriers and denied_carriers.")
)

// guard has loads respect the terms of shippers and contacts: their credit, how they pay, and the carriers that they want.
type guard struct {
	finder   finder
	shippers *resource.Resource[shipper]
	contacts contactsapi.Contacts
	users    *identity.Service
}

func newGuard(f finder, shippers *resource.Resource[shipper], contacts contactsapi.Contacts, users *identity.Service) guard {
	return guard{f, shippers, contacts, users}
}

// credit refuses a load on account to a contact that is on hold, or would owe more than its limit with it.
func (g guard) credit(ctx context.Context, q *loadsapi.AskingCredit) error {
	s, ships, err := g.finder.of(ctx, q.Payer)
	if err != nil {
		return err
	}
	found, err := g.contacts.Find(ctx, q.Payer)
	if err != nil {
		return err
	}
	known := found[q.Payer]
	c := credit{s.Hold || known.CreditHold, string(s.Limit), string(s.Currency)}
	if c.limit == "" {
		c.limit, c.currency = known.CreditLimit, known.Currency
	}
	paid := slices.Contains([]string{loadsapi.TermsCOD, loadsapi.TermsCOP, loadsapi.TermsPrepaid}, s.Terms)
	if !q.Planned && paid || !c.hold && c.limit == "" {
		return nil
	}
	if ships {
		if err := g.shippers.Hold(ctx, s.ID); err != nil { // of two loads at a time, one sees what the other one owes
			return err
		}
	}
	if c.currency == "" {
		if c.currency, err = g.users.Currency(ctx); err != nil {
			return err
		}
	}
	owed := ""
	if !c.hold {
		if owed, err = q.Owed(ctx); err != nil {
			return err
		}
	}
	refuse := func(e *errs.Error) error {
		if e = e.WithDetail("contact_uuid", q.Payer); !seesAmounts(ctx) {
			return e
		}

		return e.WithDetail("credit_limit", c.limit).WithDetail("owed", cmp.Or(owed, "0.00")).WithDetail("amount", q.Amount).WithDetail("currency", c.currency)
	}
	switch c.decide(owed, q.Amount, q.Currency) {
	case held:
		return errHold.WithDetail("contact_uuid", q.Payer).WithDetail("hold_reason", s.HoldReason)
	case overLimit:
		return refuse(errLimit)
	case unknownFor:
		return refuse(errCurrency)
	case granted:
	}

	return nil
}

// seesAmounts reports whether the caller sees what loads cost.
func seesAmounts(ctx context.Context) bool {
	who, _ := principal.From(ctx)

	return who.Allows(loadsapi.Margins)
}

// carriers enters the carriers that a shipper does not want.
func (g guard) carriers(ctx context.Context, q *loadsapi.ChoosingCarriers) error {
	for _, contact := range q.Contacts {
		s, ships, err := g.finder.of(ctx, contact)
		if err != nil {
			return err
		}
		for _, carrier := range q.Carriers {
			if ships && !s.mayHaul(item.ID(carrier)) {
				q.Refused[carrier] = errDenied.WithDetail("shipper_uuid", s.ID).WithDetail("carrier_uuid", carrier)
			}
		}
	}

	return nil
}

// agreed enters how a shipper pays.
func (g guard) agreed(ctx context.Context, q *loadsapi.AskingTerms) error {
	if q.Payer == "" {
		return nil
	}
	s, ships, err := g.finder.of(ctx, q.Payer)
	if err != nil || !ships {
		return err
	}
	q.Terms, q.NetDays = s.Terms, s.NetDays

	return nil
}
