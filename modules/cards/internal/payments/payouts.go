package payments

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// FetchPayouts is the job that fetches the payouts of an account.
type FetchPayouts struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (FetchPayouts) Kind() string { return "cards.fetch_account_payouts" }

// reportPayout applies a notification. A job of its own fetches unknown contents: one that is running may have read the vendor's list before.
func (s *Reports) reportPayout(ctx context.Context, account uuid.UUID, v cardsapi.VendorPayout) error {
	row, err := s.ApplyPayout(ctx, account, v, nil)
	if err != nil || row.Known() || row.ID == uuid.Nil {
		return err
	}

	return s.book.Queue.Enqueue(ctx, FetchPayouts{Account: account})
}

// ApplyPayout stores a vendor's report of a payout; content is nil while its payments are unknown. PayoutPaidEvent waits for them. The row is zero for
// an unknown currency.
func (s *Reports) ApplyPayout(ctx context.Context, account uuid.UUID, v cardsapi.VendorPayout, content *cardsapi.PayoutContent) (row store.Payout, err error) {
	in, err := money.ParseCurrency(v.Net.Currency)
	if err != nil {
		return row, nil //nolint:nilerr // it can be seen at the vendor
	}
	err = s.book.DB.InTx(asService(ctx), func(ctx context.Context) error {
		known, err := first(s.book.Payouts.Where(ctx, "account_id = ? AND vendor_id = ?", account, v.ID))
		if err != nil {
			return err
		}
		if known == nil {
			made, err := s.book.Payouts.Create(ctx, store.Payout{Account: account, VendorID: v.ID, Currency: in, Net: store.AmountOf(v.Net.Units, in), Payments: resource.JSON[[]string]{V: []string{}}})
			if err != nil {
				return err
			}
			known = &made
		}
		row, err = s.book.Payouts.Change(ctx, known.ID, web.IfMatch{}, store.VerbReport, func(ctx context.Context, p *store.Payout) error {
			return s.movePayout(ctx, p, v, content)
		})

		return err
	})

	return row, err
}

// movePayout moves a payout that is held to where the vendor has it, and publishes that it was paid, or failed.
func (s *Reports) movePayout(ctx context.Context, p *store.Payout, v cardsapi.VendorPayout, content *cardsapi.PayoutContent) error {
	if newer := isNewer(p.ReportedAt, v.UpdatedAt, s.book.now()); newer != nil {
		p.ReportedAt, p.VendorStatus, p.Net = newer, clip(v.Raw), store.AmountOf(v.Net.Units, p.Currency)
		if _, err := time.Parse(time.DateOnly, v.On); err == nil {
			p.ArrivesOn = field.Date(v.On)
		}
	}
	if content != nil && !p.Known() {
		p.Gross, p.Fees, p.Payments.V = store.AmountOf(content.Gross, p.Currency), store.AmountOf(content.Fees, p.Currency), append([]string{}, content.Payments...)
	}
	if v.State == "" {
		s.unknownStatus(ctx, "payout", v.Raw)
	} else if to, moved, err := store.PayoutLife.Observe(ctx, s.book.States, p.State, v.State, state.Move{
		Verb: store.VerbReport, UUID: p.ID, Party: "vendor", Reason: v.Reason,
	}); err != nil {
		return err
	} else if moved {
		p.State, p.Reason = to, clip(v.Reason)
		if to == cardsapi.PayoutFailed {
			return s.failPayout(ctx, p)
		}
	}
	if p.State != cardsapi.PayoutPaid || !p.Known() || p.PaidAt != nil {
		return nil
	}
	now := s.book.now()
	fees, err := s.CloseFees(ctx, p.Account, p.Payments.V)
	if err != nil {
		return err
	}
	p.PaidAt, p.PaymentFees = &now, store.AmountOf(fees, p.Currency)

	return s.book.Bus.Publish(ctx, cardsapi.PayoutPaidEvent{PayoutAbout: p.About()})
}

func (s *Reports) failPayout(ctx context.Context, p *store.Payout) error {
	e := cardsapi.PayoutFailedEvent{PayoutAbout: p.About(), WasPaid: p.PaidAt != nil, Reason: p.Reason}
	p.PaidAt = nil

	return s.book.Bus.Publish(ctx, e)
}

// unknownStatus notes a status of a vendor that this release does not know. The row keeps it as its vendor_status, and stays as it was.
func (s *Reports) unknownStatus(ctx context.Context, of, raw string) {
	s.log.WarnContext(ctx, "unknown status of a vendor", slog.String("of", of), slog.String("status", clip(raw)))
}
