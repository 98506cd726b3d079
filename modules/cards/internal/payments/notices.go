package payments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/events"
)

// Notices takes vendors' notifications. A notification reports one thing or several.
type Notices struct {
	reports *Reports
	payouts *Payouts
	vendors *accounts.Vendors
	bus     *events.Bus
}

// NewNotices returns Notices.
func NewNotices(r *Reports, p *Payouts, v *accounts.Vendors, bus *events.Bus) *Notices {
	return &Notices{reports: r, payouts: p, vendors: v, bus: bus}
}

// Report implements cardsapi.Reports.
func (s *Notices) Report(ctx context.Context, account string, n cardsapi.Notice) error {
	id, err := uuid.Parse(account)
	if err != nil {
		return store.ErrAccount
	}
	ctx = asService(ctx)
	if n.Payment != nil {
		if err := s.reports.reportPayment(ctx, id, *n.Payment); err != nil {
			return err
		}
	}
	if n.Refund != nil {
		if err := s.reports.reportRefund(ctx, id, *n.Refund); err != nil {
			return err
		}
	}
	if n.Dispute != nil {
		if err := s.reports.reportDispute(ctx, id, *n.Dispute); err != nil {
			return err
		}
	}
	if n.Payout != nil {
		if err := s.payouts.report(ctx, id, *n.Payout); err != nil {
			return err
		}
	}
	if n.UpdatedCard != nil {
		if err := s.reports.reportCard(ctx, id, *n.UpdatedCard); err != nil {
			return err
		}
	}
	if n.RemovedCard != "" {
		if err := s.reports.reportRemoved(ctx, id, n.RemovedCard); err != nil {
			return err
		}
	}
	if n.Revoked {
		return s.reportRevoked(ctx, id)
	}

	return nil
}

// reportRevoked notes that a vendor no longer accepts the credentials of an account.
func (s *Notices) reportRevoked(ctx context.Context, account uuid.UUID) error {
	row, err := s.vendors.Accounts.One(ctx, account)
	if err != nil {
		return err
	}
	if row.Problem == string(cardsapi.Revoked) {
		return nil
	}
	if _, err := s.vendors.NoteHealth(ctx, row, &cardsapi.VendorError{Reason: cardsapi.Revoked, NotDone: true}); err != nil {
		return err
	}

	return s.bus.Publish(ctx, cardsapi.AccountRevokedEvent{Account: account.String(), Vendor: row.Provider})
}
