package payments

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Reports applies what vendors report of payments, refunds, disputes and cards, by themselves or asked. A report may come twice, late, and in
// any order: what is stored in the end is the same, and a payment is never moved back.
type Reports struct {
	book   *Book
	states *state.Log
	bus    *events.Bus
	log    *slog.Logger
}

// NewReports returns Reports.
func NewReports(b *Book, states *state.Log, bus *events.Bus, log *slog.Logger) *Reports {
	return &Reports{book: b, states: states, bus: bus, log: log}
}

// paymentOf returns the payment of an account that a vendor means, by its id or by ours; nil if it was not made here.
func (s *Reports) paymentOf(ctx context.Context, account uuid.UUID, vendorID, reference string) (*store.Payment, error) {
	if vendorID != "" {
		known, err := first(s.book.Payments.Where(ctx, "account_id = ? AND vendor_id = ?", account, vendorID))
		if err != nil || known != nil {
			return known, err
		}
	}
	id, err := uuid.Parse(reference)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // it is not one of our references
	}

	return first(s.book.Payments.Where(ctx, "account_id = ? AND id = ? AND vendor_id IS NULL", account, id))
}

func (s *Reports) reportPayment(ctx context.Context, account uuid.UUID, v cardsapi.VendorPayment) error {
	known, err := s.paymentOf(ctx, account, v.ID, v.Reference)
	if err != nil {
		return err
	}
	if known == nil {
		return cardsapi.ErrNotHere
	}
	if v.State == cardsapi.PaymentAuthorized && !known.Authorize {
		return nil // vendors report a payment that they are about to capture
	}
	_, err = s.book.changePayment(ctx, known.ID, store.VerbReport, func(ctx context.Context, p *store.Payment) error {
		return s.applyPayment(ctx, p, v, nil)
	})

	return err
}

// applyPayment moves a payment that is held to where the vendor has it. What it says besides counts if it is no older than what is
// known. A state that is not known here leaves it where it is.
func (s *Reports) applyPayment(ctx context.Context, p *store.Payment, v cardsapi.VendorPayment, explain func(string) string) error {
	if p.VendorID == nil && v.ID != "" {
		p.VendorID = &v.ID
	}
	newer := isNewer(p.ReportedAt, v.UpdatedAt, s.book.now())
	if newer == nil && p.State == cardsapi.PaymentFailed && p.Reason == string(cardsapi.NotFound) {
		return nil // a reconciliation has found since that the vendor does not have it
	}
	if newer != nil {
		p.ReportedAt, p.VendorStatus = newer, clip(v.Raw)
		if err := s.noteFee(ctx, p, v.Fee); err != nil {
			return err
		}
	}
	if v.State == "" {
		logUnknownStatus(ctx, s.log, "payment", v.Raw)

		return nil
	}
	if v.State == cardsapi.PaymentFailed {
		return s.observePayment(ctx, p, v, newFailure(v.Reason, v.Code, "", v.Final, explain))
	}

	return s.observePayment(ctx, p, v, failure{})
}

// isNewer returns the time of a report that is no older than what is known, nil for one that is.
func isNewer(known *time.Time, at, now time.Time) *time.Time {
	at = state.ReportedTime(at, now)
	switch {
	case at.IsZero() && known == nil:
		return &now
	case at.IsZero() || known != nil && at.Before(*known):
		return nil
	default:
		return &at
	}
}

func (s *Reports) observePayment(ctx context.Context, p *store.Payment, v cardsapi.VendorPayment, why failure) error {
	to, moved, err := store.PaymentLife.Observe(ctx, s.states, p.State, v.State, state.Move{
		Verb: store.VerbReport, UUID: p.ID, Party: "vendor", Reason: why.Reason,
	})
	if err != nil || !moved {
		return err
	}

	return s.arrive(ctx, p, to, v.ActionURL, why)
}

// failPayment ends a payment that the vendor, or we, refused.
func (s *Reports) failPayment(ctx context.Context, p *store.Payment, why failure) error {
	if err := s.book.Payments.Step(ctx, p, state.Move{Verb: store.VerbFail, Reason: why.Reason}); err != nil {
		return err
	}

	return s.arrive(ctx, p, p.State, "", why)
}

// arrive notes that a payment has come to a state, and publishes it.
func (s *Reports) arrive(ctx context.Context, p *store.Payment, to cardsapi.PaymentState, action string, why failure) error {
	p.State, p.ActionURL = to, ""
	setPaymentFailure(p, why)
	p.GaveUpAt = nil
	if to != cardsapi.PaymentAction {
		p.Token, p.Verification = "", ""
	}
	switch to {
	case cardsapi.PaymentAction:
		p.ActionURL = clip(action)

		return s.bus.Publish(ctx, cardsapi.PaymentActionRequiredEvent{PaymentAbout: p.About()})
	case cardsapi.PaymentAuthorized:
		return s.bus.Publish(ctx, cardsapi.PaymentAuthorizedEvent{PaymentAbout: p.About()})
	case cardsapi.PaymentCaptured:
		now := s.book.now()
		p.CapturedAt, p.Ordered = &now, ""

		return s.bus.Publish(ctx, cardsapi.PaymentCapturedEvent{PaymentAbout: p.About(), Fee: p.FeeUnits()})
	case cardsapi.PaymentFailed:
		p.Ordered = ""

		return s.bus.Publish(ctx, cardsapi.PaymentFailedEvent{PaymentAbout: p.About(), Reason: cardsapi.Reason(why.Reason), Final: why.Final})
	case cardsapi.PaymentCanceled:
		p.Ordered = ""

		return s.bus.Publish(ctx, cardsapi.PaymentCanceledEvent{PaymentAbout: p.About()})
	default:
		return nil
	}
}

// refundOf returns the refund that a vendor means; nil if it was not ordered here. A vendor that does not return our reference may report
// a refund before our own call has its answer: then it is the refund of that amount that is being called for; there is one at most.
func (s *Reports) refundOf(ctx context.Context, account uuid.UUID, v cardsapi.VendorRefund, of *store.Payment) (*store.Refund, error) {
	known, err := first(s.book.Refunds.Where(ctx, "account_id = ? AND vendor_id = ?", account, v.ID))
	if err != nil || known != nil {
		return known, err
	}
	if id, err := uuid.Parse(v.Reference); err == nil {
		known, err := first(s.book.Refunds.Where(ctx, "account_id = ? AND id = ? AND vendor_id IS NULL", account, id))
		if err != nil || known != nil {
			return known, err
		}
	}
	if of == nil || v.Reference != "" {
		return nil, nil //nolint:nilnil // there is none, and nothing went wrong
	}
	open, err := s.book.Refunds.Where(ctx, "payment_id = ? AND vendor_id IS NULL", of.ID)
	if err != nil {
		return nil, err
	}
	for i := range open {
		if open[i].InFlight() && open[i].Units() == v.Amount.Units {
			return &open[i], nil
		}
	}

	return nil, nil //nolint:nilnil // there is none, and nothing went wrong
}

func (s *Reports) reportRefund(ctx context.Context, account uuid.UUID, v cardsapi.VendorRefund) error {
	of, err := s.paymentOf(ctx, account, v.Payment, "")
	if err != nil {
		return err
	}
	if of != nil {
		if err := s.book.Payments.Hold(ctx, of.ID); err != nil {
			return err
		}
	}
	known, err := s.refundOf(ctx, account, v, of)
	switch {
	case err != nil:
		return err
	case known != nil:
		return s.applyRefund(ctx, known.Payment, known.ID, v, nil)
	case of == nil:
		return cardsapi.ErrNotHere
	case v.State == "":
		logUnknownStatus(ctx, s.log, "refund", v.Raw)

		return nil
	default:
		return s.addRefund(ctx, *of, v)
	}
}

// addRefund stores a refund that was given at the vendor.
func (s *Reports) addRefund(ctx context.Context, of store.Payment, v cardsapi.VendorRefund) error {
	row, err := s.book.Refunds.Create(ctx, store.Refund{
		Payment: of.ID, Account: of.Account, Reference: "vendor:" + v.ID, Amount: store.AmountOf(v.Amount.Units, of.Currency), Currency: of.Currency,
		VendorID: &v.ID, Note: "Refunded at the vendor.",
	})
	if err != nil {
		return err
	}

	return s.applyRefund(ctx, of.ID, row.ID, v, nil)
}

// applyRefund moves a refund to where the vendor has it, and counts what its payment has given back.
func (s *Reports) applyRefund(ctx context.Context, payment, id uuid.UUID, v cardsapi.VendorRefund, explain func(string) string) error {
	return s.withRefund(ctx, payment, id, store.VerbReport, func(ctx context.Context, of store.Payment, r *store.Refund) error {
		return s.moveRefund(ctx, of, r, v, explain)
	})
}

// withRefund holds a payment and a refund of it, has do change the refund, and counts what the payment has given back.
func (s *Reports) withRefund(
	ctx context.Context, payment, id uuid.UUID, verb resource.Verb, do func(ctx context.Context, of store.Payment, r *store.Refund) error,
) error {
	return s.book.DB.InTx(ctx, func(ctx context.Context) error {
		ctx = asService(ctx)
		if err := s.book.Payments.Hold(ctx, payment); err != nil {
			return err
		}
		of, err := s.book.Payments.Find(ctx, payment)
		if err != nil {
			return err
		}
		if _, err := s.book.Refunds.Change(ctx, id, web.IfMatch{}, verb, func(ctx context.Context, r *store.Refund) error {
			return do(ctx, of, r)
		}); err != nil {
			return err
		}

		return s.countRefunds(ctx, of)
	})
}

// countRefunds has a payment that is held say what its completed refunds gave back.
func (s *Reports) countRefunds(ctx context.Context, of store.Payment) error {
	rows, err := s.book.Refunds.Where(ctx, "payment_id = ? AND state = ?", of.ID, string(cardsapi.RefundCompleted))
	if err != nil {
		return err
	}
	var sum int64
	for _, r := range rows {
		sum += r.Units()
	}
	if sum == of.RefundedUnits() {
		return nil
	}
	_, err = s.book.changePayment(ctx, of.ID, "count_refunds", func(_ context.Context, p *store.Payment) error {
		p.Refunded = store.AmountOf(sum, p.Currency)

		return nil
	})

	return err
}

// moveRefund moves a refund that is held to where the vendor has it.
func (s *Reports) moveRefund(ctx context.Context, of store.Payment, r *store.Refund, v cardsapi.VendorRefund, explain func(string) string) error {
	if r.VendorID == nil && v.ID != "" {
		r.VendorID = &v.ID
	}
	if newer := isNewer(r.ReportedAt, v.UpdatedAt, s.book.now()); newer != nil {
		r.ReportedAt, r.VendorStatus = newer, clip(v.Raw)
	}
	if v.State == "" {
		logUnknownStatus(ctx, s.log, "refund", v.Raw)

		return nil
	}
	var why failure
	if v.State == cardsapi.RefundFailed {
		why = newFailure(v.Reason, v.Code, "", false, explain)
	}
	was := r.State
	to, moved, err := store.RefundLife.Observe(ctx, s.states, r.State, v.State, state.Move{
		Verb: store.VerbReport, UUID: r.ID, Party: "vendor", Reason: why.Reason,
	})
	if err != nil || !moved {
		return err
	}
	r.State, r.GaveUpAt = to, nil
	setRefundFailure(r, why)

	return s.publishRefund(ctx, of, *r, was)
}

func (s *Reports) publishRefund(ctx context.Context, of store.Payment, r store.Refund, was cardsapi.RefundState) error {
	switch r.State {
	case cardsapi.RefundCompleted:
		return s.bus.Publish(ctx, cardsapi.RefundCompletedEvent{RefundAbout: r.About(of)})
	case cardsapi.RefundFailed:
		return s.bus.Publish(ctx, cardsapi.RefundFailedEvent{
			RefundAbout: r.About(of), Reason: cardsapi.Reason(r.Reason), Completed: was == cardsapi.RefundCompleted,
		})
	case cardsapi.RefundUnknown:
		return s.bus.Publish(ctx, cardsapi.RefundUnknownEvent{RefundAbout: r.About(of)})
	default:
		return nil
	}
}

// reportDispute stores what a vendor decided about a dispute, and counts what disputes took of the payment.
func (s *Reports) reportDispute(ctx context.Context, account uuid.UUID, v cardsapi.VendorDispute) error {
	of, err := s.paymentOf(ctx, account, v.Payment, "")
	if err != nil {
		return err
	}
	if of == nil {
		return cardsapi.ErrNotHere
	}
	if err := s.book.Payments.Hold(ctx, of.ID); err != nil {
		return err
	}
	known, err := first(s.book.Disputes.Where(ctx, "account_id = ? AND vendor_id = ?", account, v.ID))
	if err != nil {
		return err
	}
	if known == nil && v.State == "" {
		logUnknownStatus(ctx, s.log, "dispute", v.Raw)

		return nil
	}
	if known == nil {
		made, err := s.book.Disputes.Create(ctx, store.Dispute{Payment: of.ID, Account: account, VendorID: v.ID})
		if err != nil {
			return err
		}
		known = &made
	}

	return s.applyDispute(ctx, *of, known.ID, known.Version == 1, v)
}

func (s *Reports) applyDispute(ctx context.Context, of store.Payment, id uuid.UUID, fresh bool, v cardsapi.VendorDispute) error {
	var was store.DisputeState
	row, err := s.book.Disputes.Change(ctx, id, web.IfMatch{}, store.VerbReport, func(ctx context.Context, d *store.Dispute) error {
		before := d.ReportedAt
		if newer := isNewer(d.ReportedAt, v.UpdatedAt, s.book.now()); newer != nil {
			in := of.Currency
			if other, err := money.ParseCurrency(v.Amount.Currency); err == nil {
				in = other
			}
			d.ReportedAt, d.Amount, d.Currency, d.Reason = newer, store.AmountOf(v.Amount.Units, in), in, clip(v.Reason)
			d.Fee, d.VendorStatus = store.AmountOf(v.Fee, in), clip(v.Raw)
			if _, err := time.Parse(time.DateOnly, v.DueOn); err == nil {
				d.DueOn = field.Date(v.DueOn)
			}
		}
		if v.State == "" {
			logUnknownStatus(ctx, s.log, "dispute", v.Raw)

			return nil
		}
		if !fresh {
			was = d.State
		}
		moved, err := s.moveDispute(ctx, d, store.DisputeState(v.State), before != nil && v.UpdatedAt.After(*before))
		fresh = fresh || moved

		return err
	})
	if err != nil || !fresh {
		return err
	}
	if err := s.countDisputes(ctx, of); err != nil {
		return err
	}
	about := row.About(of)
	about.Was = string(was)
	switch row.State {
	case store.DisputePrevented:
		return s.bus.Publish(ctx, cardsapi.DisputePreventedEvent{DisputeAbout: about})
	case store.DisputeWon:
		return s.bus.Publish(ctx, cardsapi.DisputeWonEvent{DisputeAbout: about})
	case store.DisputeLost:
		return s.bus.Publish(ctx, cardsapi.DisputeLostEvent{DisputeAbout: about})
	default:
		return s.bus.Publish(ctx, cardsapi.DisputeOpenedEvent{DisputeAbout: about, DueOn: string(row.DueOn)})
	}
}

// moveDispute moves a dispute that is held, and reports whether it did. A decision gives way to another that is later.
func (s *Reports) moveDispute(ctx context.Context, d *store.Dispute, to store.DisputeState, later bool) (moved bool, err error) {
	move := state.Move{Verb: store.VerbReport, UUID: d.ID, Party: "vendor"}
	if later && d.State == store.DisputeWon && to == store.DisputeLost {
		err := store.DisputeLife.Put(ctx, s.states, d.State, to, move)
		d.State = to

		return err == nil, err
	}
	d.State, moved, err = store.DisputeLife.Observe(ctx, s.states, d.State, to, move)

	return moved, err
}

// countDisputes has a payment that is held say what its open and lost disputes took.
func (s *Reports) countDisputes(ctx context.Context, of store.Payment) error {
	rows, err := s.book.Disputes.Where(ctx, "payment_id = ?", of.ID)
	if err != nil {
		return err
	}
	var sum int64
	for _, d := range rows {
		sum += d.Taken()
	}
	_, err = s.book.changePayment(ctx, of.ID, "count_disputes", func(_ context.Context, p *store.Payment) error {
		p.Disputed = store.AmountOf(sum, p.Currency)

		return nil
	})

	return err
}

// reportCard notes what the card network has renewed of a saved card.
func (s *Reports) reportCard(ctx context.Context, account uuid.UUID, v cardsapi.VendorCard) error {
	card, err := first(s.book.Cards.Where(ctx, "account_id = ? AND vendor_id = ?", account, v.ID))
	if err != nil {
		return err
	}
	if card == nil {
		return cardsapi.ErrNotHere
	}
	_, err = s.book.changeCard(ctx, card.ID, store.VerbReport, func(_ context.Context, c *store.Card) error {
		renewCard(c, v)

		return nil
	})

	return err
}

// reportRemoved removes a card that was removed at the vendor.
func (s *Reports) reportRemoved(ctx context.Context, account uuid.UUID, vendorID string) error {
	card, err := first(s.book.Cards.Where(ctx, "account_id = ? AND vendor_id = ?", account, vendorID))
	if err != nil {
		return err
	}
	if card == nil {
		return cardsapi.ErrNotHere
	}
	if card.State == cardsapi.CardRemoved {
		return nil
	}
	row, err := s.book.changeCard(ctx, card.ID, store.VerbRemove, func(ctx context.Context, c *store.Card) error {
		return s.book.Cards.Step(ctx, c, state.Move{Verb: store.VerbRemove, Party: "vendor"})
	})
	if err != nil {
		return err
	}

	return s.bus.Publish(ctx, cardsapi.CardRemovedEvent{CardAbout: row.About()})
}
