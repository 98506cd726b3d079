package payments

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/jobs"
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

// idsAtOnce bounds the conditions of a statement.
const idsAtOnce = 200

// Payouts applies what vendors report of payouts, and closes the fees of the payments in them.
type Payouts struct {
	book   *Book
	states *state.Log
	bus    *events.Bus
	queue  *jobs.Queue
	log    *slog.Logger
}

// NewPayouts returns Payouts.
func NewPayouts(b *Book, states *state.Log, bus *events.Bus, q *jobs.Queue, log *slog.Logger) *Payouts {
	return &Payouts{book: b, states: states, bus: bus, queue: q, log: log}
}

// report applies a notification. A job of its own fetches unknown contents: one that is running may have read the vendor's list before.
func (s *Payouts) report(ctx context.Context, account uuid.UUID, v cardsapi.VendorPayout) error {
	row, err := s.Apply(ctx, account, v, nil)
	if err != nil || row.Known() || row.ID == uuid.Nil {
		return err
	}

	return s.queue.Enqueue(ctx, FetchPayouts{Account: account})
}

// Apply stores a vendor's report of a payout; content is nil while its payments are unknown. PayoutPaidEvent waits for them. The row is zero for
// an unknown currency.
func (s *Payouts) Apply(ctx context.Context, account uuid.UUID, v cardsapi.VendorPayout, content *cardsapi.PayoutContent) (row store.Payout, err error) {
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
			return s.move(ctx, p, v, content)
		})

		return err
	})

	return row, err
}

// move moves a payout that is held to where the vendor has it, and publishes that it was paid, or failed.
func (s *Payouts) move(ctx context.Context, p *store.Payout, v cardsapi.VendorPayout, content *cardsapi.PayoutContent) error {
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
		logUnknownStatus(ctx, s.log, "payout", v.Raw)
	} else if to, moved, err := store.PayoutLife.Observe(ctx, s.states, p.State, v.State, state.Move{
		Verb: store.VerbReport, UUID: p.ID, Party: "vendor", Reason: v.Reason,
	}); err != nil {
		return err
	} else if moved {
		p.State, p.Reason = to, clip(v.Reason)
		if to == cardsapi.PayoutFailed {
			return s.fail(ctx, p)
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

	return s.bus.Publish(ctx, cardsapi.PayoutPaidEvent{PayoutAbout: p.About()})
}

func (s *Payouts) fail(ctx context.Context, p *store.Payout) error {
	e := cardsapi.PayoutFailedEvent{PayoutAbout: p.About(), WasPaid: p.PaidAt != nil, Reason: p.Reason}
	p.PaidAt = nil

	return s.bus.Publish(ctx, e)
}

// logUnknownStatus notes a status of a vendor that this release does not know. The row keeps it as its vendor_status, and stays as it was.
func logUnknownStatus(ctx context.Context, log *slog.Logger, of, raw string) {
	log.WarnContext(ctx, "unknown status of a vendor", slog.String("of", of), slog.String("status", clip(raw)))
}

// CloseFees returns the sum of the known fees of payments that are paid out, by the vendor's ids. The others are part of the payout's fees,
// and stay so: a fee that was reported later would count twice.
func (s *Payouts) CloseFees(ctx context.Context, account uuid.UUID, vendorIDs []string) (sum int64, err error) {
	for some := range slices.Chunk(vendorIDs, idsAtOnce) {
		rows, err := s.book.Payments.Where(ctx, "account_id = ? AND vendor_id IN ?", account, some)
		if err != nil {
			return sum, err
		}
		for _, row := range rows {
			if row.Fee == "" {
				if row, err = s.book.changePayment(ctx, row.ID, "close_fee", closeFee); err != nil {
					return sum, err
				}
			}
			sum += row.FeeUnits()
		}
	}

	return sum, nil
}

func closeFee(_ context.Context, p *store.Payment) error {
	if p.Fee == "" {
		p.Fee = store.AmountOf(0, p.Currency)
	}

	return nil
}
