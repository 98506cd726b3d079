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
)

const (
	// PayoutsEvery is how often payouts are fetched.
	PayoutsEvery = 24 * time.Hour
	// overlap is how far back they are fetched again: vendors add late ones, and banks send some back within five business days of their arrival.
	overlap = 14 * 24 * time.Hour
	// mostPages bounds a fetch.
	mostPages = 500
)

// Payouts fetches the payouts of accounts.
type Payouts struct {
	book     *payments.Book
	payouts  *payments.Payouts
	store    *store.Repository
	vendors  *accounts.Vendors
	settings settings.Settings
}

// NewPayouts returns Payouts.
func NewPayouts(
	b *payments.Book, p *payments.Payouts, r *store.Repository, v *accounts.Vendors, s settings.Settings,
) *Payouts {
	return &Payouts{book: b, payouts: p, store: r, vendors: v, settings: s}
}

// FetchOne does the job.
func (s *Payouts) FetchOne(ctx context.Context, args payments.FetchPayouts) error {
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
	w, err := s.window(ctx, row, now)
	if err != nil {
		return err
	}
	for range mostPages {
		calling, cancel := s.vendors.Context(ctx)
		page, next, err := open.Payouts(calling, w)
		cancel()
		if err == nil {
			err = s.apply(ctx, row.ID, open, page)
		}
		if err != nil {
			return err
		}
		if w.Cursor = next; next == "" {
			return s.book.DB.InTx(ctx, func(ctx context.Context) error { return s.store.NotePayouts(ctx, row.ID, now) })
		}
	}

	return nil
}

// window is from when payouts are fetched: with those that have not arrived yet, however old.
func (s *Payouts) window(ctx context.Context, row store.Account, now time.Time) (w cardsapi.Window, err error) {
	w = cardsapi.Window{From: now.Add(-s.settings.PayoutsFor), To: now}
	if row.PayoutsAt == nil {
		return w, nil
	}
	w.From = row.PayoutsAt.Add(-overlap)
	oldest, err := s.store.OldestOpenPayout(ctx, row.ID)
	if err == nil && !oldest.IsZero() && oldest.Before(w.From) {
		w.From = later(oldest.Add(-overlap), now.Add(-s.settings.PayoutsFor))
	}

	return w, err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}

	return b
}

// apply stores a page of payouts, with what they are of where that is not known yet.
func (s *Payouts) apply(ctx context.Context, account uuid.UUID, open cardsapi.VendorStatements, page []cardsapi.VendorPayout) error {
	if len(page) == 0 {
		return nil
	}
	ids := make([]string, len(page))
	for i, p := range page {
		ids[i] = p.ID
	}
	rows, err := s.book.Payouts.Where(ctx, "account_id = ? AND vendor_id IN ?", account, ids)
	if err != nil {
		return err
	}
	stored := map[string]store.Payout{}
	for _, row := range rows {
		stored[row.VendorID] = row
	}
	for _, p := range page {
		row, there := stored[p.ID]
		if there && row.Known() && row.State == p.State {
			continue
		}
		var content *cardsapi.PayoutContent
		if p.Settled && !row.Known() {
			calling, cancel := s.vendors.Context(ctx)
			is, err := open.PayoutContent(calling, p)
			cancel()
			if err != nil {
				return err
			}
			content = &is
		}
		if _, err := s.payouts.Apply(ctx, account, p, content); err != nil {
			return err
		}
	}

	return nil
}
