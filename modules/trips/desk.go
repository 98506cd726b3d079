package trips

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/drivers/driversapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/tripsapi"
	"github.com/dispatchd/dispatchd/modules/trucks/trucksapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// others are the areas that the desk works with.
type others struct {
	onLoads

	routes routeengineapi.Routes
	places routeengineapi.Places
	items  *item.Registry
}

// onLoads is what the desk knows and says of loads.
type onLoads struct {
	standings loadsapi.Standings
	coverage  loadsapi.Coverage
	carriage  loadsapi.Carriage
	views     loadsapi.Views
}

func newOnLoads(s loadsapi.Standings, c loadsapi.Coverage, g loadsapi.Carriage, v loadsapi.Views) onLoads {
	return onLoads{s, c, g, v}
}

func newOthers(l onLoads, r routeengineapi.Routes, p routeengineapi.Places, items *item.Registry) others {
	return others{l, r, p, items}
}

// desk plans trips, and has their loads follow them.
type desk struct {
	others

	trips    *resource.Resource[trip]
	rows     *repository
	settings *settings.Settings[preferences]
	bus      *events.Bus
	db       *database.DB
	clock    clock.Clock
}

func newDesk(o others, trips *resource.Resource[trip], rows *repository, kept *settings.Store, bus *events.Bus, db *database.DB, c clock.Clock) *desk {
	return &desk{o, trips, rows, settings.Of(kept, tripsapi.Area, defaults), bus, db, c}
}

func (d *desk) now() time.Time { return d.clock.Now() }

// decide has trips know their miles and their pay, and keeps which vehicles are on which trip: none is on two.
func (d *desk) decide(ctx context.Context, all []*resource.Change[trip]) error {
	for _, c := range all {
		if err := settled(c); err != nil {
			c.Refuse(err)

			continue
		}
		if err := receipts(ctx, d.items, c); err != nil {
			return err
		}
		if c.Verb != resource.Delete && (c.Before == nil || !c.After.sameWay(*c.Before)) {
			if err := d.measure(ctx, c.After); err != nil {
				return err
			}
		}
		c.After.Pay = c.After.pay()
		before, after := vehiclesOf(c.Before), vehiclesOf(c.After)
		if c.Verb == resource.Delete {
			after = nil
		}
		taken, err := d.rows.follow(ctx, c.After.ID, before, after)
		if err != nil {
			return err
		}
		if taken {
			c.Refuse(errTaken)
		}
	}

	return nil
}

// settled refuses to change by what a trip is driven once it was dispatched, and to delete it, but for one that was canceled. What follows, such as loads
// that are added and expenses, is no such change.
func settled(c *resource.Change[trip]) error {
	if c.Before == nil {
		return nil
	}
	was, now := *c.Before, *c.After
	changed := c.Verb == resource.Delete || !sameID(was.Truck, now.Truck) || !sameID(was.Driver, now.Driver) || !sameID(was.CoDriver, now.CoDriver) || was.From != now.From ||
		was.Currency != now.Currency || was.Rate != now.Rate || !reflect.DeepEqual(was.Basis, now.Basis)
	switch {
	case changed && was.underWay():
		return errUnderWay
	case changed && (was.State == completed || was.State == cancelled && c.Verb != resource.Delete):
		return errEnded
	}

	return nil
}

func sameID(a, b *uuid.UUID) bool { return a == b || a != nil && b != nil && *a == *b }

// receipts refuses expenses with receipts that are not there.
func receipts(ctx context.Context, items *item.Registry, c *resource.Change[trip]) error {
	wrong := errInvalid
	for i, e := range c.After.Expenses.V {
		known := c.Before != nil && slices.ContainsFunc(c.Before.Expenses.V, func(was expense) bool { return was.Attachment == e.Attachment })
		if e.Attachment == uuid.Nil || known || c.Verb == resource.Delete {
			continue
		}
		missing, err := items.Exists(ctx, item.Ref{Type: "attachments.attachment", UUID: e.Attachment})
		if err != nil && !errors.Is(err, item.ErrUnknownType) {
			return err
		}
		if err != nil || len(missing) > 0 {
			wrong = wrong.WithField("expenses."+strconv.Itoa(i)+".attachment_uuid", "There is no such attachment.")
		}
	}
	if len(wrong.Fields) > 0 {
		c.Refuse(wrong)
	}

	return nil
}

// sameWay reports whether a trip has the stops, in their order, and the vehicles of another one.
func (t trip) sameWay(as trip) bool {
	return t.From == as.From && slices.Equal(t.Cargo.V, as.Cargo.V) && slices.EqualFunc(t.Legs.V, as.Legs.V, func(a, b leg) bool {
		return a.UUID == b.UUID && a.Place == b.Place && a.PostalCode == b.PostalCode
	})
}

// vehiclesOf are the vehicles that a trip keeps from other trips, with their loads.
func vehiclesOf(t *trip) map[uuid.UUID]uuid.UUID {
	all := map[uuid.UUID]uuid.UUID{}
	if t == nil || t.over() || t.DeletedAt != nil {
		return all
	}
	for _, c := range t.Cargo.V {
		all[c.Vehicle] = c.Load
	}

	return all
}

// measure counts the vehicles of the legs, and measures the way over them.
func (d *desk) measure(ctx context.Context, t *trip) error {
	stops := make([]routeengineapi.Stop, 0, len(t.Legs.V)+1)
	if t.From != "" {
		stops = append(stops, routeengineapi.Stop{ZIP: t.From})
	}
	t.Legs.V = slices.Clone(t.Legs.V)
	for i := range t.Legs.V {
		l := &t.Legs.V[i]
		l.Miles, l.Vehicles = nil, 0
		for _, c := range t.Cargo.V {
			if c.Load == l.Load && (c.Pickup == l.Stop || c.Delivery == l.Stop) {
				l.Vehicles++
			}
		}
		stops = append(stops, l.at())
	}
	t.Deadhead, t.Loaded = nil, nil
	if len(stops) < 2 { //nolint:mnd // a way has two ends
		return nil
	}
	way, err := d.routes.Route(ctx, stops...)
	if errs.IsRefusal(err) {
		return nil // a place is not known, or no road leads there
	}
	if err != nil {
		return err
	}
	var loaded, empty float64
	for i, one := range way.Legs {
		at := i + 1 - (len(stops) - len(t.Legs.V)) // the leg that this way leads to
		if at < 0 {
			continue
		}
		miles := int64(math.Round(one.Miles))
		if t.Legs.V[at].Miles = &miles; len(aboard(t.Legs.V[:at], t.Cargo.V)) > 0 {
			loaded += one.Miles
		} else {
			empty += one.Miles
		}
	}
	full, bare := int64(math.Round(loaded)), int64(math.Round(empty))
	t.Loaded, t.Deadhead = &full, &bare

	return nil
}

// at is the place of a leg as the route engine takes it.
func (l leg) at() routeengineapi.Stop {
	if l.PostalCode != "" {
		return routeengineapi.Stop{ZIP: l.PostalCode}
	}
	city, state, _ := strings.Cut(l.Place, ", ")

	return routeengineapi.Stop{City: city, State: state}
}

// looked is what a trip needs of a load: what its carrier sees.
type looked loadsapi.CarrierView

func (d *desk) look(ctx context.Context, load uuid.UUID) (looked, error) {
	seen, err := d.views.Carrier(ctx, load.String())

	return looked(seen.Load), err
}

// ended reports whether nobody carries the load any more.
func (l looked) ended() bool {
	return l.State == loadsapi.Cancelled || l.State == loadsapi.Lost || l.State == loadsapi.Archived
}

// cargo are the vehicles of a load as they are on a trip.
func (l looked) cargo(load uuid.UUID) (all []cargo) {
	for _, v := range l.Vehicles {
		c := cargo{
			Vehicle: item.ID(v.UUID), Load: load, Pickup: item.ID(v.Pickup), Delivery: item.ID(v.Delivery), Name: v.Name(), Type: v.Type,
			WeightLb: cmp.Or(v.WeightLb, bulkOf(v.Type).pounds), Operable: (v.Operable == nil || *v.Operable) && len(v.Conditions) == 0, Enclosed: l.Transport == "enclosed", Pay: money.Amount(v.CarrierPay),
		}
		if n := len(l.Stops); n > 1 { // by default the first stop and the last
			c.Pickup, c.Delivery = cmp.Or(c.Pickup, item.ID(l.Stops[0].UUID)), cmp.Or(c.Delivery, item.ID(l.Stops[n-1].UUID))
		}
		all = append(all, c)
	}

	return all
}

// renew has a trip have some vehicles of a load as they are now, and none that the load has not. Stops that are new come last.
func (t *trip) renew(load uuid.UUID, l looked, wanted func(vehicle uuid.UUID) bool) {
	t.Cargo.V = slices.DeleteFunc(slices.Clone(t.Cargo.V), func(c cargo) bool { return c.Load == load })
	used := map[uuid.UUID]bool{}
	for _, c := range l.cargo(load) {
		if wanted(c.Vehicle) {
			t.Cargo.V = append(t.Cargo.V, c)
			used[c.Pickup], used[c.Delivery] = true, true
		}
	}
	legs := slices.DeleteFunc(slices.Clone(t.Legs.V), func(g leg) bool { return g.Load == load && !used[g.Stop] && g.ArrivedAt == nil && g.DepartedAt == nil })
	for _, s := range l.Stops {
		stop := item.ID(s.UUID)
		if !used[stop] {
			continue
		}
		place := strings.Trim(s.Venue.City+", "+s.Venue.State, ", ")
		i := slices.IndexFunc(legs, func(g leg) bool { return g.Load == load && g.Stop == stop })
		if i < 0 {
			legs, i = append(legs, leg{UUID: database.NewID(), Load: load, Stop: stop}), len(legs)
		}
		legs[i].Kind, legs[i].Place, legs[i].PostalCode = delivery, place, s.Venue.PostalCode
		legs[i].Due = ""
		if s.Window != nil {
			legs[i].Due, _, _ = strings.Cut(s.Window.To, "T")
		}
		if slices.ContainsFunc(t.Cargo.V, func(c cargo) bool { return c.Load == load && c.Pickup == stop }) {
			legs[i].Kind = pickup
		}
	}
	t.Legs.V = legs
}

// loads are those of a trip, in an order in which all hold them.
func (t trip) loads() []uuid.UUID {
	all := map[uuid.UUID]bool{}
	for _, c := range t.Cargo.V {
		all[c.Load] = true
	}

	return slices.SortedFunc(maps.Keys(all), func(a, b uuid.UUID) int { return cmp.Compare(a.String(), b.String()) })
}

// take puts vehicles of a load on a trip, all that are on no other if none are named. A trip that is under way has the load at once.
func (d *desk) take(ctx context.Context, id uuid.UUID, match web.IfMatch, load uuid.UUID, vehicles []uuid.UUID) (row trip, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := d.trips.Find(ctx, id); err != nil {
			return err
		}
		of, err := d.standings.Held(ctx, load.String())
		if errors.Is(err, loadsapi.ErrNotFound) {
			return errInvalid.WithField("load_uuid", "There is no such load.")
		}
		if err != nil {
			return err
		}
		l, err := d.look(ctx, load)
		if err != nil {
			return err
		}
		if l.ended() || of.State == loadsapi.Delivered || of.State == loadsapi.Completed {
			return errNotReady.WithDetail("load_uuid", load).WithDetail("state", of.State)
		}
		if !of.Carried {
			return errNotCarried
		}
		there, err := d.rows.of(ctx, load)
		if err != nil {
			return err
		}
		row, err = d.trips.Change(ctx, id, match, verbLoad, func(_ context.Context, t *trip) error {
			if t.over() {
				return errEnded
			}
			known := l.cargo(load)
			for _, v := range vehicles {
				if !slices.ContainsFunc(known, func(c cargo) bool { return c.Vehicle == v }) {
					return errInvalid.WithField("vehicle_uuids", "The load has no vehicle "+v.String()+".")
				}
			}
			now := vehiclesOf(t)
			t.renew(load, l, func(v uuid.UUID) bool {
				if _, here := now[v]; here {
					return true
				}

				return slices.Contains(vehicles, v) || len(vehicles) == 0 && there[v] == uuid.Nil
			})
			if len(t.Cargo.V) == len(now) {
				return taken(id, there, known, vehicles)
			}
			if len(t.Legs.V) > mostLegs {
				return errInvalid.WithField("load_uuid", "A trip has at most 60 stops.")
			}

			return nil
		})
		if err != nil || !row.underWay() {
			return err
		}

		return d.carry(ctx, row, load)
	})

	return row, err
}

// taken is why none of the wanted vehicles of a load can be put on a trip: those of all trips are there.
func taken(id uuid.UUID, there map[uuid.UUID]uuid.UUID, known []cargo, wanted []uuid.UUID) error {
	for _, c := range known {
		if at := there[c.Vehicle]; at != id && (len(wanted) == 0 || slices.Contains(wanted, c.Vehicle)) {
			return errTaken
		}
	}

	return errTaken.WithMessage("The vehicles are on this trip already.")
}

// carry has a load, which is held, be carried by the company.
func (d *desk) carry(ctx context.Context, t trip, load uuid.UUID) error {
	of, err := d.standings.Standing(ctx, load.String())
	if err != nil {
		return err
	}
	switch of.State {
	case loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed:
		return nil
	case loadsapi.Ready:
	default:
		return errNotReady.WithDetail("load_uuid", load).WithDetail("state", of.State)
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return err
	}
	to := loadsapi.Cover{Note: "It is on the trip " + t.Number + ".", Party: carrierParty}
	if terms.Now.Carrier != nil {
		known, err := d.knowsCarrier(ctx, *terms.Now.Carrier)
		if err != nil {
			return err
		}
		if !known { // any more
			return errNoCarrier
		}
		to.Carrier = terms.Now.Carrier.String()
	}

	return d.coverage.Cover(ctx, load.String(), to)
}

// knowsCarrier reports whether the company has a carrier.
func (d *desk) knowsCarrier(ctx context.Context, id uuid.UUID) (bool, error) {
	missing, err := d.items.Exists(ctx, item.Ref{Type: "carriers.carrier", UUID: id})
	if errors.Is(err, item.ErrUnknownType) {
		return false, nil
	}

	return len(missing) == 0, err
}

// checkSettings refuses what the limits of the fields let pass.
func (d *desk) checkSettings(ctx context.Context, p preferences) error {
	if p.Carrier == nil {
		return nil
	}
	known, err := d.knowsCarrier(ctx, *p.Carrier)
	if err != nil || known {
		return err
	}

	return errSettings.WithField("own_carrier_uuid", "The own carrier uuid is no carrier of the company.")
}

// carrierParty is who the company is, of a load that it carries itself.
const carrierParty = "carrier"

// leave takes a load off a trip.
func (d *desk) leave(ctx context.Context, id uuid.UUID, match web.IfMatch, load uuid.UUID) (trip, error) {
	return d.trips.Change(ctx, id, match, verbLoad, func(_ context.Context, t *trip) error {
		switch {
		case t.over():
			return errEnded
		case t.underWay():
			return errUnderWay
		case !slices.Contains(t.loads(), load):
			return errNoLoad
		}
		t.renew(load, looked{}, nil)

		return nil
	})
}

// holding returns a trip, and holds its loads first, as those do who follow loads.
func (d *desk) holding(ctx context.Context, id uuid.UUID) (t trip, err error) {
	if t, err = d.trips.Find(ctx, id); err != nil {
		return t, err
	}
	for _, load := range t.loads() {
		if _, err := d.standings.Held(ctx, load.String()); err != nil {
			return t, err
		}
	}
	held := t.loads()
	if err = d.trips.Hold(ctx, id); err != nil {
		return t, err
	}
	if t, err = d.trips.Find(ctx, id); err == nil && !slices.Equal(held, t.loads()) {
		err = state.ErrMoved
	}

	return t, err
}

// problem is why somebody or something may not drive.
type problem struct {
	What    string `json:"what"`
	Message string `json:"message"`
}

// dispatch has a trip be driven: its loads are carried from now on.
func (d *desk) dispatch(ctx context.Context, id uuid.UUID, match web.IfMatch, acknowledged bool) (row trip, err error) {
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		t, err := d.holding(ctx, id)
		if err != nil || t.State == dispatched {
			row = t

			return err
		}
		if t.State == planned && t.Driver == nil {
			return errIncomplete.WithDetail("missing", []string{"driver_uuid"})
		}
		if t.State == planned {
			if err := d.fit(ctx, t, acknowledged, terms.Now.RefuseOver); err != nil {
				return err
			}
		}
		row, err = d.trips.Change(ctx, id, match, verbDispatch, func(ctx context.Context, t *trip) error {
			return d.trips.Step(ctx, t, state.Move{Verb: string(verbDispatch)})
		})
		for _, load := range row.loads() {
			if err == nil {
				err = d.carry(ctx, row, load)
			}
		}

		return err
	})

	return row, err
}

// fit refuses a trip with a driver or a truck that may not drive, and one that the truck does not hold, or whose truck or driver is on another trip,
// unless that is acknowledged; strict has what the truck does not hold be refused all the same.
func (d *desk) fit(ctx context.Context, t trip, acknowledged, strict bool) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	problems, expiring, err := d.papers(ctx, t)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return errUnfit.WithDetail("problems", problems)
	}
	if len(expiring) > 0 && !acknowledged {
		return errExpiring.WithDetail("warnings", expiring)
	}
	found, err := d.warnings(ctx, t)
	if err != nil {
		return err
	}
	if len(found) > 0 && (!acknowledged || strict) {
		return errOver.WithDetail("warnings", found)
	}
	found, err = d.busy(ctx, t)
	if err != nil || len(found) == 0 || acknowledged {
		return err
	}

	return errBusy.WithDetail("warnings", found)
}

// papers returns what keeps the truck and the drivers of a trip from driving now, and the documents that expire before its end.
func (d *desk) papers(ctx context.Context, t trip) (problems []problem, expiring []warning, err error) {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	today, err := d.trips.Today(ctx)
	if err != nil {
		return nil, nil, err
	}
	end := t.lastDay(today)
	for _, one := range []struct {
		typ, name, fit string
		id             *uuid.UUID
		documents      []string
	}{
		{trucksapi.Item, "truck", "available assigned", t.Truck, []string{"registration", "insurance", "inspection"}},
		{driversapi.Item, "driver", "active", t.Driver, []string{"license", "medical"}},
		{driversapi.Item, "co-driver", "active", t.CoDriver, []string{"license", "medical"}},
	} {
		if one.id == nil {
			continue
		}
		values, err := d.values(ctx, item.Ref{Type: one.typ, UUID: *one.id})
		if err != nil {
			return nil, nil, err
		}
		if status := values["status"]; !slices.Contains(strings.Fields(one.fit), status) {
			problems = append(problems, problem{one.name, "The " + one.name + " is " + strings.ReplaceAll(status, "_", " ") + "."})
		}
		for _, document := range one.documents {
			switch until := values[document+"_expires"]; {
			case until == "" || field.Date(until) >= end:
			case field.Date(until) < today:
				problems = append(problems, problem{one.name, "The " + document + " of the " + one.name + " expired on " + until + "."})
			default:
				expiring = append(expiring, warning{Code: "document_expires", Message: fmt.Sprintf(
					"The %s of the %s expires on %s, before the end of the trip (%s).", document, one.name, until, end)})
			}
		}
	}

	return problems, expiring, nil
}

// dayMiles is how far a truck comes in a day: 11 hours of driving (49 CFR 395.3) with loading and rests.
const dayMiles = 550

// lastDay is the day on which a trip is expected to end: that of its latest ETA or window, or by its miles from today on.
func (t trip) lastDay(today field.Date) field.Date {
	var miles int64
	last := today
	for _, l := range t.Legs.V {
		if l.DepartedAt != nil {
			continue
		}
		if l.Miles != nil {
			miles += *l.Miles
		}
		last = max(last, field.Date(l.Due))
		if l.ETA != nil {
			last = max(last, field.Date(l.ETA.Format(time.DateOnly)))
		}
	}
	if from, err := time.Parse(time.DateOnly, string(today)); err == nil {
		last = max(last, field.Date(from.AddDate(0, 0, int(miles/dayMiles)).Format(time.DateOnly)))
	}

	return last
}

// backwards warns of odometers that show less than at a stop before, by the time of the visits.
func (t trip) backwards() (found []warning) {
	legs := slices.DeleteFunc(slices.Clone(t.Legs.V), func(l leg) bool { return l.Odometer == 0 || l.ArrivedAt == nil && l.DepartedAt == nil })
	slices.SortStableFunc(legs, func(a, b leg) int {
		return cmp.Or(a.ArrivedAt, a.DepartedAt).Compare(*cmp.Or(b.ArrivedAt, b.DepartedAt))
	})
	for i := 1; i < len(legs); i++ {
		if before, l := legs[i-1], legs[i]; l.Odometer < before.Odometer {
			found = append(found, warning{"odometer_back", l.UUID, fmt.Sprintf(
				"The odometer shows %d mi in %s, less than the %d mi in %s before. Check the reading.", l.Odometer, l.Place, before.Odometer, before.Place)})
		}
	}

	return found
}

// values are those of an item that are texts.
func (d *desk) values(ctx context.Context, ref item.Ref) (map[string]string, error) {
	found, err := d.items.Values(ctx, []item.Ref{ref})
	texts := map[string]string{}
	if err != nil {
		return texts, err
	}
	for key, raw := range found[0] {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			texts[key] = text
		}
	}

	return texts, nil
}

// warnings are what the truck of a trip may not hold.
func (d *desk) warnings(ctx context.Context, t trip) ([]warning, error) {
	h, err := d.hauler(ctx, t)
	if err != nil || h == nil {
		return nil, err
	}

	return warns(*h, t.Legs.V, t.Cargo.V), nil
}

// busy warns of other trips that have the truck or a driver of a trip now.
func (d *desk) busy(ctx context.Context, t trip) ([]warning, error) {
	others, err := d.rows.withSame(ctx, t)
	var found []warning
	for _, o := range others {
		if t.Truck != nil && o.Truck != nil && *t.Truck == *o.Truck {
			found = append(found, warning{Code: "truck_busy", Message: "The truck is on the trip " + o.Number + "."})
		}
		if slices.ContainsFunc(o.crew(), func(id uuid.UUID) bool { return slices.Contains(t.crew(), id) }) {
			found = append(found, warning{Code: "driver_busy", Message: "A driver is on the trip " + o.Number + "."})
		}
	}

	return found, err
}

// told are all warnings of a trip.
func (d *desk) told(ctx context.Context, t trip) ([]warning, error) {
	found, err := d.warnings(ctx, t)
	found = append(found, t.backwards()...)
	if err != nil || t.over() {
		return found, err
	}
	_, expiring, err := d.papers(ctx, t)
	if err != nil {
		return found, err
	}
	busy, err := d.busy(ctx, t)

	return slices.Concat(found, expiring, busy), err
}

// crew are the drivers of a trip.
func (t trip) crew() (all []uuid.UUID) {
	for _, id := range []*uuid.UUID{t.Driver, t.CoDriver} {
		if id != nil {
			all = append(all, *id)
		}
	}

	return all
}

// hauler is what the truck of a trip holds, nil without a truck.
func (d *desk) hauler(ctx context.Context, t trip) (*hauler, error) {
	if t.Truck == nil {
		return nil, nil //nolint:nilnil // none is no failure
	}
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	found, err := d.items.Values(ctx, []item.Ref{{Type: trucksapi.Item, UUID: *t.Truck}}, "slots", "max_payload_lb", "winch", "enclosed")
	if err != nil || found[0] == nil {
		return nil, err
	}
	text, err := json.Marshal(found[0])
	if err != nil {
		return nil, err
	}
	h := &hauler{}

	return h, json.Unmarshal(text, h)
}
