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

// Proposal is what one side says of an offer.
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
	// Name and Address are those of whoever answers by a link.
	Name, Address string
}

// Record adds what was said to an offer.
func (o *Offer) Record(ctx context.Context, kind string, s Proposal, now time.Time) {
	e := Transaction{N: len(o.Transactions.V) + 1, Type: kind, Party: s.Party, Amount: s.Amount, Pickup: s.Pickup, Delivery: s.Delivery, Note: s.Note, Changes: s.Changes, At: now}
	if s.Party == Broker {
		e.User = principal.UserOf(ctx)
	}
	o.Transactions.V = append(slices.Clone(o.Transactions.V), e)
	if s.Party != Carrier {
		return
	}
	if o.AnsweredFrom = cmp.Or(s.Address, o.AnsweredFrom); o.AnsweredAt == nil {
		o.AnsweredAt = &now
	}
}

// Apply has the amount and the days of an offer be those that were named.
func (o *Offer) Apply(s Proposal) {
	o.Amount, o.PickupDate, o.DeliveryDate = cmp.Or(s.Amount, o.Amount), cmp.Or(s.Pickup, o.PickupDate), cmp.Or(s.Delivery, o.DeliveryDate)
}
