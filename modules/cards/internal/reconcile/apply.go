package reconcile

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// What applying a finding did.
const (
	applied = "applied"
	stale   = "stale" // it has changed since it was compared
)

// Applier has differences corrected.
type Applier struct {
	book    *payments.Book
	store   *store.Repository
	reports *payments.Reports
}

// NewApplier returns an Applier.
func NewApplier(b *payments.Book, r *store.Repository, reports *payments.Reports) *Applier {
	return &Applier{book: b, store: r, reports: reports}
}

// Apply has all differences of a reconciliation corrected, by what the vendor had when it was compared. Applying it again changes
// nothing.
func (s *Applier) Apply(ctx context.Context, id uuid.UUID, match web.IfMatch) (row store.Reconciliation, err error) {
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.LockReconciliation(ctx, id); err != nil {
			return err
		}
		if row.State == store.ReconciliationApplied {
			return nil
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if row.State != store.ReconciliationDone {
			return store.ErrReconciling.WithDetail("state", string(row.State))
		}
		for i := range row.Findings {
			var done bool
			err := s.book.DB.Savepoint(ctx, func(ctx context.Context) (err error) {
				done, err = s.apply(ctx, row.AccountID, row.Findings[i])

				return err
			})
			if err != nil && !errors.Is(err, payments.ErrStale) {
				return err
			}
			if row.Findings[i].Outcome = stale; done {
				row.Findings[i].Outcome = applied
			}
		}
		row.State = store.ReconciliationApplied

		return s.store.SaveReconciliation(ctx, s.book.Clock.Now(), &row)
	})

	return row, err
}

// apply corrects one difference; false for one that cannot be. Error: payments.ErrStale for one that has changed since.
func (s *Applier) apply(ctx context.Context, account uuid.UUID, f store.Finding) (bool, error) {
	correction := payments.Correction{Account: account, VendorID: f.Vendor, VendorPayment: f.Payment, Here: f.Here}
	if f.UUID != nil {
		correction.ID = *f.UUID
	}
	if f.There != nil {
		in, err := money.ParseCurrency(f.There.Currency)
		if err != nil {
			return false, nil //nolint:nilerr // the vendor has no amount that can be stored
		}
		correction.Units, correction.Currency = f.There.Units, in
	}
	var err error
	switch {
	case f.Of == ofPayment && f.Remedy == remedyAdd:
		err = s.reports.AddPayment(ctx, correction, cardsapi.PaymentState(f.There.State))
	case f.Of == ofPayment && f.Remedy == remedyFail:
		err = s.reports.CorrectPayment(ctx, correction, cardsapi.PaymentFailed)
	case f.Of == ofPayment:
		err = s.reports.CorrectPayment(ctx, correction, cardsapi.PaymentState(f.There.State))
	case f.Remedy == remedyAdd:
		err = s.reports.AddMissingRefund(ctx, correction, cardsapi.RefundState(f.There.State))
	case f.Remedy == remedyFail:
		err = s.reports.CorrectRefund(ctx, correction, cardsapi.RefundFailed)
	default:
		err = s.reports.CorrectRefund(ctx, correction, cardsapi.RefundState(f.There.State))
	}

	return err == nil, err
}
