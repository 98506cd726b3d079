package dispatches

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/outsider"
	"github.com/dispatchd/dispatchd/platform/share"
)

// robots answer for carriers whose e-mail address is of carriersapi.SandboxDomain, where the company has switched that on: so a company tries without
// a person what becomes of an offer. They have a link as everybody has, and answer by it.
type robots struct {
	desk    *desk
	queue   *jobs.Queue
	outside *outsider.Caller
}

func newRobots(d *desk, q *jobs.Queue, o *outsider.Caller) robots { return robots{d, q, o} }

// What the robots do, by the local part of the address. Any other one stays silent.
const (
	robotAccepts  = "accept"
	robotDrives   = "drive" // accepts; the area bills_of_lading has a robot that drives
	robotDoubles  = "double"
	robotCancels  = "cancel"
	robotDeclines = "decline"
	robotCounters = "counter"
	robotIsLate   = "late"
)

// robotCancelsAfter is when a robot gives a load back.
const robotCancelsAfter = 24 * time.Hour

func (r robots) onSent(ctx context.Context, e dispatchesapi.OfferSent) error {
	return r.answer(ctx, e.Offer)
}

func (r robots) onReactivated(ctx context.Context, e dispatchesapi.OfferReactivated) error {
	return r.answer(ctx, e.Offer)
}

func (r robots) onReplied(ctx context.Context, e dispatchesapi.OfferReplied) error {
	return r.answer(ctx, e.Offer)
}

func (r robots) onExpired(ctx context.Context, e dispatchesapi.OfferExpired) error {
	return r.answer(ctx, e.Offer)
}

// answer answers an offer. What can no longer be answered is not.
func (r robots) answer(ctx context.Context, id string) error {
	terms, err := r.desk.settings.Read(ctx)
	if err != nil || !terms.Now.Sandbox {
		return err
	}
	o, err := r.desk.offers.Find(ctx, item.ID(id))
	if err != nil {
		return store.IgnoreRefusal(err)
	}
	reach, err := r.desk.carriers.Reach(ctx, o.Carrier.String(), carriersapi.Dispatch)
	if err != nil {
		return store.IgnoreRefusal(err)
	}
	who, sandbox := strings.CutSuffix(strings.ToLower(reach.Email), "@"+carriersapi.SandboxDomain)
	if !sandbox || o.Turn != store.Carrier && (who != robotIsLate || o.State != store.Expired) {
		return nil
	}

	return store.IgnoreRefusal(r.as(ctx, who, o))
}

// as answers an offer as one of the robots does.
func (r robots) as(ctx context.Context, who string, o store.Offer) error {
	countered := slices.ContainsFunc(o.Transactions.V, func(e store.Transaction) bool { return e.Type == "counter" && e.Party == store.Carrier })
	shown := len(o.Transactions.V)
	switch {
	case who == robotDeclines:
		return r.say(ctx, o, "/decline", map[string]any{"shown": shown, "note": "Too far."})
	case who == robotCounters && !countered:
		more, err := tenthMore(o.Amount, o.Currency)
		if err != nil {
			return err
		}

		return r.say(ctx, o, "/counter", map[string]any{"shown": shown, "amount": more, "note": "Fuel is expensive."})
	case who == robotDoubles:
		yes, err := r.yes(ctx, o)
		if err != nil {
			return err
		}
		var wait sync.WaitGroup
		all := make([]error, 2)
		for i := range all {
			wait.Go(func() { all[i] = r.say(ctx, o, "/accept", yes) })
		}
		wait.Wait()

		return errors.Join(all...)
	case who == robotAccepts, who == robotDrives, who == robotCounters, who == robotCancels, who == robotIsLate && o.State == store.Expired:
		yes, err := r.yes(ctx, o)
		if err == nil {
			err = r.say(ctx, o, "/accept", yes)
		}
		if err != nil || who != robotCancels {
			return err
		}

		return r.desk.db.InTx(ctx, func(ctx context.Context) error {
			return r.queue.Enqueue(ctx, giveBack{o.ID}, jobs.At(r.desk.now().Add(robotCancelsAfter)))
		})
	}

	return nil
}

// say answers an offer by a link of its own. What is refused is answered.
func (r robots) say(ctx context.Context, o store.Offer, what string, body map[string]any) error {
	var made share.Share
	err := r.desk.db.InTx(ctx, func(ctx context.Context) error {
		given, err := r.desk.giveOffer(ctx, o.ID)
		if err == nil {
			made, err = r.desk.given.Give(ctx, given, share.Create{})
		}

		return err
	})
	if err != nil {
		return err
	}
	const page = base + "/carrier/"
	_, text, _ := strings.Cut(made.URL, page)
	said, err := json.Marshal(body)
	if err == nil {
		_, err = r.outside.Post(ctx, page+text+what, "application/json", said)
	}

	return err
}

// yes is what accepts an offer, on days within the windows.
func (r robots) yes(ctx context.Context, o store.Offer) (map[string]any, error) {
	of, err := r.desk.standings.Standing(ctx, o.Load.String())
	today := field.Date(r.desk.now().Format(time.DateOnly))
	pickup := cmp.Or(o.PickupDate, max(field.Date(of.Pickup.From), today))

	return map[string]any{
		"shown": len(o.Transactions.V), "name": "Sandbox carrier", "accepted": true, "crew": store.Crew{DriverName: "Robby Robot", Truck: "Unit 1"}, "pickup_date": pickup,
		"delivery_date": cmp.Or(o.DeliveryDate, field.Date(of.Delivery.To), max(field.Date(of.Delivery.From), pickup)),
	}, err
}

// tenthMore is an amount and a tenth of it.
func tenthMore(amount money.Amount, currency money.Currency) (money.Amount, error) {
	made, err := money.Of(amount, currency)
	if err != nil {
		return "", err
	}
	units, _ := made.Units()
	const eleven, ten = 11, 10

	return money.OfUnits(units*eleven/ten, currency).Amount, nil
}

// giveBack is the job by which a robot gives a load back.
type giveBack struct {
	Offer uuid.UUID `json:"offer"`
}

// Kind implements jobs.Args.
func (giveBack) Kind() string { return "dispatches.robot_gives_back" }

func (r robots) giveBack(ctx context.Context, args giveBack) error {
	o, err := r.desk.offers.Find(ctx, args.Offer)
	if err != nil || o.Dispatch == nil {
		return store.IgnoreRefusal(err)
	}

	return r.say(ctx, o, "/cancel", map[string]any{"reason": "breakdown", "note": "A robot gave it back."})
}
