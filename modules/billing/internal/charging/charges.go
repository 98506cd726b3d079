// Package charging charges and refunds the cards of companies at the area cards, and keeps what it reports.
package charging

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/invoicing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Prefixes of references in the area cards.
const (
	PaymentPrefix = "billing.payment:"
	CreditPrefix  = "billing.credit_note:"
	cardPrefix    = "billing.card:"
	ExcessPrefix  = "billing.excess:"
)

// reasonNoCard is why a payment failed of a subscription without a card.
const reasonNoCard = "no_card"

// Charges charges and refunds the cards of the caller's company, with the seller's card account.
type Charges struct {
	tables *store.Tables
	bills  *invoicing.Bills
	house  *books.House
	orders cardsapi.Charges
	bus    *events.Bus
}

// NewCharges returns Charges.
func NewCharges(t *store.Tables, b *invoicing.Bills, h *books.House, orders cardsapi.Charges, bus *events.Bus) *Charges {
	return &Charges{tables: t, bills: b, house: h, orders: orders, bus: bus}
}

// Reported returns what the seller's area of cards knows of a payment.
func (c *Charges) Reported(ctx context.Context, house uuid.UUID, payment string) (cardsapi.Payment, error) {
	return c.orders.Payment(principal.AsCompany(ctx, house), payment)
}

// Pending reports whether a payment of an invoice has no result yet.
func (c *Charges) Pending(ctx context.Context, invoice uuid.UUID) (bool, error) {
	n, err := c.tables.Payments.Count(ctx, "invoice_id = ? AND state = ?", invoice, store.PaymentPending)

	return n > 0, err
}

// Attempt is a charge of an invoice.
type Attempt struct {
	Payment store.Payment
	// Final says that the card must not be charged again.
	Final bool
}

// Charge charges the balance of an invoice. The result may come later, as an event of the area cards. A subscription without a card fails
// at once.
func (c *Charges) Charge(ctx context.Context, s *store.Subscription, i store.Invoice, present bool) (a Attempt, err error) {
	row := store.Payment{Invoice: i.ID, Subscription: s.ID, Method: store.ByCard, Amount: i.Balance, Currency: i.Currency, Card: s.Card}
	if a.Payment, err = c.tables.Payments.Create(store.AsService(ctx), row); err != nil {
		return a, err
	}
	if s.Card == "" {
		a.Payment, err = c.fail(ctx, a.Payment.ID, reasonNoCard)

		return a, err
	}
	seller, err := c.house.Seller(ctx)
	if err != nil {
		return a, err
	}
	units, _ := i.Money(i.Balance).Units()
	reported, err := c.orders.Charge(seller.AsHouse(ctx), cardsapi.Charge{
		Reference: PaymentPrefix + a.Payment.ID.String(), Owner: owner(ctx), Amount: cardsapi.Money{Units: units, Currency: string(i.Currency)},
		Card: string(s.Card), Note: "Invoice " + i.Number, Statement: i.Number, Present: present,
	})
	if refused, is := errors.AsType[*errs.Error](err); is && refused.Kind != errs.Internal { // the seller has no account, or none that takes this currency
		a.Payment, err = c.fail(ctx, a.Payment.ID, refused.Code)

		return a, err
	} else if err != nil {
		return a, err
	}
	a.Payment, err = c.change(ctx, a.Payment.ID, store.VerbCharge, func(_ context.Context, p *store.Payment) error {
		p.CardPayment = terms.CardsID(reported.UUID)

		return nil
	})
	if err != nil {
		return a, err
	}
	a, _, err = c.Record(ctx, a.Payment, reported)

	return a, err
}

// Record stores what the area cards reports of a payment, which is held, and reports whether it has a new result.
func (c *Charges) Record(ctx context.Context, p store.Payment, reported cardsapi.Payment) (a Attempt, news bool, err error) {
	a = Attempt{Payment: p, Final: reported.Final}
	switch reported.State {
	case cardsapi.PaymentCaptured:
		if p.State == store.PaymentCaptured {
			return a, false, c.noteKnownFee(ctx, p, reported.Fee)
		}
		units, _ := (money.Money{Amount: p.Amount, Currency: p.Currency}).Units()
		if reported.Amount.Units != units || reported.Amount.Currency != string(p.Currency) {
			return a, false, fmt.Errorf("payment %s: %d %s captured instead of %d %s", p.ID, reported.Amount.Units, reported.Amount.Currency, units, p.Currency)
		}
		if a.Payment, err = c.end(ctx, p.ID, store.VerbCapture, ""); err != nil {
			return a, true, err
		}

		return a, true, c.noteKnownFee(ctx, a.Payment, reported.Fee)
	case cardsapi.PaymentFailed, cardsapi.PaymentCanceled:
		switch p.State {
		case store.PaymentPending:
			a.Payment, err = c.fail(ctx, p.ID, string(reported.Reason))
		case store.PaymentCaptured: // a reconciliation has found that it was not
			a.Payment, err = c.reverse(ctx, p, string(reported.Reason))
		case store.PaymentFailed:
			return a, false, nil
		}

		return a, true, err
	case cardsapi.PaymentAction:
		if p.State != store.PaymentPending || p.ActionURL == reported.ActionURL {
			return a, false, nil
		}
		a.Payment, err = c.change(ctx, p.ID, store.VerbCharge, func(_ context.Context, p *store.Payment) error {
			p.ActionURL = reported.ActionURL

			return nil
		})

		return a, false, err
	default: // it has no result yet
		return a, false, nil
	}
}

func (c *Charges) fail(ctx context.Context, id uuid.UUID, reason string) (store.Payment, error) {
	p, err := c.end(ctx, id, store.VerbFail, reason)
	if err != nil {
		return p, err
	}

	return p, c.bus.Publish(ctx, billingapi.PaymentFailed{Payment: id.String(), Invoice: p.Invoice.String(), Reason: reason})
}

// change holds a payment, and has do change it, as the service.
func (c *Charges) change(
	ctx context.Context, id uuid.UUID, verb resource.Verb, do func(ctx context.Context, p *store.Payment) error,
) (store.Payment, error) {
	return c.tables.Payments.Change(store.AsService(ctx), id, web.IfMatch{}, verb, do)
}

func (c *Charges) end(ctx context.Context, id uuid.UUID, verb resource.Verb, reason string) (store.Payment, error) {
	return c.change(ctx, id, verb, func(ctx context.Context, p *store.Payment) error {
		p.SettledAt, p.Reason, p.ActionURL = new(c.tables.Clock.Now()), reason, ""

		return c.tables.Payments.Step(ctx, p, state.Move{Verb: string(verb), Reason: reason})
	})
}

// RecordManual stores a payment by bank transfer of the whole balance of an invoice.
func (c *Charges) RecordManual(ctx context.Context, i store.Invoice, reference string) (store.Payment, error) {
	p, err := c.tables.Payments.Create(ctx, store.Payment{
		Invoice: i.ID, Subscription: i.Subscription, Method: store.ByHand, Amount: i.Balance, Currency: i.Currency, Reference: reference,
	})
	if err != nil {
		return p, err
	}

	return c.end(ctx, p.ID, store.VerbCapture, "")
}
