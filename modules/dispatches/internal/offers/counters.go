package offers

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Counters takes counter-offers of both parties.
type Counters struct {
	offers    *resource.Resource[store.Offer]
	holder    *Holder
	views     *Views
	settings  *settings.Settings[preferences.Preferences]
	refresher *Refresher
}

// NewCounters returns Counters.
func NewCounters(
	offers *resource.Resource[store.Offer], h *Holder, v *Views, kept *settings.Settings[preferences.Preferences], r *Refresher,
) *Counters {
	return &Counters{offers, h, v, kept, r}
}

// Counter has one party ask for something else than the current terms.
func (c *Counters) Counter(ctx context.Context, id uuid.UUID, match web.IfMatch, p store.Proposal) (o store.Offer, err error) {
	if p.Party == store.Broker && p.Amount != "" {
		if err := c.offers.MaySet(ctx, "amount"); err != nil {
			return store.Offer{}, err
		}
	}
	terms, err := c.settings.Read(ctx)
	if err != nil {
		return store.Offer{}, err
	}
	verb := store.VerbCounter
	if p.Party == store.Broker {
		verb = store.VerbReply
	}
	err = c.holder.Hold(ctx, id, func(ctx context.Context, held Held) error {
		allowed, err := c.holder.AllowedDays(ctx, held.Load)
		if err != nil {
			return err
		}
		if err := c.checkPlan(ctx, held, p); err != nil {
			return err
		}
		o, err = c.offers.Change(ctx, id, match, verb, func(ctx context.Context, o *store.Offer) error {
			if err := c.check(ctx, *o, match, p, held.At); err != nil {
				return err
			}
			if err := o.Counter(p, terms.Now.Rounds); err != nil {
				return err
			}
			if wrong := allowed.Check(o.Days(), held.Offer.Days(), false); len(wrong.Fields) > 0 {
				return wrong
			}
			facts, err := c.views.Now().Facts(ctx, *o)
			if err := store.IgnoreRefusal(err); err != nil {
				return err
			}
			o.KeepShown(facts)
			if soon := held.At.Add(counterLife); soon.After(*o.ExpiresAt) {
				o.ExpiresAt = &soon
			}
			o.Record(ctx, "counter", o.Current(p), held.At)
			o.Warnings = store.WarningsOf(held.Load, o.PickupDate)

			return c.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: p.Note, Party: p.Party})
		})

		return err
	})

	return o, c.refresher.Refresh(ctx, err)
}

// check refuses an answer to an offer that cannot be answered, or that is to something else than there is now.
func (c *Counters) check(ctx context.Context, o store.Offer, match web.IfMatch, p store.Proposal, now time.Time) error {
	if err := o.CheckAnswer(p, now); err != nil {
		return err
	}
	if p.Party == store.Carrier {
		return c.views.CheckShown(ctx, o, p)
	}

	return store.CheckNamed(match, p.Shown)
}

// checkPlan refuses an amount of the company at which the load cannot be accepted, such as one that its payment plan does not allow.
func (c *Counters) checkPlan(ctx context.Context, held Held, p store.Proposal) error {
	if p.Party != store.Broker || held.Load.State != loadsapi.Ready || !store.IsPayable(p.Amount, held.Offer.Currency) {
		return nil
	}

	return c.views.CheckAmount(ctx, held.Offer, p.Amount)
}

// counterLife is for how long a counter can be answered at least.
const counterLife = 2 * time.Hour
