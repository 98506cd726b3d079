package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

const (
	// PayoutsEvery is how often payouts are fetched.
	PayoutsEvery = 24 * time.Hour
	// overlap is how far back they are fetched again: vendors add late ones.
	overlap = 3 * 24 * time.Hour
	// mostPages bounds a fetch.
	mostPages = 500
)

// Payouts fetches the payouts of accounts.
type Payouts struct {
	book     *payments.Book
	reports  *payments.Reports
	rows     *resource.Resource[store.Payout]
	store    *store.Repository
	vendors  *accounts.Vendors
	settings settings.Settings
}

// NewPayouts returns Payouts.
func NewPayouts(
	b *payments.Book, reports *payments.Reports, rows *resource.Resource[store.Payout], r *store.Repository, v *accounts.Vendors, s settings.Settings,
) *Payouts {
	return &Payouts{book: b, reports: reports, rows: rows, store: r, vendors: v, settings: s}
}

// FetchAll is the job that has the payouts of all accounts fetched.
type FetchAll struct{}

// Kind implements jobs.Args.
func (FetchAll) Kind() string { return "cards.fetch_payouts" }

// FetchAll does the job.
func (s *Payouts) FetchAll(ctx context.Context, _ FetchAll) error {
	return s.vendors.Accounts.EachUsed(ctx, func(ctx context.Context, account uuid.UUID) error {
		return s.book.Queue.Enqueue(ctx, FetchOne{Account: account}, jobs.Unique())
	})
}

// FetchOne is the job that fetches the payouts of an account.
type FetchOne struct {
	Account uuid.UUID `json:"account"`
}

// Kind implements jobs.Args.
func (FetchOne) Kind() string { return "cards.fetch_account_payouts" }

// Start has the payouts of an account fetched.
func (s *Payouts) Start(ctx context.Context, account uuid.UUID) error {
	row, err := s.vendors.Accounts.Ready(ctx, account)
	if err != nil {
		return err
	}

	return s.book.DB.InTx(ctx, func(ctx context.Context) error {
		return s.book.Queue.Enqueue(ctx, FetchOne{Account: row.ID}, jobs.Unique())
	})
}

// FetchOne does the job. What is known is left as it is.
func (s *Payouts) FetchOne(ctx context.Context, args FetchOne) error {
	row, err := s.vendors.Accounts.One(ctx, args.Account)
	if errors.Is(err, store.ErrAccount) {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return err
	}
	now := s.book.Clock.Now()
	w := cardsapi.Window{From: now.Add(-s.settings.PayoutsFor), To: now}
	if row.PayoutsAt != nil {
		w.From = row.PayoutsAt.Add(-overlap)
	}
	for range mostPages {
		calling, cancel := s.vendors.Context(ctx)
		page, next, err := open.Payouts(calling, w)
		cancel()
		if err != nil {
			return err
		}
		if err := s.add(ctx, row.ID, page); err != nil {
			return err
		}
		if w.Cursor = next; next == "" {
			return s.book.DB.InTx(ctx, func(ctx context.Context) error { return s.store.NotePayouts(ctx, row.ID, now) })
		}
	}

	return nil
}

// add stores those of a page that are not known.
func (s *Payouts) add(ctx context.Context, account uuid.UUID, page []cardsapi.VendorPayout) error {
	if len(page) == 0 {
		return nil
	}

	return s.book.DB.InTx(ctx, func(ctx context.Context) error {
		ids := make([]string, len(page))
		for i, p := range page {
			ids[i] = p.ID
		}
		rows, err := s.rows.Where(ctx, "account_id = ? AND vendor_id IN ?", account, ids)
		if err != nil {
			return err
		}
		known := map[string]bool{}
		for _, row := range rows {
			known[row.VendorID] = true
		}
		for _, p := range page {
			in, err := money.ParseCurrency(p.Gross.Currency)
			if err != nil || known[p.ID] {
				continue
			}
			known[p.ID] = true
			if err := s.addOne(ctx, account, p, in); err != nil {
				return err
			}
		}

		return nil
	})
}

// addOne stores a payout. From then on, fees of its payments that were not known are only known as part of it.
func (s *Payouts) addOne(ctx context.Context, account uuid.UUID, p cardsapi.VendorPayout, in money.Currency) error {
	row, err := s.rows.Create(ctx, store.Payout{
		Account: account, VendorID: p.ID, PaidOn: field.Date(p.On), Currency: in, Gross: store.AmountOf(p.Gross.Units, in),
		Fees: store.AmountOf(p.Fees, in), Net: store.AmountOf(p.Gross.Units-p.Fees, in), Payments: resource.JSON[[]string]{V: p.Payments},
	})
	if err != nil {
		return err
	}
	fees, err := s.reports.CloseFees(ctx, account, p.Payments)
	if err != nil {
		return err
	}

	return s.book.Bus.Publish(ctx, cardsapi.PayoutPaidEvent{
		Payout: row.ID.String(), Account: account.String(), Gross: p.Gross, Fees: p.Fees, PaymentFees: fees,
	})
}
