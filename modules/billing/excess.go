package billing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// unapplied is what the caller's company paid beyond its invoices.
func unapplied(ctx context.Context) ledger.Account {
	company := principal.CompanyOf(ctx)

	return ledger.Account{Code: "unapplied:" + company.String(), Kind: ledger.Liability, Subject: item.Ref{Type: customerItem, UUID: company}}
}

// money is the amount of the payment.
func (p payment) money() money.Money {
	return money.Money{Amount: p.Amount, Currency: p.Currency}
}

// excess is what was paid beyond the invoice.
func (p payment) excess() money.Money {
	if p.Excess == "" {
		return money.Zero(p.Currency)
	}

	return money.Money{Amount: p.Excess, Currency: p.Currency}
}

// applied is what was paid of the invoice.
func (p payment) applied() (money.Money, error) { return p.money().Sub(p.excess()) }

// apply has a captured payment pay its invoice. What it is more than that is given back: a payment that was believed to have failed may turn
// out to be captured after the invoice was paid by another one, or credited.
func (c *charges) apply(ctx context.Context, p payment) error {
	i, err := c.tables.Invoices.Find(ctx, p.Invoice)
	if err != nil {
		return err
	}
	due := i.money(i.Balance)
	if i.State == invoiceLost {
		due = i.money(i.WrittenOff)
	}
	excess, err := p.money().Sub(due)
	if err != nil {
		return err
	}
	if excess.Sign() > 0 {
		p, err = c.tables.Payments.Change(asService(ctx), p.ID, web.IfMatch{}, verbCapture, func(_ context.Context, p *payment) error {
			p.Excess = excess.Amount

			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := c.bills.pay(ctx, p); err != nil || excess.Sign() <= 0 || p.Method != byCard {
		return err
	}
	seller, err := c.house.seller(ctx)
	if err != nil {
		return err
	}
	units, _ := excess.Units()
	_, err = c.orders.Refund(seller.house(ctx), cardsapi.RefundOrder{
		Reference: excessPrefix + p.ID.String(), Payment: string(p.CardPayment), Units: units, Reason: "It was paid twice.",
	})

	return err
}

// recordExcess posts that the excess of a payment was given back, or that it was not after all.
func (c *charges) recordExcess(ctx context.Context, id uuid.UUID, s cardsapi.RefundState, completed bool) error {
	p, err := c.tables.Payments.Find(ctx, id)
	if err != nil {
		return err
	}
	seller, err := c.house.seller(ctx)
	if err != nil {
		return err
	}
	e := entry{reference: excessPrefix + id.String() + ":refunded", kind: "billing_refund", source: sourceOf(p.Invoice)}
	e.postings = []ledger.Posting{ledger.Debit(unapplied(ctx), p.excess()), ledger.Credit(cardAccount, p.excess())}
	if s == cardsapi.RefundFailed {
		if !completed {
			return nil
		}
		e.reference, e.kind = excessPrefix+id.String()+":refund_failed", "billing_refund_failed"
		e.postings = []ledger.Posting{ledger.Debit(cardAccount, p.excess()), ledger.Credit(unapplied(ctx), p.excess())}
	}

	return c.house.post(ctx, seller, e)
}
