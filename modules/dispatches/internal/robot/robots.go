// Package robot answers for carriers of a sandbox, so that a company tries without a person what becomes of an offer.
package robot

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
)

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

// Roster says which carriers have a robot: those whose e-mail address is of carriersapi.SandboxDomain, where the company has switched that on.
type Roster struct {
	settings *settings.Settings[preferences.Preferences]
	carriers carriersapi.Carriers
}

// NewRoster returns a Roster.
func NewRoster(kept *settings.Settings[preferences.Preferences], carriers carriersapi.Carriers) *Roster {
	return &Roster{kept, carriers}
}

// isOn reports whether robots answer for the company.
func (r *Roster) isOn(ctx context.Context) (bool, error) {
	kept, err := r.settings.Read(ctx)

	return kept.Now.Sandbox, err
}

// robotOf is the robot of the carrier of an offer, "" for none.
func (r *Roster) robotOf(ctx context.Context, o store.Offer) (string, error) {
	reach, err := r.carriers.Reach(ctx, o.Carrier.String(), carriersapi.Dispatch)
	if err != nil {
		return "", err
	}
	robot, is := strings.CutSuffix(strings.ToLower(reach.Email), "@"+carriersapi.SandboxDomain)
	if !is {
		return "", nil
	}

	return robot, nil
}

// Acceptances are what robots accept offers with.
type Acceptances struct {
	loads loadsapi.Standings
	clock clock.Clock
}

// NewAcceptances returns Acceptances.
func NewAcceptances(loads loadsapi.Standings, c clock.Clock) *Acceptances {
	return &Acceptances{loads, c}
}

// of is what accepts an offer, on days within the windows of its load.
func (a *Acceptances) of(ctx context.Context, o store.Offer) (map[string]any, error) {
	load, err := a.loads.Standing(ctx, o.Load.String())
	today := field.Date(a.clock.Now().Format(time.DateOnly))
	pickup := cmp.Or(o.PickupDate, max(field.Date(load.Pickup.From), today))

	return map[string]any{
		"shown": len(o.Transactions.V), "name": "Sandbox carrier", "accepted": true, "crew": store.Crew{DriverName: "Robby Robot", Truck: "Unit 1"},
		"pickup_date":   pickup,
		"delivery_date": cmp.Or(o.DeliveryDate, field.Date(load.Delivery.To), max(field.Date(load.Delivery.From), pickup)),
	}, err
}

// Robots answer offers. They have a link as every carrier has, and answer by it.
type Robots struct {
	offers      *resource.Resource[store.Offer]
	roster      *Roster
	acceptances *Acceptances
	voice       *Voice
	returns     *Returns
}

// NewRobots returns Robots.
func NewRobots(offers *resource.Resource[store.Offer], r *Roster, a *Acceptances, v *Voice, b *Returns) *Robots {
	return &Robots{offers, r, a, v, b}
}

// Answer answers an offer, if it can still be answered and its carrier has a robot.
func (r *Robots) Answer(ctx context.Context, id string) error {
	on, err := r.roster.isOn(ctx)
	if err != nil || !on {
		return err
	}
	o, err := r.offers.Find(ctx, item.ID(id))
	if err != nil {
		return store.IgnoreRefusal(err)
	}
	robot, err := r.roster.robotOf(ctx, o)
	if err != nil {
		return store.IgnoreRefusal(err)
	}
	if robot == "" || o.Turn != store.Carrier && (robot != robotIsLate || o.State != store.Expired) {
		return nil
	}

	return store.IgnoreRefusal(r.answerAs(ctx, robot, o))
}

// answerAs answers an offer as one of the robots does.
func (r *Robots) answerAs(ctx context.Context, robot string, o store.Offer) error {
	countered := slices.ContainsFunc(o.Transactions.V, func(t store.Transaction) bool { return t.Type == "counter" && t.Party == store.Carrier })
	shown := len(o.Transactions.V)
	switch {
	case robot == robotDeclines:
		return r.voice.answer(ctx, o, "/decline", map[string]any{"shown": shown, "note": "Too far."})
	case robot == robotCounters && !countered:
		more, err := tenthMore(o.Amount, o.Currency)
		if err != nil {
			return err
		}

		return r.voice.answer(ctx, o, "/counter", map[string]any{"shown": shown, "amount": more, "note": "Fuel is expensive."})
	case robot == robotDoubles:
		return r.acceptTwice(ctx, o)
	case robot == robotAccepts, robot == robotDrives, robot == robotCounters, robot == robotIsLate && o.State == store.Expired:
		return r.accept(ctx, o)
	case robot == robotCancels:
		if err := r.accept(ctx, o); err != nil {
			return err
		}

		return r.returns.schedule(ctx, o.ID)
	}

	return nil
}

func (r *Robots) accept(ctx context.Context, o store.Offer) error {
	acceptance, err := r.acceptances.of(ctx, o)
	if err != nil {
		return err
	}

	return r.voice.answer(ctx, o, "/accept", acceptance)
}

// acceptTwice accepts an offer twice at the same time.
func (r *Robots) acceptTwice(ctx context.Context, o store.Offer) error {
	acceptance, err := r.acceptances.of(ctx, o)
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	all := make([]error, 2)
	for i := range all {
		wait.Go(func() { all[i] = r.voice.answer(ctx, o, "/accept", acceptance) })
	}
	wait.Wait()

	return errors.Join(all...)
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
