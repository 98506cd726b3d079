// Package reconcile compares the payments and refunds of an account with what its vendor has, and has differences corrected. It also
// fetches payouts.
package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// CompareTime is how long a comparison may take.
const CompareTime = 4 * time.Minute

// longestWindow is the longest window of a reconciliation.
const longestWindow = 366 * 24 * time.Hour

// Kinds and remedies of findings.
const (
	missingHere  = "missing_here"
	missingThere = "missing_there"
	differing    = "differing"

	remedyAdd      = "add"
	remedyFail     = "fail"
	remedyTakeOver = "take_over"

	ofPayment = "payment"
	ofRefund  = "refund"
)

// CompareJob is the job of a reconciliation.
type CompareJob struct {
	Reconciliation uuid.UUID `json:"reconciliation"`
}

// Kind implements jobs.Args.
func (CompareJob) Kind() string { return "cards.reconcile" }

// Service reconciles accounts.
type Service struct {
	book     *payments.Book
	store    *store.Repository
	vendors  *accounts.Vendors
	queue    *jobs.Queue
	settings settings.Settings
}

// New returns a Service.
func New(b *payments.Book, r *store.Repository, v *accounts.Vendors, q *jobs.Queue, s settings.Settings) *Service {
	return &Service{book: b, store: r, vendors: v, queue: q, settings: s}
}

// Start stores a reconciliation, and has it done.
func (s *Service) Start(ctx context.Context, account uuid.UUID, from, to time.Time) (row store.Reconciliation, err error) {
	from, to = clock.Stamp(from), clock.Stamp(to)
	if !from.Before(to) || to.Sub(from) > longestWindow {
		return row, store.ErrInvalid.WithField("to", "`to` must be after `from`, and at most 366 days after it.")
	}
	open, err := s.vendors.Accounts.Ready(ctx, account)
	if err != nil {
		return row, err
	}
	now := s.book.Clock.Now()
	row = store.Reconciliation{
		ID: database.NewID(), AccountID: open.ID, FromAt: from, ToAt: to, State: store.ReconciliationRunning, Findings: []store.Finding{},
		Version: 1, CreatedBy: principal.UserOf(ctx), CreatedAt: now, UpdatedAt: now,
	}

	return row, s.book.DB.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.InsertReconciliation(ctx, &row); err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, CompareJob{Reconciliation: row.ID})
	})
}

// Compare does the job. A vendor that cannot be reached is tried again; after the last attempt the reconciliation has failed.
func (s *Service) Compare(ctx context.Context, args CompareJob) error {
	row, err := s.store.Reconciliation(ctx, args.Reconciliation)
	if err != nil || row.State != store.ReconciliationRunning {
		return err
	}
	c, failed := s.compare(ctx, row)
	attempt, _ := jobs.Current(ctx)
	refusal := accounts.Refusal(failed)
	final := attempt.Last || refusal != nil && !refusal.Retryable && errors.As(failed, new(*cardsapi.VendorError))
	if failed != nil && !final {
		return failed
	}

	return s.book.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.LockReconciliation(ctx, row.ID)
		if err != nil || row.State != store.ReconciliationRunning {
			return err
		}
		if row.State = store.ReconciliationDone; failed != nil {
			row.State, row.Reason = store.ReconciliationFailed, string(refusal.Reason)
		} else {
			row.Matched, row.Findings = c.matched, c.findings
		}

		return s.store.SaveReconciliation(ctx, s.book.Clock.Now(), &row)
	})
}

// errTooMany says that a window has more payments than are compared at once.
var errTooMany = &cardsapi.VendorError{Reason: cardsapi.Limit, NotDone: true, Detail: "The window has too many payments. Choose a shorter one."}

// list returns what the vendor has in a window.
func (s *Service) list(ctx context.Context, open accounts.Open, from, to time.Time) (found cardsapi.VendorFound, err error) {
	w := cardsapi.Window{From: from, To: to}
	for range s.settings.MaxReconcile + 2 {
		calling, cancel := s.vendors.Context(ctx)
		page, next, err := open.List(calling, w)
		cancel()
		if err != nil {
			return found, err
		}
		found.Payments, found.Refunds = append(found.Payments, page.Payments...), append(found.Refunds, page.Refunds...)
		if len(found.Payments) > s.settings.MaxReconcile || len(found.Refunds) > s.settings.MaxReconcile {
			return found, errTooMany
		}
		if w.Cursor = next; next == "" {
			return found, nil
		}
	}

	return found, errTooMany
}

// comparison is what a comparison has found.
type comparison struct {
	matched  int64
	findings []store.Finding
}

func (s *Service) compare(ctx context.Context, row store.Reconciliation) (c comparison, err error) {
	c.findings = []store.Finding{}
	open, err := s.vendors.OpenByID(ctx, row.AccountID)
	if err != nil {
		return c, err
	}
	there, err := s.list(ctx, open, row.FromAt, row.ToAt)
	if err != nil {
		return c, err
	}
	if err := s.comparePayments(ctx, open, row, there.Payments, &c); err != nil {
		return c, err
	}

	return c, s.compareRefunds(ctx, open, row, there.Refunds, &c)
}

// comparePayments compares the vendor's payments with ours, wherever ours were made in time, and then asks for those of ours that were
// made in the window and that the vendor did not list.
func (s *Service) comparePayments(ctx context.Context, open accounts.Open, row store.Reconciliation, there []cardsapi.VendorPayment, c *comparison) error {
	ours, err := s.store.PaymentsMade(ctx, row.AccountID, row.FromAt, row.ToAt, s.settings.MaxReconcile+1)
	if err != nil {
		return err
	}
	if len(ours) > s.settings.MaxReconcile {
		return errTooMany
	}
	known, err := s.paymentsAt(ctx, row.AccountID, ours, there)
	if err != nil {
		return err
	}
	listed := map[uuid.UUID]bool{}
	for _, v := range there {
		p := known.of(v)
		if p == nil {
			if v.State != cardsapi.PaymentFailed && v.State != cardsapi.PaymentCanceled {
				c.findings = append(c.findings, store.Finding{Kind: missingHere, Of: ofPayment, Vendor: v.ID, There: sideOfVendor(v), Remedy: remedyAdd})
			}

			continue
		}
		listed[p.ID] = true
		c.addPayment(*p, v)
	}
	for _, p := range ours {
		if listed[p.ID] || p.VendorID == nil || p.State == cardsapi.PaymentFailed || p.State == cardsapi.PaymentCanceled {
			continue
		}
		calling, cancel := s.vendors.Context(ctx)
		v, err := open.Payment(calling, *p.VendorID)
		cancel()
		switch failure, refused := errors.AsType[*cardsapi.VendorError](err); {
		case err == nil:
			c.addPayment(p, v)
		case refused && failure.Reason == cardsapi.NotFound:
			c.findings = append(c.findings, store.Finding{
				Kind: missingThere, Of: ofPayment, UUID: &p.ID, Vendor: *p.VendorID, Here: sideOfPayment(p), Remedy: remedyFail,
			})
		default:
			return err
		}
	}

	return nil
}

// knownPayments are our payments by the vendor's ids and by ours.
type knownPayments struct {
	byVendor map[string]*store.Payment
	byID     map[string]*store.Payment
}

func (k knownPayments) of(v cardsapi.VendorPayment) *store.Payment {
	if p := k.byVendor[v.ID]; p != nil {
		return p
	}

	return k.byID[v.Reference]
}

// paymentsAt are our payments in the window, and those that the vendor lists.
func (s *Service) paymentsAt(ctx context.Context, account uuid.UUID, ours []store.Payment, there []cardsapi.VendorPayment) (knownPayments, error) {
	k := knownPayments{map[string]*store.Payment{}, map[string]*store.Payment{}}
	add := func(rows []store.Payment) {
		for i, p := range rows {
			if p.VendorID != nil {
				k.byVendor[*p.VendorID] = &rows[i]
			} else {
				k.byID[p.ID.String()] = &rows[i]
			}
		}
	}
	add(ours)
	var missing []string
	for _, v := range there {
		if k.of(v) == nil {
			missing = append(missing, v.ID)
		}
	}
	for some := range slices.Chunk(missing, idsAtOnce) {
		rows, err := s.book.Payments.Where(ctx, "account_id = ? AND vendor_id IN ?", account, some)
		if err != nil {
			return k, err
		}
		add(rows)
	}

	return k, nil
}

const idsAtOnce = 200

// addPayment compares a payment with the vendor's. One whose call is being made is left alone: its outcome is on the way.
func (c *comparison) addPayment(p store.Payment, v cardsapi.VendorPayment) {
	switch {
	case p.State == cardsapi.PaymentSending || p.State == cardsapi.PaymentQueued:
	case p.State == v.State && p.Units() == v.Amount.Units && string(p.Currency) == v.Amount.Currency:
		c.matched++
	default:
		c.findings = append(c.findings, store.Finding{
			Kind: differing, Of: ofPayment, UUID: &p.ID, Vendor: v.ID, Here: sideOfPayment(p), There: sideOfVendor(v), Remedy: remedyTakeOver,
		})
	}
}

func sideOfPayment(p store.Payment) *store.Side {
	return &store.Side{State: string(p.State), Units: p.Units(), Currency: string(p.Currency), At: &p.CreatedAt}
}

func sideOfVendor(v cardsapi.VendorPayment) *store.Side {
	side := &store.Side{State: string(v.State), Units: v.Amount.Units, Currency: v.Amount.Currency}
	if at := v.CreatedAt; !at.IsZero() {
		side.At = &at
	}

	return side
}

// compareRefunds is comparePayments for refunds. Those of payments that are missing here are added once their payment is.
func (s *Service) compareRefunds(ctx context.Context, open accounts.Open, row store.Reconciliation, there []cardsapi.VendorRefund, c *comparison) error {
	ours, err := s.store.RefundsMade(ctx, row.AccountID, row.FromAt, row.ToAt, s.settings.MaxReconcile+1)
	if err != nil {
		return err
	}
	known := map[string]store.Refund{}
	for _, r := range ours {
		known[r.ID.String()] = r
		if r.VendorID != nil {
			known[*r.VendorID] = r
		}
	}
	listed := map[uuid.UUID]bool{}
	for _, v := range there {
		r, ok := known[v.ID]
		if !ok {
			rows, err := s.book.Refunds.Where(ctx, "account_id = ? AND vendor_id = ?", row.AccountID, v.ID)
			if err != nil {
				return err
			}
			if ok = len(rows) > 0; ok {
				r = rows[0]
			} else if r, ok = known[v.Reference]; ok && r.VendorID != nil {
				ok = false
			}
		}
		if !ok {
			if v.State != cardsapi.RefundFailed {
				c.findings = append(c.findings, store.Finding{Kind: missingHere, Of: ofRefund, Vendor: v.ID, Payment: v.Payment, There: sideOfRefund(v), Remedy: remedyAdd})
			}

			continue
		}
		listed[r.ID] = true
		c.addRefund(r, v)
	}
	for _, r := range ours {
		if listed[r.ID] || r.VendorID == nil || r.State == cardsapi.RefundFailed {
			continue
		}
		calling, cancel := s.vendors.Context(ctx)
		v, err := open.ReadRefund(calling, *r.VendorID)
		cancel()
		switch failure, refused := errors.AsType[*cardsapi.VendorError](err); {
		case err == nil:
			c.addRefund(r, v)
		case refused && failure.Reason == cardsapi.NotFound:
			c.findings = append(c.findings, store.Finding{
				Kind: missingThere, Of: ofRefund, UUID: &r.ID, Vendor: *r.VendorID, Here: sideOfOurs(r), Remedy: remedyFail,
			})
		default:
			return err
		}
	}

	return nil
}

func (c *comparison) addRefund(r store.Refund, v cardsapi.VendorRefund) {
	switch {
	case r.State == cardsapi.RefundSending || r.State == cardsapi.RefundQueued:
	case r.State == v.State && r.Units() == v.Amount.Units && string(r.Currency) == v.Amount.Currency:
		c.matched++
	default:
		c.findings = append(c.findings, store.Finding{
			Kind: differing, Of: ofRefund, UUID: &r.ID, Vendor: v.ID, Payment: v.Payment, Here: sideOfOurs(r), There: sideOfRefund(v), Remedy: remedyTakeOver,
		})
	}
}

func sideOfOurs(r store.Refund) *store.Side {
	return &store.Side{State: string(r.State), Units: r.Units(), Currency: string(r.Currency), At: &r.CreatedAt}
}

func sideOfRefund(v cardsapi.VendorRefund) *store.Side {
	return &store.Side{State: string(v.State), Units: v.Amount.Units, Currency: v.Amount.Currency}
}
