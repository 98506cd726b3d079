package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Proposal is what one party proposes of an offer, or answers to it.
type Proposal struct {
	Party            string
	Amount           money.Amount
	Pickup, Delivery field.Date
	Note             string
	// Shown is how many transactions the offer had that was answered, 0 if the caller does not say.
	Shown int
	// Key is the shown_key of what a carrier answers by a link, "" if the caller does not say.
	Key string
	// Changes are what a revision has changed.
	Changes []loadview.Change
	// Match is the version of the offer that is sent again.
	Match web.IfMatch
	// Minutes is for how long the carrier can answer, 0 for as long as before.
	Minutes int64
	// Name and Address are those of the person who answers by a link.
	Name, Address string
}

// Record adds a proposal to the transactions of an offer.
func (o *Offer) Record(ctx context.Context, kind string, p Proposal, now time.Time) {
	t := Transaction{
		N: len(o.Transactions.V) + 1, Type: kind, Party: p.Party, Amount: p.Amount, Pickup: p.Pickup, Delivery: p.Delivery, Note: p.Note,
		Changes: p.Changes, At: now,
	}
	if p.Party == Broker {
		t.User = principal.UserOf(ctx)
	}
	o.Transactions.V = append(slices.Clone(o.Transactions.V), t)
	if p.Party != Carrier {
		return
	}
	if o.AnsweredFrom = cmp.Or(p.Address, o.AnsweredFrom); o.AnsweredAt == nil {
		o.AnsweredAt = &now
	}
}

// Apply gives an offer the amount and the days of a proposal, as far as it names them.
func (o *Offer) Apply(p Proposal) {
	o.Amount, o.PickupDate, o.DeliveryDate = cmp.Or(p.Amount, o.Amount), cmp.Or(p.Pickup, o.PickupDate), cmp.Or(p.Delivery, o.DeliveryDate)
}

// Current is a proposal at the terms of the offer, for its record.
func (o *Offer) Current(p Proposal) Proposal {
	p.Amount, p.Pickup, p.Delivery = o.Amount, o.PickupDate, o.DeliveryDate

	return p
}

// Counter gives an offer the terms of a counter-offer, and the other party its turn. It refuses one that changes nothing, but for the company after the
// load has changed, one that the party has no rounds left for, and an amount or days that no offer can have.
func (o *Offer) Counter(p Proposal, rounds int64) error {
	amount, days := o.Amount, o.Days()
	o.Apply(p)
	switch {
	case o.CountersBy(p.Party) >= rounds:
		return ErrNoRoundsLeft
	case o.Amount == amount && o.Days() == days && (p.Party == Carrier || len(o.ChangesSinceAnswer()) == 0):
		return ErrNothingChanged
	}
	if wrong := o.CheckTerms(ErrInvalidOffer); len(wrong.Fields) > 0 {
		return wrong
	}
	o.Turn = map[string]string{Carrier: Broker, Broker: Carrier}[p.Party]

	return nil
}

// End takes the turn off an offer that the service itself ends, and records why.
func (o *Offer) End(ctx context.Context, kind, why string, now time.Time) {
	o.Turn, o.EndReason = "", why
	o.Record(ctx, kind, Proposal{Party: System, Note: why}, now)
}
