package shippers

import (
	"cmp"
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/shippers/shippersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
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

// guard has loads respect the terms of shippers and contacts: their credit, and the carriers that they want.
type guard struct {
	terms    shippersapi.Shippers
	shippers *resource.Resource[shipper]
	contacts contactsapi.Contacts
	users    *identity.Service
}

func newGuard(t shippersapi.Shippers, shippers *resource.Resource[shipper], contacts contactsapi.Contacts, users *identity.Service) guard {
	return guard{t, shippers, contacts, users}
}

// credit refuses a load on account to a contact that is on hold, or would owe more than its limit with it. Of the terms of a shipper and those of its contact, the
// stricter ones count.
func (g guard) credit(ctx context.Context, q *loadsapi.AskingCredit) error {
	t, ships, err := g.terms.Terms(ctx, q.Payer)
	if err != nil {
		return err
	}
	found, err := g.contacts.Find(ctx, q.Payer)
	if err != nil {
		return err
	}
	known := found[q.Payer]
	t.CreditHold = t.CreditHold || known.CreditHold
	if t.CreditLimit == "" {
		t.CreditLimit, t.Currency = known.CreditLimit, known.Currency
	}
	if !q.Planned && slices.Contains([]string{"cod", "cop", "prepaid"}, t.DefaultTerms) || !t.CreditHold && t.CreditLimit == "" {
		return nil
	}
	if ships {
		if err := g.shippers.Hold(ctx, item.ID(t.Shipper)); err != nil { // of two loads at a time, one sees what the other one owes
			return err
		}
	}
	if t.Currency == "" {
		if t.Currency, err = identity.Currency(ctx, g.users); err != nil {
			return err
		}
	}
	owed := ""
	if !t.CreditHold && t.CreditLimit != "" {
		if owed, err = q.Owed(ctx); err != nil {
			return err
		}
	}
	refuse := func(e *errs.Error) error {
		return e.WithDetail("contact_uuid", q.Payer).WithDetail("credit_limit", t.CreditLimit).WithDetail("owed", cmp.Or(owed, "0.00")).
			WithDetail("amount", q.Amount).WithDetail("currency", t.Currency)
	}
	switch t.Decide(owed, q.Amount, q.Currency) {
	case shippersapi.CreditHeld:
		return errHold.WithDetail("contact_uuid", q.Payer).WithDetail("hold_reason", t.HoldReason)
	case shippersapi.CreditOver:
		return refuse(errLimit)
	case shippersapi.CreditUnknown:
		return refuse(errCurrency)
	case shippersapi.CreditGranted:
	}

	return nil
}

// carriers enters the carriers that a shipper does not want.
func (g guard) carriers(ctx context.Context, q *loadsapi.ChoosingCarriers) error {
	for _, contact := range q.Contacts {
		t, ships, err := g.terms.Terms(ctx, contact)
		if err != nil {
			return err
		}
		for _, carrier := range q.Carriers {
			if ships && !t.MayHaul(carrier) {
				q.Refused[carrier] = errDenied.WithDetail("shipper_uuid", t.Shipper).WithDetail("carrier_uuid", carrier)
			}
		}
	}

	return nil
}
