package billing

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
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
	paymentPrefix = "billing.payment:"
	creditPrefix  = "billing.credit_note:"
	cardPrefix    = "billing.card:"
	excessPrefix  = "billing.excess:"
)

// reasonNoCard is why a payment failed of a subscription without a card.
const reasonNoCard = "no_card"

// charges charges and refunds the cards of the caller's company, with the seller's card account.
type charges struct {
	tables *tables
	bills  *bills
	house  *house
	cards  cardsapi.Cards
	orders cardsapi.Charges
	bus    *events.Bus
}

func newCharges(t *tables, b *bills, cards cardsapi.Cards, orders cardsapi.Charges, bus *events.Bus) *charges {
	return &charges{tables: t, bills: b, house: b.house, cards: cards, orders: orders, bus: bus}
}

// reported returns what the seller's area of cards knows of a payment.
func (c *charges) reported(ctx context.Context, house uuid.UUID, payment string) (cardsapi.Payment, error) {
	return c.orders.Payment(principal.AsCompany(ctx, house), payment)
}

// owner is the caller's company as the owner of cards.
func owner(ctx context.Context) cardsapi.Owner {
	return cardsapi.Owner{Type: customerItem, UUID: principal.CompanyOf(ctx).String()}
}

// cardsOf returns the cards of the caller's company, the newest first.
func (c *charges) cardsOf(ctx context.Context) ([]cardsapi.Card, error) {
	seller, err := c.house.seller(ctx)
	if err != nil {
		return nil, err
	}

	return c.cards.CardsOf(seller.house(ctx), owner(ctx))
}

// checkCard checks that the caller's company has a card that can be charged, or is being saved. Error: billing.card_not_found.
func (c *charges) checkCard(ctx context.Context, id string) error {
	all, err := c.cardsOf(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.UUID == id && (one.State == cardsapi.CardActive || one.State == cardsapi.CardSaving) {
			return nil
		}
	}

	return errCard
}

// pending reports whether a payment of an invoice has no result yet.
func (c *charges) pending(ctx context.Context, invoice uuid.UUID) (bool, error) {
	n, err := c.tables.Payments.Count(ctx, "invoice_id = ? AND state = ?", invoice, paymentPending)

	return n > 0, err
}

// attempt is a charge of an invoice.
type attempt struct {
	payment payment
	// final says that the card must not be charged again.
	final bool
}

// charge charges the balance of an invoice. The result may come later, as an event of the area cards. A subscription without a card fails
// at once.
func (c *charges) charge(ctx context.Context, s *subscription, i invoice, present bool) (a attempt, err error) {
	row := payment{Invoice: i.ID, Subscription: s.ID, Method: byCard, Amount: i.Balance, Currency: i.Currency, Card: s.Card}
	if a.payment, err = c.tables.Payments.Create(asService(ctx), row); err != nil {
		return a, err
	}
	if s.Card == "" {
		a.payment, err = c.fail(ctx, a.payment.ID, reasonNoCard)

		return a, err
	}
	seller, err := c.house.seller(ctx)
	if err != nil {
		return a, err
	}
	units, _ := i.money(i.Balance).Units()
	reported, err := c.orders.Charge(seller.house(ctx), cardsapi.Charge{
		Reference: paymentPrefix + a.payment.ID.String(), Owner: owner(ctx), Amount: cardsapi.Money{Units: units, Currency: string(i.Currency)},
		Card: string(s.Card), Note: "Invoice " + i.Number, Statement: i.Number, Present: present,
	})
	if refused, is := errors.AsType[*errs.Error](err); is && refused.Kind != errs.Internal { // the seller has no account, or none that takes this currency
		a.payment, err = c.fail(ctx, a.payment.ID, refused.Code)

		return a, err
	} else if err != nil {
		return a, err
	}
	a.payment, err = c.tables.Payments.Change(asService(ctx), a.payment.ID, web.IfMatch{}, verbCharge, func(_ context.Context, p *payment) error {
		p.CardPayment = terms.CardsID(reported.UUID)

		return nil
	})
	if err != nil {
		return a, err
	}
	a, _, err = c.record(ctx, a.payment, reported)

	return a, err
}

// record stores what the area cards reports of a payment, which is held, and reports whether it has a new result.
func (c *charges) record(ctx context.Context, p payment, reported cardsapi.Payment) (a attempt, news bool, err error) {
	a = attempt{payment: p, final: reported.Final}
	switch reported.State {
	case cardsapi.PaymentCaptured:
		if p.State == paymentCaptured {
			return a, false, c.noteKnownFee(ctx, p, reported.Fee)
		}
		units, _ := (money.Money{Amount: p.Amount, Currency: p.Currency}).Units()
		if reported.Amount.Units != units || reported.Amount.Currency != string(p.Currency) {
			return a, false, fmt.Errorf("payment %s: %d %s captured instead of %d %s", p.ID, reported.Amount.Units, reported.Amount.Currency, units, p.Currency)
		}
		if a.payment, err = c.end(ctx, p.ID, verbCapture, ""); err != nil {
			return a, true, err
		}

		return a, true, c.noteKnownFee(ctx, a.payment, reported.Fee)
	case cardsapi.PaymentFailed, cardsapi.PaymentCanceled:
		switch p.State {
		case paymentPending:
			a.payment, err = c.fail(ctx, p.ID, string(reported.Reason))
		case paymentCaptured: // a reconciliation has found that it was not
			a.payment, err = c.reverse(ctx, p, string(reported.Reason))
		case paymentFailed:
			return a, false, nil
		}

		return a, true, err
	case cardsapi.PaymentAction:
		if p.State != paymentPending || p.ActionURL == reported.ActionURL {
			return a, false, nil
		}
		a.payment, err = c.tables.Payments.Change(asService(ctx), p.ID, web.IfMatch{}, verbCharge, func(_ context.Context, p *payment) error {
			p.ActionURL = reported.ActionURL

			return nil
		})

		return a, false, err
	default: // it has no result yet
		return a, false, nil
	}
}

func (c *charges) fail(ctx context.Context, id uuid.UUID, reason string) (payment, error) {
	p, err := c.end(ctx, id, verbFail, reason)
	if err != nil {
		return p, err
	}

	return p, c.bus.Publish(ctx, billingapi.PaymentFailed{Payment: id.String(), Invoice: p.Invoice.String(), Reason: reason})
}

func (c *charges) end(ctx context.Context, id uuid.UUID, verb resource.Verb, reason string) (payment, error) {
	return c.tables.Payments.Change(asService(ctx), id, web.IfMatch{}, verb, func(ctx context.Context, p *payment) error {
		p.SettledAt, p.Reason, p.ActionURL = new(c.tables.Clock.Now()), reason, ""

		return c.tables.Payments.Step(ctx, p, state.Move{Verb: string(verb), Reason: reason})
	})
}

// recordManual stores a payment by bank transfer of the whole balance of an invoice.
func (c *charges) recordManual(ctx context.Context, i invoice, reference string) (payment, error) {
	p, err := c.tables.Payments.Create(ctx, payment{
		Invoice: i.ID, Subscription: i.Subscription, Method: byHand, Amount: i.Balance, Currency: i.Currency, Reference: reference,
	})
	if err != nil {
		return p, err
	}

	return c.end(ctx, p.ID, verbCapture, "")
}

// refund gives back what was paid of a credit note, to the card that paid it.
func (c *charges) refund(ctx context.Context, note creditNote) error {
	if note.RefundState != refundPending {
		return nil
	}
	if note.Reference != "" { // the seller has sent it back
		return c.bills.refunded(ctx, note.ID)
	}
	paid, err := c.tables.Payments.Where(ctx, "invoice_id = ? AND state = ? AND method = ?", note.Invoice, paymentCaptured, byCard)
	if err != nil {
		return err
	}
	if len(paid) == 0 {
		return errRefundByHand
	}
	seller, err := c.house.seller(ctx)
	if err != nil {
		return err
	}
	units, _ := (money.Money{Amount: note.Refund, Currency: note.Currency}).Units()
	reported, err := c.orders.Refund(seller.house(ctx), cardsapi.RefundOrder{
		Reference: creditPrefix + note.ID.String(), Payment: string(paid[0].CardPayment), Units: units, Reason: note.Reason,
	})
	if err != nil {
		return err
	}

	return c.recordRefund(ctx, note.ID, reported.State, reported.Reason)
}

// recordRefund stores what the area cards reports of a refund.
func (c *charges) recordRefund(ctx context.Context, note uuid.UUID, s cardsapi.RefundState, reason cardsapi.Reason) error {
	switch s {
	case cardsapi.RefundCompleted:
		return c.bills.refunded(ctx, note)
	case cardsapi.RefundFailed:
		return c.bills.notRefunded(ctx, note, string(reason))
	default:
		return nil
	}
}

// refersTo returns the id in a reference with a prefix.
func refersTo(reference, prefix string) (uuid.UUID, bool) {
	text, is := strings.CutPrefix(reference, prefix)
	id, err := uuid.Parse(text)

	return id, is && err == nil
}
