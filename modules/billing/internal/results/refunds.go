package results

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// Refunds stores what became of refunds.
type Refunds struct {
	tables  *store.Tables
	house   *books.House
	charges *charging.Charges
}

// NewRefunds returns Refunds.
func NewRefunds(t *store.Tables, h *books.House, c *charging.Charges) *Refunds {
	return &Refunds{tables: t, house: h, charges: c}
}

// OnRefunded stores that a refund was completed.
func (r *Refunds) OnRefunded(ctx context.Context, e cardsapi.RefundCompletedEvent) error {
	return r.refund(ctx, e.RefundAbout, cardsapi.Refund{State: cardsapi.RefundCompleted}, false)
}

// OnRefundFailed stores that a refund failed.
func (r *Refunds) OnRefundFailed(ctx context.Context, e cardsapi.RefundFailedEvent) error {
	return r.refund(ctx, e.RefundAbout, cardsapi.Refund{State: cardsapi.RefundFailed, Reason: e.Reason}, e.Completed)
}

// refund stores the result of a refund: of a credit note, or of what was paid twice. Completed says that it had been completed before.
func (r *Refunds) refund(ctx context.Context, about cardsapi.RefundAbout, reported cardsapi.Refund, completed bool) error {
	id, ours := charging.RefersTo(about.Reference, charging.CreditPrefix)
	excess, twice := charging.RefersTo(about.Reference, charging.ExcessPrefix)
	if !ours && !twice {
		return nil
	}
	as, ours, err := r.house.Customer(ctx, about.Payment.OwnerType, about.Payment.Owner)
	if err != nil || !ours {
		return err
	}

	if twice {
		return r.tables.DB.InTx(as, func(ctx context.Context) error {
			return r.charges.RecordExcess(ctx, excess, reported.State, completed)
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

		return r.charges.RecordRefund(ctx, id, reported.State, reported.Reason)
	})
}
