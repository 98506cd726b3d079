package dispatches

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// robots answer for carriers whose e-mail address is of carriersapi.SandboxDomain, where the company has switched that on: so a company tries without
// a person what becomes of an offer.
type robots struct {
	desk  *desk
	queue *jobs.Queue
}

func newRobots(d *desk, q *jobs.Queue) robots { return robots{d, q} }

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

// answer answers an offer. What cannot be answered any more is not.
func (r robots) answer(ctx context.Context, id string) error {
	terms, err := r.desk.settings.Read(ctx)
	if err != nil || !terms.Now.Sandbox {
		return err
	}
	o, err := r.desk.offers.Find(ctx, item.ID(id))
	if err != nil {
		return refusedIsDone(err)
	}
	reach, err := r.desk.carriers.Reach(ctx, o.Carrier.String(), carriersapi.Dispatch)
	if err != nil {
		return refusedIsDone(err)
	}
	who, sandbox := strings.CutSuffix(strings.ToLower(reach.Email), "@"+carriersapi.SandboxDomain)
	if !sandbox || o.Turn != carrier && (who != robotIsLate || o.State != expired) {
		return nil
	}

	return refusedIsDone(r.as(ctx, who, o))
}

// as answers an offer as one of the robots does.
func (r robots) as(ctx context.Context, who string, o offer) error {
	countered := slices.ContainsFunc(o.Said.V, func(e entry) bool { return e.Type == string(verbCounter) && e.Party == carrier })
	switch {
	case who == robotDeclines:
		_, err := r.desk.end(ctx, o.ID, web.IfMatch{}, verbDecline, said{Party: carrier, Note: "Too far."})

		return err
	case who == robotCounters && !countered:
		more, err := tenthMore(o.Amount, o.Currency)
		if err != nil {
			return err
		}
		_, err = r.desk.counter(ctx, o.ID, web.IfMatch{}, said{Party: carrier, Amount: more, Note: "Fuel is expensive."})

		return err
	case who == robotDoubles:
		var wait sync.WaitGroup
		all := make([]error, 2)
		for i := range all {
			wait.Go(func() { all[i] = r.accept(ctx, o) })
		}
		wait.Wait()

		return errors.Join(all...)
	case who == robotCancels:
		if err := r.accept(ctx, o); err != nil {
			return err
		}

		return r.desk.db.InTx(ctx, func(ctx context.Context) error {
			return r.queue.Enqueue(ctx, giveBack{o.ID}, jobs.At(r.desk.now().Add(robotCancelsAfter)))
		})
	case who == robotAccepts, who == robotDrives, who == robotCounters, who == robotIsLate && o.State == expired:
		return r.accept(ctx, o)
	}

	return nil
}

// accept accepts an offer, on days within the windows.
func (r robots) accept(ctx context.Context, o offer) error {
	of, err := r.desk.coverage.Standing(ctx, o.Load.String())
	if err != nil {
		return err
	}
	today := field.Date(r.desk.now().Format(time.DateOnly))
	s := said{Party: carrier, Name: "Sandbox carrier", Note: "Accepted by a robot."}
	s.Pickup = cmp.Or(o.PickupDate, max(field.Date(of.Pickup.From), today))
	s.Delivery = cmp.Or(o.DeliveryDate, field.Date(of.Delivery.To), max(field.Date(of.Delivery.From), s.Pickup))
	_, err = r.desk.accept(ctx, o.ID, web.IfMatch{}, s, crew{DriverName: "Robby Robot", Truck: "Unit 1"})

	return err
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
		return refusedIsDone(err)
	}
	_, err = r.desk.cancel(ctx, *o.Dispatch, web.IfMatch{}, verbCarrierCancel, "breakdown", "A robot gave it back.")

	return refusedIsDone(err)
}
