package billing

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// paymentResults stores what became of payments.
type paymentResults struct {
	tables    *tables
	house     *house
	life      *life
	collector *collector
	charges   *charges
}

func newPaymentResults(t *tables, h *house, l *life, c *collector, ch *charges) *paymentResults {
	return &paymentResults{tables: t, house: h, life: l, collector: c, charges: ch}
}

func (r *paymentResults) onCaptured(ctx context.Context, e cardsapi.PaymentCapturedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *paymentResults) onFailed(ctx context.Context, e cardsapi.PaymentFailedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *paymentResults) onCanceled(ctx context.Context, e cardsapi.PaymentCanceledEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *paymentResults) onActionRequired(ctx context.Context, e cardsapi.PaymentActionRequiredEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *paymentResults) onCorrected(ctx context.Context, e cardsapi.PaymentCorrectedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *paymentResults) onFee(ctx context.Context, e cardsapi.PaymentFeeEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

// payment stores the result of a payment.
func (r *paymentResults) payment(ctx context.Context, about cardsapi.PaymentAbout) error {
	id, ours := refersTo(about.Reference, paymentPrefix)
	if !ours {
		return nil
	}
	as, ours, err := r.house.customer(ctx, about.OwnerType, about.Owner)
	if err != nil || !ours {
		return err
	}
	house := principal.CompanyOf(ctx)
	p, err := r.tables.Payments.Find(as, id)
	if err != nil {
		return err
	}
	_, err = r.life.change(as, p.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if p, err = r.tables.Payments.Find(ctx, id); err != nil {
			return err
		}
		// It is read once the subscription is held: what another event has found meanwhile cannot be newer.
		reported, err := r.charges.reported(ctx, house, about.Payment)
		if err != nil {
			return err
		}
		a, news, err := r.charges.record(ctx, p, reported)
		if err != nil || !news {
			return err
		}

		return r.collector.settled(ctx, sub, a)
	})

	return err
}

// ledgerResults posts payouts and disputes to the ledger of the seller.
type ledgerResults struct {
	tables *tables
	house  *house
}

func newLedgerResults(t *tables, h *house) *ledgerResults {
	return &ledgerResults{tables: t, house: h}
}

func (r *ledgerResults) onPayout(ctx context.Context, e cardsapi.PayoutPaidEvent) error {
	return r.payout(ctx, e.PayoutAbout, false)
}

// onPayoutFailed takes back what was posted for a payout that the bank has sent back.
func (r *ledgerResults) onPayoutFailed(ctx context.Context, e cardsapi.PayoutFailedEvent) error {
	if !e.WasPaid {
		return nil
	}

	return r.payout(ctx, e.PayoutAbout, true)
}

func (r *ledgerResults) payout(ctx context.Context, about cardsapi.PayoutAbout, back bool) error {
	seller, err := r.house.seller(ctx)
	if errs.KindOf(err) == errs.Conflict || err == nil && principal.CompanyOf(ctx) != seller.House {
		return nil
	}
	if err != nil {
		return err
	}

	return r.house.postPayoutFees(ctx, seller, about, back)
}

func (r *ledgerResults) onDisputed(ctx context.Context, e cardsapi.DisputeOpenedEvent) error {
	return r.dispute(ctx, e.DisputeAbout, ledger.Account{})
}

func (r *ledgerResults) onDisputeWon(ctx context.Context, e cardsapi.DisputeWonEvent) error {
	return r.dispute(ctx, e.DisputeAbout, cardAccount)
}

func (r *ledgerResults) onDisputePrevented(ctx context.Context, e cardsapi.DisputePreventedEvent) error {
	return r.dispute(ctx, e.DisputeAbout, cardAccount)
}

func (r *ledgerResults) onDisputeLost(ctx context.Context, e cardsapi.DisputeLostEvent) error {
	return r.dispute(ctx, e.DisputeAbout, chargebacks)
}

// dispute posts what a cardholder disputes, and where it went; no account while that is undecided. The invoice stays paid.
func (r *ledgerResults) dispute(ctx context.Context, about cardsapi.DisputeAbout, to ledger.Account) error {
	id, ours := refersTo(about.Payment.Reference, paymentPrefix)
	if !ours {
		return nil
	}
	as, ours, err := r.house.customer(ctx, about.Payment.OwnerType, about.Payment.Owner)
	if err != nil || !ours {
		return err
	}
	p, err := r.tables.Payments.Find(as, id)
	if err != nil {
		return err
	}
	currency, err := money.ParseCurrency(about.Amount.Currency)
	if err != nil {
		return err
	}

	return r.tables.DB.InTx(as, func(ctx context.Context) error {
		amount, fee := money.OfUnits(about.Amount.Units, currency), money.OfUnits(about.Fee, currency)
		if err := r.house.postDispute(ctx, sourceOf(p.Invoice), about, amount, to); err != nil {
			return err
		}

		return r.house.postDisputeFee(ctx, sourceOf(p.Invoice), about.Dispute, fee)
	})
}

// refundResults stores what became of refunds.
type refundResults struct {
	tables  *tables
	house   *house
	charges *charges
}

func newRefundResults(t *tables, h *house, c *charges) *refundResults {
	return &refundResults{tables: t, house: h, charges: c}
}

func (r *refundResults) onRefunded(ctx context.Context, e cardsapi.RefundCompletedEvent) error {
	return r.refund(ctx, e.RefundAbout, cardsapi.Refund{State: cardsapi.RefundCompleted}, false)
}

func (r *refundResults) onRefundFailed(ctx context.Context, e cardsapi.RefundFailedEvent) error {
	return r.refund(ctx, e.RefundAbout, cardsapi.Refund{State: cardsapi.RefundFailed, Reason: e.Reason}, e.Completed)
}

// refund stores the result of a refund: of a credit note, or of what was paid twice. Completed says that it had been completed before.
func (r *refundResults) refund(ctx context.Context, about cardsapi.RefundAbout, reported cardsapi.Refund, completed bool) error {
	id, ours := refersTo(about.Reference, creditPrefix)
	excess, twice := refersTo(about.Reference, excessPrefix)
	if !ours && !twice {
		return nil
	}
	as, ours, err := r.house.customer(ctx, about.Payment.OwnerType, about.Payment.Owner)
	if err != nil || !ours {
		return err
	}

	if twice {
		return r.tables.DB.InTx(as, func(ctx context.Context) error {
			return r.charges.recordExcess(ctx, excess, reported.State, completed)
		})
	}

	return r.tables.DB.InTx(as, func(ctx context.Context) error {
		note, err := r.tables.Credits.Find(ctx, id)
		if err != nil {
			return err
		}
		if err := r.tables.Invoices.Hold(ctx, note.Invoice); err != nil {
			return err
		}

		return r.charges.recordRefund(ctx, id, reported.State, reported.Reason)
	})
}

// cardResults stores what became of cards.
type cardResults struct {
	tables    *tables
	house     *house
	companies *identity.Service
	life      *life
	collector *collector
}

func newCardResults(t *tables, h *house, companies *identity.Service, l *life, c *collector) *cardResults {
	return &cardResults{tables: t, house: h, companies: companies, life: l, collector: c}
}

// onCardSaved charges the open invoices that wait for a card.
func (r *cardResults) onCardSaved(ctx context.Context, e cardsapi.CardSavedEvent) error {
	return r.card(ctx, e.CardAbout, func(ctx context.Context, sub *subscription) error { return r.collector.collect(ctx, sub, true) })
}

// onCardFailed removes a card that the vendor did not keep.
func (r *cardResults) onCardFailed(ctx context.Context, e cardsapi.CardFailedEvent) error {
	return r.drop(ctx, e.CardAbout)
}

// onCardRemoved removes a card that can no longer be charged.
func (r *cardResults) onCardRemoved(ctx context.Context, e cardsapi.CardRemovedEvent) error {
	return r.drop(ctx, e.CardAbout)
}

func (r *cardResults) drop(ctx context.Context, about cardsapi.CardAbout) error {
	return r.card(ctx, about, func(_ context.Context, sub *subscription) error {
		sub.Card = ""

		return nil
	})
}

// card changes the subscription that is paid with a card. It compares the card once the subscription is held: whoever chooses the card
// meanwhile has looked before it was saved, and leaves it to this to go on.
func (r *cardResults) card(ctx context.Context, about cardsapi.CardAbout, do func(ctx context.Context, sub *subscription) error) error {
	as, ours, err := r.house.customer(ctx, about.OwnerType, about.Owner)
	if err != nil || !ours {
		return err
	}
	change := func(ctx context.Context) error {
		sub, err := r.tables.current(ctx)
		if err != nil {
			return err
		}
		_, err = r.life.change(ctx, sub.ID, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
			if string(sub.Card) != about.Card {
				return nil
			}

			return do(ctx, sub)
		})

		return err
	}
	if err = change(as); errs.KindOf(err) != errs.NotFound {
		return err
	}
	// The company may be about to subscribe with the card, which was not saved when it looked.
	err = r.tables.DB.InTx(as, func(ctx context.Context) error {
		if err := r.companies.Hold(ctx, principal.CompanyOf(ctx)); err != nil {
			return err
		}

		return change(ctx)
	})
	if errs.KindOf(err) == errs.NotFound {
		return nil
	}

	return err
}
