package billing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// results follows what becomes of charges, refunds and cards. It listens to events of the seller's company, and acts for the company that is
// their owner. Events may come twice, and in any order: it acts on what the area cards has then.
type results struct {
	service *service
	db      *database.DB
}

func newResults(s *service, db *database.DB) *results { return &results{s, db} }

func (r *results) onCaptured(ctx context.Context, e cardsapi.PaymentCapturedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *results) onFailed(ctx context.Context, e cardsapi.PaymentFailedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *results) onCanceled(ctx context.Context, e cardsapi.PaymentCanceledEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *results) onActionRequired(ctx context.Context, e cardsapi.PaymentActionRequiredEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *results) onCorrected(ctx context.Context, e cardsapi.PaymentCorrectedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *results) onFee(ctx context.Context, e cardsapi.PaymentFeeEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

func (r *results) onPayout(ctx context.Context, e cardsapi.PayoutPaidEvent) error {
	return r.payout(ctx, e.PayoutAbout, false)
}

// onPayoutFailed takes back what was posted for a payout that the bank has sent back.
func (r *results) onPayoutFailed(ctx context.Context, e cardsapi.PayoutFailedEvent) error {
	if !e.WasPaid {
		return nil
	}

	return r.payout(ctx, e.PayoutAbout, true)
}

func (r *results) payout(ctx context.Context, about cardsapi.PayoutAbout, back bool) error {
	seller, err := r.service.charges.bills.house.sellers.required(ctx)
	if errs.KindOf(err) == errs.Conflict || err == nil && principal.CompanyOf(ctx) != seller.House {
		return nil
	}
	if err != nil {
		return err
	}

	return r.service.charges.bills.house.postPayoutFees(ctx, seller, about, back)
}

func (r *results) onRefunded(ctx context.Context, e cardsapi.RefundCompletedEvent) error {
	return r.refund(ctx, e.RefundAbout, cardsapi.Refund{State: cardsapi.RefundCompleted}, false)
}

func (r *results) onRefundFailed(ctx context.Context, e cardsapi.RefundFailedEvent) error {
	return r.refund(ctx, e.RefundAbout, cardsapi.Refund{State: cardsapi.RefundFailed, Reason: e.Reason}, e.Completed)
}

func (r *results) onDisputed(ctx context.Context, e cardsapi.DisputeOpenedEvent) error {
	return r.dispute(ctx, e.DisputeAbout, ledger.Account{})
}

func (r *results) onDisputeWon(ctx context.Context, e cardsapi.DisputeWonEvent) error {
	return r.dispute(ctx, e.DisputeAbout, cardAccount)
}

func (r *results) onDisputePrevented(ctx context.Context, e cardsapi.DisputePreventedEvent) error {
	return r.dispute(ctx, e.DisputeAbout, cardAccount)
}

func (r *results) onDisputeLost(ctx context.Context, e cardsapi.DisputeLostEvent) error {
	return r.dispute(ctx, e.DisputeAbout, chargebacks)
}

// customer returns a context in which the service acts for the owner of a payment, false if the event is not the seller's.
func (r *results) customer(ctx context.Context, ownerType, owner string) (context.Context, bool, error) {
	seller, err := r.service.charges.bills.house.sellers.required(ctx)
	if errs.KindOf(err) == errs.Conflict {
		return ctx, false, nil
	}
	company, invalid := uuid.Parse(owner)
	if err != nil || invalid != nil || ownerType != customerItem || principal.CompanyOf(ctx) != seller.House {
		return ctx, false, err
	}

	return principal.AsCompany(ctx, company), true, nil
}

// payment stores the result of a payment.
func (r *results) payment(ctx context.Context, about cardsapi.PaymentAbout) error {
	id, ours := refersTo(about.Reference, paymentPrefix)
	if !ours {
		return nil
	}
	as, ours, err := r.customer(ctx, about.OwnerType, about.Owner)
	if err != nil || !ours {
		return err
	}
	house := principal.CompanyOf(ctx)
	p, err := r.service.charges.payments.Find(as, id)
	if err != nil {
		return err
	}
	_, err = r.service.change(as, p.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
		if p, err = r.service.charges.payments.Find(ctx, id); err != nil {
			return err
		}
		// It is read once the subscription is held: what another event has found meanwhile cannot be newer.
		reported, err := r.service.charges.cards.Payment(principal.AsCompany(ctx, house), about.Payment)
		if err != nil {
			return err
		}
		a, news, err := r.service.charges.record(ctx, p, reported)
		if err != nil || !news {
			return err
		}

		return r.service.settled(ctx, sub, a)
	})

	return err
}

// refund stores the result of a refund: of a credit note, or of what was paid twice. Completed says that it had been completed before.
func (r *results) refund(ctx context.Context, about cardsapi.RefundAbout, reported cardsapi.Refund, completed bool) error {
	id, ours := refersTo(about.Reference, creditPrefix)
	excess, twice := refersTo(about.Reference, excessPrefix)
	if !ours && !twice {
		return nil
	}
	as, ours, err := r.customer(ctx, about.Payment.OwnerType, about.Payment.Owner)
	if err != nil || !ours {
		return err
	}

	if twice {
		return r.db.InTx(as, func(ctx context.Context) error {
			return r.service.charges.recordExcess(ctx, excess, reported.State, completed)
		})
	}

	return r.db.InTx(as, func(ctx context.Context) error {
		note, err := r.service.charges.bills.credits.Find(ctx, id)
		if err != nil {
			return err
		}
		if err := r.service.charges.bills.invoices.Hold(ctx, note.Invoice); err != nil {
			return err
		}

		return r.service.charges.recordRefund(ctx, id, reported.State, reported.Reason)
	})
}

// dispute posts what a cardholder disputes, and where it went; no account while that is undecided. The invoice stays paid.
func (r *results) dispute(ctx context.Context, about cardsapi.DisputeAbout, to ledger.Account) error {
	id, ours := refersTo(about.Payment.Reference, paymentPrefix)
	if !ours {
		return nil
	}
	as, ours, err := r.customer(ctx, about.Payment.OwnerType, about.Payment.Owner)
	if err != nil || !ours {
		return err
	}
	p, err := r.service.charges.payments.Find(as, id)
	if err != nil {
		return err
	}
	currency, err := money.ParseCurrency(about.Amount.Currency)
	if err != nil {
		return err
	}

	return r.db.InTx(as, func(ctx context.Context) error {
		house, amount, fee := r.service.charges.bills.house, money.OfUnits(about.Amount.Units, currency), money.OfUnits(about.Fee, currency)
		if err := house.postDispute(ctx, sourceOf(p.Invoice), about, amount, to); err != nil {
			return err
		}

		return house.postDisputeFee(ctx, sourceOf(p.Invoice), about.Dispute, fee)
	})
}

// onCardSaved charges the open invoices that wait for a card.
func (r *results) onCardSaved(ctx context.Context, e cardsapi.CardSavedEvent) error {
	return r.card(ctx, e.CardAbout, func(ctx context.Context, sub *subscription) error { return r.service.collect(ctx, sub, true) })
}

// onCardFailed removes a card that the vendor did not keep.
func (r *results) onCardFailed(ctx context.Context, e cardsapi.CardFailedEvent) error {
	return r.drop(ctx, e.CardAbout)
}

// onCardRemoved removes a card that can no longer be charged.
func (r *results) onCardRemoved(ctx context.Context, e cardsapi.CardRemovedEvent) error {
	return r.drop(ctx, e.CardAbout)
}

func (r *results) drop(ctx context.Context, about cardsapi.CardAbout) error {
	return r.card(ctx, about, func(_ context.Context, sub *subscription) error {
		sub.Card = ""

		return nil
	})
}

// card changes the subscription that is paid with a card. It compares the card once the subscription is held: whoever chooses the card
// meanwhile has looked before it was saved, and leaves it to this to go on.
func (r *results) card(ctx context.Context, about cardsapi.CardAbout, do func(ctx context.Context, sub *subscription) error) error {
	as, ours, err := r.customer(ctx, about.OwnerType, about.Owner)
	if err != nil || !ours {
		return err
	}
	change := func(ctx context.Context) error {
		sub, err := r.service.current(ctx)
		if err != nil {
			return err
		}
		_, err = r.service.change(ctx, sub.ID, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *subscription) error {
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
	err = r.db.InTx(as, func(ctx context.Context) error {
		if err := r.service.office.companies.Hold(ctx, principal.CompanyOf(ctx)); err != nil {
			return err
		}

		return change(ctx)
	})
	if errs.KindOf(err) == errs.NotFound {
		return nil
	}

	return err
}
