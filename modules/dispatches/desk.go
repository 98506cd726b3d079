package dispatches

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// others are the areas that the desk works with.
type others struct {
	onLoads

	carriers  carriersapi.Carriers
	verdicts  carriersapi.Verdicts
	incidents carriersapi.Incidents
	proofs    carriersapi.Identities
	claims    carriersapi.Claims
	prospects carriersapi.Prospects
	brands    companiesapi.Brands
}

// onLoads is what the desk knows and says of loads.
type onLoads struct {
	standings   loadsapi.Standings
	coverage    loadsapi.Coverage
	carriage    loadsapi.Carriage
	collections loadsapi.Collections
	views       loadsapi.Views
}

func newOnLoads(s loadsapi.Standings, c loadsapi.Coverage, g loadsapi.Carriage, m loadsapi.Collections, v loadsapi.Views) onLoads {
	return onLoads{s, c, g, m, v}
}

func newOthers(
	l onLoads, all carriersapi.Carriers, v carriersapi.Verdicts, i carriersapi.Incidents, p carriersapi.Identities, own carriersapi.Claims, n carriersapi.Prospects,
	b companiesapi.Brands,
) others {
	return others{l, all, v, i, p, own, n, b}
}

// desk offers loads to carriers, and follows those that have them.
type desk struct {
	others

	offers     *resource.Resource[store.Offer]
	dispatches *resource.Resource[store.Dispatch]
	links      *link.Service
	given      *share.Service
	hooks      *hook.Bus
	bus        *events.Bus
	rows       *store.Repository
	settings   *settings.Settings[preferences.Preferences]
	db         *database.DB
	clock      clock.Clock
}

func newDesk(
	o others, offers *resource.Resource[store.Offer], dispatches *resource.Resource[store.Dispatch], links *link.Service, given *share.Service, hooks *hook.Bus, bus *events.Bus,
	rows *store.Repository, kept *settings.Settings[preferences.Preferences], db *database.DB, c clock.Clock,
) *desk {
	return &desk{o, offers, dispatches, links, given, hooks, bus, rows, kept, db, c}
}

func (d *desk) now() time.Time { return d.clock.Now() }

// answerable refuses an answer to an offer that cannot be answered, by a side whose turn it is not, or that has seen another offer.
func (d *desk) answerable(o store.Offer, s store.Proposal) error {
	if err := o.Ended(d.now()); err != nil {
		return err
	}
	switch {
	case s.Key == "" && s.Shown != 0 && s.Shown != len(o.Transactions.V):
		return store.ErrTermsChanged.WithDetail("fields", o.ChangedSince(s.Shown))
	case o.Turn != s.Party:
		return store.ErrNotYourTurn.WithDetail("whose", o.Turn)
	}

	return nil
}

// hold returns an offer and how its load stands, and holds both until the transaction ends: the load first, as all do who follow it. The third result
// says why no carrier can have the load now, nil if one can. Error: dispatches.offer_not_found.
func (d *desk) hold(ctx context.Context, id uuid.UUID) (h heldOffer, err error) {
	if h.offer, err = d.offers.Find(ctx, id); err != nil {
		return h, err
	}
	h.of, h.free = d.standings.ForCarrier(ctx, h.offer.Load.String()) // who comes second waits here
	if h.free != nil && !errs.IsRefusal(h.free) {
		return h, h.free
	}
	if err = d.offers.Hold(ctx, id); err != nil {
		return h, err
	}
	h.offer, err = d.offers.Find(ctx, id)

	return h, err
}

// heldOffer is an offer that is held with its load.
type heldOffer struct {
	offer store.Offer
	of    loadsapi.Standing
	// free says why no carrier can have the load now, nil if one can.
	free error
}

// send lets the carriers of some offers answer them, and writes to them. It returns the offers by their ids, and the links.
func (d *desk) send(ctx context.Context, ids []uuid.UUID, verb resource.Verb, s store.Proposal) (map[uuid.UUID]sentOffer, error) {
	now, see := d.now(), newViewer(d)
	all, err := d.offers.ChangeSome(ctx, ids, verb, func(ctx context.Context, o *store.Offer) error {
		switch err := s.Match.Check(o.Version); {
		case err != nil:
			return err
		case verb == store.VerbReactivate && o.HasCarrierTerms() && s.Shown == 0 && !store.NamesVersion(s.Match):
			return store.ErrTermsUnnamed
		case s.Shown != 0 && s.Shown != len(o.Transactions.V):
			return store.ErrTermsChanged.WithDetail("fields", o.ChangedSince(s.Shown))
		}
		is, err := see.facts(ctx, *o)
		if err != nil {
			return err
		}
		o.KeepShown(is)
		o.Minutes = cmp.Or(s.Minutes, o.Minutes)
		until := now.Add(time.Duration(o.Minutes) * time.Minute)
		s.Amount, s.Pickup, s.Delivery = o.Amount, o.PickupDate, o.DeliveryDate
		o.SentAt, o.ExpiresAt, o.Turn, o.LateAt, o.EndReason = cmp.Or(o.SentAt, &now), &until, store.Carrier, nil, ""
		kind := "offer"
		if verb == store.VerbReactivate {
			kind = string(verb)
		}
		o.Record(ctx, kind, s, now)

		return d.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: s.Note, Party: s.Party})
	})
	if err != nil {
		return nil, err
	}
	brand, err := d.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	sent := make(map[uuid.UUID]sentOffer, len(all))
	for _, o := range all {
		if verb == store.VerbReactivate {
			if err := d.given.Revoke(ctx, sheet, link.Subject{Type: dispatchesapi.Offer, ID: o.ID}); err != nil {
				return nil, err
			}
		}
		made, err := d.write(ctx, brand, o, offerText)
		if err != nil {
			return nil, err
		}
		if err := d.notSent(ctx, o, made); err != nil {
			return nil, err
		}
		if sent[o.ID], err = d.sentOf(ctx, o, made); err != nil {
			return nil, err
		}
	}

	return sent, nil
}

// sendOne is send of one offer. Error: dispatches.offer_not_found.
func (d *desk) sendOne(ctx context.Context, id uuid.UUID, verb resource.Verb, s store.Proposal) (sentOffer, error) {
	sent, err := d.send(ctx, []uuid.UUID{id}, verb, s)
	if err == nil && len(sent) == 0 {
		err = d.offers.NotFound()
	}

	return sent[id], err
}

// tell makes another link for the carrier of an offer, and sends it.
func (d *desk) tell(ctx context.Context, o store.Offer, text letter) (share.Share, error) {
	brand, err := d.brands.Brand(ctx)
	if err != nil {
		return share.Share{}, err
	}

	return d.write(ctx, brand, o, text)
}

// letter is the text of a message about a load, by its number.
type letter func(load string) string

func offerText(load string) string { return "You are offered the load " + load + "." }

// write makes a link for the carrier of an offer, and sends it by those of its channels that reach the carrier.
func (d *desk) write(ctx context.Context, brand companiesapi.Brand, o store.Offer, text letter) (share.Share, error) {
	of, err := d.standings.Standing(ctx, o.Load.String())
	if err != nil {
		return share.Share{}, err
	}
	to, err := d.reach(ctx, o.Carrier, o.Channels.V, notify.Sales)
	if err != nil {
		return share.Share{}, err
	}

	return d.given.Give(ctx, share.Given{
		Purpose: sheet, Subject: link.Subject{Type: dispatchesapi.Offer, ID: o.ID}, Page: base + "/carrier/", Title: brand.Name + ": load " + of.Number, Text: brand.Name + ": " + text(of.Number),
		Sales: true,
	}, share.Create{To: to.Recipients})
}

// reached is by which channels a carrier can be written to.
type reached struct {
	Recipients []share.Recipient
	// Unreached are the reasons why the other channels do not reach it, by channel.
	Unreached map[string]string
}

// why says why no channel reaches the carrier.
func (r reached) why() string {
	var texts []string
	for _, channel := range slices.Sorted(maps.Keys(r.Unreached)) {
		texts = append(texts, channel+": "+r.Unreached[channel])
	}

	return strings.Join(texts, " ")
}

// reach returns the addresses of a carrier by some channels, and why the others do not reach it.
func (d *desk) reach(ctx context.Context, id uuid.UUID, channels []string, purpose notify.Purpose) (to reached, err error) {
	to.Unreached = map[string]string{}
	if len(channels) == 0 {
		return to, nil
	}
	known, err := d.carriers.Reach(ctx, id.String(), carriersapi.Dispatch)
	if err != nil {
		return to, err
	}
	for _, channel := range channels {
		one := share.Recipient{Channel: channel, Address: map[string]string{notify.Email: known.Email, notify.SMS: known.SMS}[channel]}
		reasons, err := d.given.Refusals(ctx, one, purpose)
		if err != nil {
			return to, err
		}
		if one.Address == "" {
			reasons = append(reasons, "The carrier has no address for this channel, or does not want to be written to by it.")
		}
		if len(reasons) > 0 {
			to.Unreached[channel] = strings.Join(reasons, " ")
		} else {
			to.Recipients = append(to.Recipients, one)
		}
	}

	return to, nil
}

// notSent refuses an offer that was to be sent by channels, and that none of them has taken.
func (d *desk) notSent(ctx context.Context, o store.Offer, made share.Share) error {
	if len(o.Channels.V) == 0 || slices.ContainsFunc(made.Deliveries, func(d share.Delivery) bool { return d.Result == share.Sent }) {
		return nil
	}
	to, err := d.reach(ctx, o.Carrier, o.Channels.V, notify.Sales)
	if err != nil {
		return err
	}
	for _, one := range made.Deliveries {
		to.Unreached[one.Channel] = one.Reason
	}

	return unreached(to)
}

// unreached is the failure of a carrier that no channel reaches.
func unreached(to reached) error {
	return notify.ErrNoChannel.WithMessage("No channel reaches the carrier: %s To pass on the link yourself, send no channels.", to.why()).WithDetail("unreached", to.Unreached)
}

// counter has one side ask for something else than the current terms.
func (d *desk) counter(ctx context.Context, id uuid.UUID, match web.IfMatch, s store.Proposal) (o store.Offer, err error) {
	if s.Party == store.Broker && s.Amount != "" {
		if err := d.offers.MaySet(ctx, "amount"); err != nil {
			return store.Offer{}, err
		}
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return store.Offer{}, err
	}
	verb := store.VerbCounter
	if s.Party == store.Broker {
		verb = store.VerbReply
	}
	var stale error
	var load uuid.UUID
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		held, err := d.hold(ctx, id)
		if err != nil {
			return err
		}
		was, of := held.offer, held.of
		load = was.Load
		can, err := d.daysOf(ctx, of)
		if err != nil {
			return err
		}
		if s.Party == store.Broker && s.Amount != "" && of.State == loadsapi.Ready && store.IsPayable(s.Amount, was.Currency) {
			if _, err := d.views.Proposed(ctx, of.Load, was.Carrier.String(), string(s.Amount)); err != nil {
				return err
			}
		}
		o, err = d.offers.Change(ctx, id, match, verb, func(ctx context.Context, o *store.Offer) error {
			if err := d.answerable(*o, s); err != nil {
				return err
			}
			if stale = nil; s.Party == store.Carrier {
				stale = d.sameAsShown(ctx, *o, s)
			} else if err := store.CheckNamed(match, s.Shown); err != nil {
				return err
			}
			if stale != nil {
				return stale
			}
			rounds := o.CountersBy(s.Party)
			switch o.Apply(s); {
			case rounds >= terms.Now.Rounds:
				return store.ErrNoRoundsLeft
			case o.Amount == was.Amount && o.Days() == was.Days() && (s.Party == store.Carrier || len(was.ChangesSinceAnswer()) == 0):
				return store.ErrNothingChanged
			}
			if wrong := o.CheckTerms(store.ErrInvalidOffer); len(wrong.Fields) > 0 {
				return wrong
			}
			if wrong := can.Check(o.Days(), was.Days(), false); len(wrong.Fields) > 0 {
				return wrong
			}
			is, err := newViewer(d).facts(ctx, *o)
			if err := store.IgnoreRefusal(err); err != nil {
				return err
			}
			o.KeepShown(is)
			now := d.now()
			if soon := now.Add(counterLife); soon.After(*o.ExpiresAt) {
				o.ExpiresAt = &soon
			}
			o.Turn = map[string]string{store.Carrier: store.Broker, store.Broker: store.Carrier}[s.Party]
			s.Amount, s.Pickup, s.Delivery = o.Amount, o.PickupDate, o.DeliveryDate
			o.Record(ctx, "counter", s, now)
			o.Warnings = store.WarningsOf(of, o.PickupDate)

			return d.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: s.Note, Party: s.Party})
		})

		return err
	})
	if errors.Is(stale, store.ErrTermsChanged) {
		return o, d.showAgain(ctx, load, stale)
	}

	return o, err
}

// showAgain has the open offers for a load show it as it is now, if that was not done yet, and returns why: a carrier has answered what it was before.
func (d *desk) showAgain(ctx context.Context, load uuid.UUID, why error) error {
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		of, err := d.standings.Held(ctx, load.String())
		if err != nil || of.State != loadsapi.Ready {
			return store.IgnoreRefusal(err)
		}

		return reviser{d}.revise(ctx, load)
	})
	if err != nil {
		return err
	}

	return why
}

// counterLife is for how long a counter can be answered at least.
const counterLife = 2 * time.Hour

// lateLife is for how long after an offer has expired an acceptance of it is kept.
const lateLife = 24 * time.Hour

// end takes a step that ends an offer, keeps why, and asks the next carrier of a sequence.
func (d *desk) end(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, s store.Proposal) (store.Offer, error) {
	return d.over(ctx, id, match, verb, func(ctx context.Context, o *store.Offer) (bool, error) {
		if err := d.answerable(*o, store.Proposal{Party: o.Turn, Shown: s.Shown}); err != nil && s.Party == store.Carrier {
			return false, err
		}
		asked := o.State != store.Queued
		o.Turn, o.EndReason = "", s.Note
		o.Record(ctx, string(verb), s, d.now())

		return asked, d.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: s.Note, Party: s.Party})
	})
}

// over ends an offer, and asks the next carrier of its sequence if do says that its turn is over. The load is held before the offer, as it is by
// those who accept: so nobody waits for each other.
func (d *desk) over(ctx context.Context, id uuid.UUID, match web.IfMatch, verb resource.Verb, do func(ctx context.Context, o *store.Offer) (bool, error)) (o store.Offer, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if o, err = d.offers.Find(ctx, id); err != nil {
			return err
		}
		free := false
		if o.Mode == "sequential" {
			_, err := d.standings.ForCarrier(ctx, o.Load.String())
			if free = err == nil; store.IgnoreRefusal(err) != nil { // else it is held back, or somebody has it
				return err
			}
		}
		next := false
		o, err = d.offers.Change(ctx, id, match, verb, func(ctx context.Context, o *store.Offer) error {
			next, err = do(ctx, o)

			return err
		})
		if err != nil || !next || !free {
			return err
		}

		return d.askNext(ctx, o)
	})

	return o, err
}

// askNext sends the next offer of a sequence whose carrier can be written to. The others end, and say why.
func (d *desk) askNext(ctx context.Context, o store.Offer) error {
	if o.Batch == nil {
		return nil
	}
	asking := principal.AsCompany(ctx, principal.CompanyOf(ctx))
	for {
		next, err := d.rows.NextOfBatch(ctx, *o.Batch)
		if errors.Is(err, store.ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		err = d.db.Savepoint(asking, func(ctx context.Context) error {
			_, err := d.sendOne(ctx, next.ID, store.VerbSend, store.Proposal{Party: store.System})

			return err
		})
		if !errors.Is(err, notify.ErrNoChannel) {
			return err
		}
		why := err.Error()
		if refusal, ok := errors.AsType[*errs.Error](err); ok {
			why = refusal.Message
		}
		if _, err := d.offers.Change(asking, next.ID, web.IfMatch{}, store.VerbWithdraw, func(ctx context.Context, o *store.Offer) error {
			o.Turn, o.EndReason = "", why
			o.Record(ctx, string(store.VerbWithdraw), store.Proposal{Party: store.System, Note: why}, d.now())

			return d.offers.Step(ctx, o, state.Move{Verb: string(store.VerbWithdraw), Reason: why})
		}); err != nil {
			return err
		}
	}
}

// supersede ends all offers for a load but one, as the service itself.
func (d *desk) supersede(ctx context.Context, load uuid.UUID, but uuid.UUID, why string) error {
	open, err := d.rows.OpenOffers(ctx, load)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, one := range open {
		if one.ID != but {
			ids = append(ids, one.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	now := d.now()
	_, err = d.offers.ChangeSome(principal.AsCompany(ctx, principal.CompanyOf(ctx)), ids, store.VerbSupersede, func(ctx context.Context, o *store.Offer) error {
		if o.State != store.Queued && !o.IsOpen() {
			return nil
		}
		o.Turn, o.EndReason = "", why
		o.Record(ctx, string(store.VerbSupersede), store.Proposal{Party: store.System, Note: why}, now)

		return d.offers.Step(ctx, o, state.Move{Verb: string(store.VerbSupersede), Reason: why})
	})

	return err
}

const expireEvery = time.Minute

// expire is the job that ends offers that nobody answered in time.
type expire struct{}

// Kind implements jobs.Args.
func (expire) Kind() string { return "dispatches.expire" }

func (d *desk) expire(ctx context.Context, _ expire) error {
	now := d.now()

	return d.rows.EachDue(ctx, now, func(ctx context.Context, id uuid.UUID) error {
		_, err := d.over(ctx, id, web.IfMatch{}, store.VerbExpire, func(ctx context.Context, o *store.Offer) (bool, error) {
			if !o.IsOpen() || o.ExpiresAt.After(now) {
				return false, nil // it was answered meanwhile
			}
			o.Turn = ""
			o.Record(ctx, string(store.VerbExpire), store.Proposal{Party: store.System}, now)

			return true, d.offers.Step(ctx, o, state.Move{Verb: string(store.VerbExpire)})
		})

		return err
	})
}
