package loads

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	companysettings "github.com/dispatchd/dispatchd/platform/settings"
)

// outside is what the area uses of others.
type outside struct {
	places   routeengineapi.Places
	routes   routeengineapi.Routes
	decoder  vehiclesapi.Decoder
	parser   vehiclesapi.Parser
	contacts contactsapi.Contacts
	items    *item.Registry
	hooks    *hook.Bus
}

func newOutside(
	p routeengineapi.Places, r routeengineapi.Routes, d vehiclesapi.Decoder, parse vehiclesapi.Parser, c contactsapi.Contacts, items *item.Registry, hooks *hook.Bus,
) outside {
	return outside{p, r, d, parse, c, items, hooks}
}

// service decides on changes of loads.
type service struct {
	outside

	loads  *resource.Resource[load]
	signed *signing.Repository
	desk   *assigning.Desk
	rows   *repository
	db     *database.DB
	bus    *events.Bus
	kept   *companysettings.Settings[terms.Terms]
	clock  clock.Clock
}

func newService(
	o outside, loads *resource.Resource[load], signed *signing.Repository, a *assigning.Desk, rows *repository, db *database.DB, bus *events.Bus, kept *companysettings.Settings[terms.Terms], c clock.Clock,
) *service {
	return &service{o, loads, signed, a, rows, db, bus, kept, c}
}

// batch is loads that are stored together, and what was read for all of them.
type batch struct {
	decoded map[vehiclesapi.Asked]vehiclesapi.Decoded
	ways    map[string]way
	terms   *terms.Terms
	told    []events.Event
	signed  []signing.Row
}

// way is what the route engine says of stops.
type way struct {
	route routeengineapi.Route
	err   error
}

// decide brings loads into their normal form, and refuses those that cannot be stored.
func (s *service) decide(ctx context.Context, all []*resource.Change[load]) error {
	b := &batch{ways: map[string]way{}}
	for _, c := range all {
		c.Refuse(checkMargins(ctx, c))
		c.Refuse(concealed(ctx, s.prepare(ctx, b, c)))
	}
	if err := s.decodeVINs(ctx, b, all); err != nil {
		return err
	}
	if err := s.checkNames(ctx, all); err != nil {
		return err
	}
	for _, c := range all {
		if c.Verb == resource.Delete {
			continue
		}
		if err := s.finish(ctx, b, c); err != nil {
			if !errs.IsRefusal(err) {
				return err
			}
			c.Refuse(concealed(ctx, err))
		}
	}
	if err := s.assign(ctx, all); err != nil {
		return err
	}
	for _, c := range all {
		c.After.noteWork(ctx, c, s.clock.Now())
	}
	if err := s.followVehicles(ctx, b, all); err != nil {
		return err
	}
	if err := s.signed.Add(ctx, b.signed); err != nil {
		return err
	}

	return s.bus.Publish(ctx, b.told...)
}

// prepare names the parts of a load, keeps what only the service writes of them, and checks what can be seen of the load alone.
func (s *service) prepare(ctx context.Context, b *batch, c *resource.Change[load]) error {
	l := c.After
	if c.Verb == resource.Delete {
		if !slices.Contains([]loadsapi.State{loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Lost}, l.State) {
			return errNotDeletable
		}

		return nil
	}
	l.Warnings = nil
	wrong := nameParts(l, errInvalid)
	before := c.Before
	if before == nil {
		before = &load{}
	}
	if c.Verb == resource.Create || c.Verb == resource.Update {
		var err error
		if wrong, err = cargo.KeepCustody(before.Vehicles.V, l.Vehicles.V, wrong); err != nil {
			return err
		}
		wrong = route.KeepTimes(before.Stops.V, l.Stops.V, wrong)
		if c.Before != nil && l.PlanTemplate != "" && l.PlanTemplate == c.Before.PlanTemplate && !slices.Equal(l.Plan.V, c.Before.Plan.V) {
			l.PlanTemplate = "" // somebody has written a plan
		}
	}
	wrong = route.Check(ctx, s.places, before.Stops.V, l.Stops.V, l.warn, wrong)
	l.warnOfAvailability()
	l.warnOfPromise()
	if c.Verb == resource.Create || c.Verb == resource.Update {
		wrong = route.CheckOrder(l.Stops.V, wrong)
	}
	wrong = l.checkVehicles(wrong)
	wrong, err := s.applyTerms(ctx, b, c, wrong)
	if err != nil {
		return err
	}
	if err := s.choosePlan(ctx, b, c); err != nil {
		return err
	}
	wrong = l.checkMoney(c.Before, wrong)
	if len(wrong.Fields) > 0 {
		return wrong
	}
	if err := s.followAgreed(ctx, c.Before, l); err != nil {
		return err
	}
	if err := l.followTotals(c.Before); err != nil {
		return err
	}
	for i := range l.Plan.V {
		if l.Plan.V[i].UUID == uuid.Nil {
			l.Plan.V[i].UUID = database.NewID()
		}
	}
	if c.Before == nil {
		return nil
	}

	return plan.Keep(c.Before.Plan.V, l.Plan.V, l.Payments.V, l.Currency, l.PlanTemplate != "" && l.PlanTemplate == c.Before.PlanTemplate)
}

// warnOfAvailability warns of a window for the pickup that ends before the vehicles are available.
func (l *load) warnOfAvailability() {
	if len(l.Stops.V) == 0 || l.AvailableFrom == "" {
		return
	}
	if to := l.Stops.V[0].Days().To; to != "" && to < string(l.AvailableFrom) {
		l.warn("loads.window_before_available", "stops.0.window", "The window for the pickup ends on "+to+", before the vehicles are available, on "+string(l.AvailableFrom)+".")
	}
}

// finish completes a load by what was read for all, and takes the steps that follow from it.
func (s *service) finish(ctx context.Context, b *batch, c *resource.Change[load]) error {
	l, now := c.After, s.clock.Now()
	was := loadsapi.Lead
	if c.Before != nil {
		was = c.Before.State
	}
	var sizes map[vehiclesapi.Type]string
	if slices.ContainsFunc(l.Vehicles.V, func(v vehicle) bool { return v.Size == "" }) {
		kept, err := s.terms(ctx, b)
		if err != nil {
			return err
		}
		sizes = kept.SizesByType()
	}
	if err := s.fillIn(ctx, b, l, sizes); err != nil {
		return err
	}
	if err := s.measure(ctx, b, c); err != nil {
		return err
	}
	l.derive()
	l.warnOfTerms()
	if err := keeps(c); err != nil {
		return err
	}
	if err := s.saveVenues(ctx, l); err != nil {
		return err
	}
	if err := l.follow(ctx, s.loads, c.Verb, now); err != nil {
		return err
	}
	if err := s.goBack(ctx, b, c); err != nil {
		return err
	}
	if err := s.startBooked(ctx, b, c); err != nil {
		return err
	}
	was, err := s.announce(ctx, b, c, was, now)
	if err != nil {
		return err
	}
	if err := s.followSignature(ctx, b, c, now); err != nil {
		return err
	}
	if err := s.checkReady(ctx, b, l, was); err != nil {
		return err
	}
	if err := s.askCredit(ctx, c); err != nil {
		return err
	}
	if l.State == loadsapi.Delivered && was != loadsapi.Delivered && c.Verb != verbReopen && l.settled() { // it was paid before, and is completed at once
		l.stamp(was, now)
		b.told = append(b.told, l.stepped(was))
		was = loadsapi.Delivered
	}
	if err := s.goOn(ctx, b, c, was); err != nil {
		return err
	}
	if err := s.askCarrying(ctx, c); err != nil {
		return err
	}
	if err := s.warnOfRelease(ctx, c); err != nil {
		return err
	}
	l.stamp(was, now)
	l.keepAxes(now)
	s.tell(b, c, was)

	return nil
}

// announce tells the areas that a load is booked, and has it promise what they say that its customer bought. It returns the state from which the load goes on.
func (s *service) announce(ctx context.Context, b *batch, c *resource.Change[load], was loadsapi.State, now time.Time) (loadsapi.State, error) {
	l := c.After
	if l.State != loadsapi.Booked || !slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted}, was) {
		return was, nil
	}
	about := loadsapi.Booking{Load: l.ID.String(), Number: l.Number, Tariff: string(l.Tariff), Currency: string(l.Currency)}
	if err := hook.Run(ctx, s.hooks, &about); err != nil {
		return was, err
	}
	if about.Expedited {
		l.promisePickup(about.Within)
		if wrong := route.Check(ctx, s.places, l.Stops.V, l.Stops.V, func(string, string, string) {}, errInvalid); len(wrong.Fields) > 0 {
			return was, wrong
		}
		l.derive()
		l.warnOfPromise()
	}
	l.stamp(was, now)
	b.told = append(b.told, l.stepped(was))

	return loadsapi.Booked, nil // and perhaps ready at once
}

// askCarrying asks the areas about another pay of the carrier, and about vehicles that are picked up.
func (s *service) askCarrying(ctx context.Context, c *resource.Change[load]) error {
	if c.Before == nil {
		return nil
	}
	if err := s.askToReprice(ctx, c); err != nil {
		return err
	}

	return cargo.AskToPickUp(ctx, s.hooks, c.After.ID, c.Before.Vehicles.V, c.After.Vehicles.V)
}

// checkReady refuses a load that would be ready without what the settings ask for.
func (s *service) checkReady(ctx context.Context, b *batch, l *load, was loadsapi.State) error {
	if l.State != loadsapi.Ready || was != loadsapi.Booked {
		return nil
	}
	terms, err := s.terms(ctx, b)
	if err != nil {
		return err
	}
	if missing := l.missing(terms.Required); len(missing) > 0 {
		return errNotReady.WithDetail("missing", missing)
	}

	return nil
}

// askToReprice asks the areas whether the carrier that has a load may get another pay.
func (s *service) askToReprice(ctx context.Context, c *resource.Change[load]) error {
	before, l := c.Before, c.After
	if before.Carrier == nil || l.Carrier == nil || *before.Carrier != *l.Carrier || before.CarrierPay == l.CarrierPay {
		return nil
	}

	return hook.Run(ctx, s.hooks, &loadsapi.Repricing{Load: l.ID.String(), Carrier: l.Carrier.String(), CarrierPay: string(l.CarrierPay)})
}

// tell keeps the events of what became of a load and its vehicles.
func (s *service) tell(b *batch, c *resource.Change[load], was loadsapi.State) {
	l := c.After
	if l.State != was {
		if e := l.stepped(was); e != nil {
			b.told = append(b.told, e)
		}
	}
	if l.Late != notLate && (c.Before == nil || c.Before.Late != l.Late) {
		b.told = append(b.told, loadsapi.LateEvent{About: l.about(), What: l.Late})
	}
	if c.Before == nil {
		return
	}
	if (c.Verb == verbSplit || c.Verb == verbMerge) && l.State == was {
		b.told = append(b.told, loadsapi.Updated{About: l.about()})
	}
	before := map[uuid.UUID]custody{}
	for _, v := range c.Before.Vehicles.V {
		before[v.UUID] = v.Custody
	}
	for _, v := range l.Vehicles.V {
		about := loadsapi.AboutVehicle{Load: l.ID.String(), Vehicle: v.UUID.String()}
		if old, known := before[v.UUID]; !known || old == v.Custody {
			continue
		}
		switch v.Custody {
		case onBoard:
			b.told = append(b.told, loadsapi.VehiclePickedUp{AboutVehicle: about})
		case dropped:
			b.told = append(b.told, loadsapi.VehicleDelivered{AboutVehicle: about})
		case removed:
			b.told = append(b.told, loadsapi.VehicleRemoved{AboutVehicle: about})
		case waiting:
		}
	}
}

// parts calls do for the id of each part of a load, and where it is.
func (l *load) parts(do func(id *uuid.UUID, at string)) {
	for i := range l.Stops.V {
		do(&l.Stops.V[i].UUID, "stops."+strconv.Itoa(i))
	}
	for i := range l.Vehicles.V {
		do(&l.Vehicles.V[i].UUID, "vehicles."+strconv.Itoa(i))
	}
	for i := range l.Commodities.V {
		do(&l.Commodities.V[i].UUID, "commodities."+strconv.Itoa(i))
	}
	for i := range l.Charges.V {
		do(&l.Charges.V[i].UUID, "charges."+strconv.Itoa(i))
	}
}

// nameParts gives ids to the parts of a load that have none, and refuses two parts with one id.
func nameParts(l *load, wrong *errs.Error) *errs.Error {
	seen := map[uuid.UUID]bool{}
	l.parts(func(id *uuid.UUID, at string) {
		if *id == uuid.Nil {
			*id = database.NewID()
		}
		if seen[*id] {
			wrong = wrong.WithField(at+".uuid", "Another part of the load has this uuid. Leave it out for a new one.")
		}
		seen[*id] = true
	})

	return wrong
}

// checkTexts refuses a text for boards by which the company can be reached past them.
func checkTexts(_ context.Context, l *load) error {
	if sight.Reachable(l.ForBoard) {
		return errInvalid.WithField("instructions_board", "The text is public, and must not have phone numbers, e-mail addresses or web addresses.")
	}
	l.ExternalID = strings.TrimSpace(l.ExternalID)

	return nil
}
