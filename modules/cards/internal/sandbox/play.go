package sandbox

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// Event is what happens to a payment at the sandbox.
type Event string

// What people can have happen.
const (
	// EventConfirm and EventRefuse are what a cardholder does who is asked.
	EventConfirm Event = "confirm"
	EventRefuse  Event = "refuse"
	// EventDisputeOpen, EventDisputeWon and EventDisputeLost are what banks do.
	EventDisputeOpen Event = "dispute_open"
	EventDisputeWon  Event = "dispute_won"
	EventDisputeLost Event = "dispute_lost"
	// EventRefund refunds what is left, as somebody does at the vendor.
	EventRefund Event = "refund"
	// EventForget and EventChange are errors that reconciliations find: the vendor loses the payment, or has another amount. Neither is
	// reported.
	EventForget Event = "forget"
	EventChange Event = "change"

	eventRefundFailed Event = "refund_failed"
)

// changeUnits is by how much EventChange changes an amount.
const changeUnits = 100

// PlayJob is the job that has something happen to a payment later.
type PlayJob struct {
	Account uuid.UUID `json:"account"`
	Payment uuid.UUID `json:"payment"`
	Refund  uuid.UUID `json:"refund,omitzero"`
	Event   Event     `json:"event"`
}

// Kind implements jobs.Args.
func (PlayJob) Kind() string { return "cards.sandbox_play" }

// Play does the job.
func (s *Sandbox) Play(ctx context.Context, args PlayJob) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.locked(ctx, args.Account, kindPayment, args.Payment.String())
		if err != nil {
			return err
		}

		return s.happen(ctx, &row, args)
	})
	if failure, ok := err.(*cardsapi.VendorError); ok && failure.Reason == cardsapi.NotFound { //nolint:errorlint // it is ours, and not wrapped
		return nil // it was forgotten
	}

	return err
}

// PlayNow has something happen to a payment. Error: a Failure for what cannot.
func (s *Sandbox) PlayNow(ctx context.Context, account uuid.UUID, payment string, e Event) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.locked(ctx, account, kindPayment, payment)
		if err != nil {
			return err
		}

		return s.happen(ctx, &row, PlayJob{Account: account, Payment: row.ID, Event: e})
	})
}

func cannot(row *thing) error {
	return refused(cardsapi.UnknownReason, "BAD_REQUEST", "This cannot happen to a payment that is "+row.Status+".")
}

func (s *Sandbox) happen(ctx context.Context, row *thing, args PlayJob) error {
	a := account{box: s, id: row.AccountID}
	switch args.Event {
	case EventConfirm, EventRefuse:
		return s.answer(ctx, row, args.Event == EventConfirm)
	case EventDisputeOpen:
		if row.Status != statusCompleted {
			return cannot(row)
		}
		dispute := a.newThing(kindDispute, "dispute:"+row.ID.String(), statusOpen)
		dispute.ParentID, dispute.Units, dispute.Currency = &row.ID, row.Units, row.Currency
		known, err := s.store.referenced(ctx, row.AccountID, kindDispute, dispute.Reference)
		if err != nil || known != nil {
			return err
		}
		if err := s.store.insert(ctx, &dispute); err != nil {
			return err
		}

		return s.notifyDispute(ctx, row, dispute, "dispute.created")
	case EventDisputeWon, EventDisputeLost:
		return s.decide(ctx, row, args.Event == EventDisputeWon)
	case EventRefund:
		return s.refundThere(ctx, a, row)
	case EventForget:
		return s.store.forget(ctx, row.ID)
	case EventChange:
		row.Units, row.ChangedAt = row.Units+changeUnits, s.now()

		return s.store.save(ctx, row)
	case eventRefundFailed:
		refund, err := s.store.locked(ctx, row.AccountID, kindRefund, args.Refund.String())
		if err != nil || refund.Status != statusPending {
			return err
		}
		refund.Status, refund.ChangedAt = statusFailed, s.now()
		if err := s.store.save(ctx, &refund); err != nil {
			return err
		}
		w := wireRefundOf(refund)

		return s.notify(ctx, row, "refund.updated", kindRefund, refund.ID, envelopeObject{Refund: &w})
	default:
		return cannot(row)
	}
}

// answer is what a cardholder says who was asked.
func (s *Sandbox) answer(ctx context.Context, row *thing, confirms bool) error {
	if row.Status != statusPending {
		return cannot(row)
	}
	switch {
	case !confirms:
		row.Status = statusFailed
	case strings.HasSuffix(row.Token, authorizes):
		row.Status = statusApproved
	default:
		row.Status, row.Fee = statusCompleted, feeOf(row.Units)
	}

	return s.notifyPayment(ctx, row, "payment.updated")
}

// decide ends the dispute of a payment.
func (s *Sandbox) decide(ctx context.Context, row *thing, won bool) error {
	all, err := s.store.children(ctx, kindDispute, row.ID)
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.Status != statusOpen {
			continue
		}
		if d.Status = statusLost; won {
			d.Status = statusWon
		}
		d.ChangedAt = s.now()
		if err := s.store.save(ctx, &d); err != nil {
			return err
		}

		return s.notifyDispute(ctx, row, d, "dispute.state.updated")
	}

	return cannot(row)
}

func (s *Sandbox) notifyDispute(ctx context.Context, of *thing, d thing, event string) error {
	w := wireDisputeOf(d)

	return s.notify(ctx, of, event, kindDispute, d.ID, envelopeObject{Dispute: &w})
}

// refundThere refunds what is left of a payment, as somebody does at the vendor.
func (s *Sandbox) refundThere(ctx context.Context, a account, row *thing) error {
	given, err := s.store.children(ctx, kindRefund, row.ID)
	if err != nil {
		return err
	}
	left := row.Units
	for _, r := range given {
		if r.Status != statusFailed {
			left -= r.Units
		}
	}
	if left <= 0 {
		return cannot(row)
	}
	_, err = a.giveBack(ctx, cardsapi.VendorRefundOrder{Payment: row.ID.String(), Amount: cardsapi.Money{Units: left, Currency: row.Currency}})

	return err
}

// Add makes a payment at the sandbox that is not reported, as somebody does who charges a card at the vendor.
func (s *Sandbox) Add(ctx context.Context, id uuid.UUID, m cardsapi.Money) (string, error) {
	row := account{box: s, id: id}.newThing(kindPayment, "", statusCompleted)
	row.Token, row.Units, row.Currency, row.Fee = "tok_ok", m.Units, m.Currency, feeOf(m.Units)

	return row.ID.String(), s.db.InTx(ctx, func(ctx context.Context) error { return s.store.insert(ctx, &row) })
}
