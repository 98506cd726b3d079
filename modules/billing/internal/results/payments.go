// Package results stores what the area cards reports: results of payments and refunds, payouts, disputes and cards.
package results

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Payments stores what became of payments.
type Payments struct {
	tables    *store.Tables
	house     *books.House
	life      *subscriptions.Life
	collector *subscriptions.Collector
	charges   *charging.Charges
}

// NewPayments returns Payments.
func NewPayments(t *store.Tables, h *books.House, l *subscriptions.Life, c *subscriptions.Collector, ch *charging.Charges) *Payments {
	return &Payments{tables: t, house: h, life: l, collector: c, charges: ch}
}

// OnCaptured stores that a payment was captured.
func (r *Payments) OnCaptured(ctx context.Context, e cardsapi.PaymentCapturedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

// OnFailed stores that a payment failed.
func (r *Payments) OnFailed(ctx context.Context, e cardsapi.PaymentFailedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

// OnCanceled stores that a payment was canceled.
func (r *Payments) OnCanceled(ctx context.Context, e cardsapi.PaymentCanceledEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

// OnActionRequired stores that the cardholder is to confirm a payment.
func (r *Payments) OnActionRequired(ctx context.Context, e cardsapi.PaymentActionRequiredEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

// OnCorrected stores the corrected result of a payment.
func (r *Payments) OnCorrected(ctx context.Context, e cardsapi.PaymentCorrectedEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

// OnFee posts the vendor's fee of a payment.
func (r *Payments) OnFee(ctx context.Context, e cardsapi.PaymentFeeEvent) error {
	return r.payment(ctx, e.PaymentAbout)
}

// payment stores the result of a payment.
func (r *Payments) payment(ctx context.Context, about cardsapi.PaymentAbout) error {
	id, ours := charging.RefersTo(about.Reference, charging.PaymentPrefix)
	if !ours {
		return nil
	}
	as, ours, err := r.house.Customer(ctx, about.OwnerType, about.Owner)
	if err != nil || !ours {
		return err
	}
	house := principal.CompanyOf(ctx)
	p, err := r.tables.Payments.Find(as, id)
	if err != nil {
		return err
	}
	_, err = r.life.Change(as, p.Subscription, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *store.Subscription) error {
		if p, err = r.tables.Payments.Find(ctx, id); err != nil {
			return err
		}
		// It is read once the subscription is held: what another event has found meanwhile cannot be newer.
		reported, err := r.charges.Reported(ctx, house, about.Payment)
		if err != nil {
			return err
		}
		a, news, err := r.charges.Record(ctx, p, reported)
		if err != nil || !news {
			return err
		}

		return r.collector.Settled(ctx, sub, a)
	})

	return err
}
