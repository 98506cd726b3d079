// Package saving decides on changes of loads before they are stored: it brings them into their normal form, refuses what cannot be, and takes the steps that
// follow.
package saving

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/agreement"
	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/identify"
	"github.com/dispatchd/dispatchd/modules/loads/internal/lookup"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/internal/vins"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Decider decides on changes of loads.
type Decider struct {
	terms    *terms.Reader
	preparer *Preparer
	finisher *Finisher
	closer   *Closer
	clock    clock.Clock
}

// New returns a Decider.
func New(t *terms.Reader, p *Preparer, f *Finisher, c *Closer, clk clock.Clock) *Decider {
	return &Decider{t, p, f, c, clk}
}

// batch is loads that are stored together, and what was read for all of them.
type batch struct {
	now     time.Time
	decoded identify.Decoded
	ways    map[string]way
	reader  *terms.Reader
	read    *terms.Terms
	told    []events.Event
	signed  []signing.Row
}

// Decide brings loads into their normal form, and refuses those that cannot be stored.
func (s *Decider) Decide(ctx context.Context, all []*resource.Change[store.Load]) error {
	b := &batch{ways: map[string]way{}, reader: s.terms, now: s.clock.Now()}
	if err := s.preparer.prepareAll(ctx, b, all); err != nil {
		return err
	}
	for _, c := range all {
		if c.Verb == resource.Delete {
			continue
		}
		if err := s.finisher.finish(ctx, b, c); err != nil {
			if !errs.IsRefusal(err) {
				return err
			}
			c.Refuse(store.Concealed(ctx, err))
		}
	}

	return s.closer.close(ctx, b, all)
}

// terms returns the settings of the company, read once for a batch.
func (b *batch) terms(ctx context.Context) (terms.Terms, error) {
	if b.read != nil {
		return *b.read, nil
	}
	now, err := b.reader.Now(ctx)
	b.read = &now

	return now, err
}

// Closer keeps what belongs to loads beside their rows, and publishes what became of them.
type Closer struct {
	desk   *assigning.Desk
	vins   *vins.Index
	signed *signing.Repository
	bus    *events.Bus
}

// NewCloser returns a Closer.
func NewCloser(d *assigning.Desk, v *vins.Index, signed *signing.Repository, bus *events.Bus) *Closer {
	return &Closer{d, v, signed, bus}
}

func (s *Closer) close(ctx context.Context, b *batch, all []*resource.Change[store.Load]) error {
	if err := s.assign(ctx, all); err != nil {
		return err
	}
	for _, c := range all {
		c.After.NoteWork(ctx, c, b.now)
	}
	if err := s.vins.Follow(ctx, b.terms, all); err != nil {
		return err
	}
	if err := s.signed.Add(ctx, b.signed); err != nil {
		return err
	}

	return s.bus.Publish(ctx, b.told...)
}

// assign gives new loads that nobody was assigned to whom the rules say.
func (s *Closer) assign(ctx context.Context, all []*resource.Change[store.Load]) error {
	var open []*store.Load
	var seen []assigning.Load
	for _, c := range all {
		if made := c.Verb == resource.Create && c.After.State != loadsapi.Draft; (made || c.Verb == store.VerbAccept) && c.After.Assigned == nil {
			open, seen = append(open, c.After), append(seen, lookup.ToAssign(*c.After))
		}
	}
	to, err := s.desk.Assign(ctx, seen)
	for i := range to {
		open[i].Assigned = to[i]
	}

	return err
}

// Preparer brings loads into their normal form.
type Preparer struct {
	surveyor   *Surveyor
	identifier *identify.Identifier
	agreements *agreement.Agreements
	items      *item.Registry
}

// NewPreparer returns a Preparer.
func NewPreparer(s *Surveyor, i *identify.Identifier, a *agreement.Agreements, items *item.Registry) *Preparer {
	return &Preparer{s, i, a, items}
}

func (s *Preparer) prepareAll(ctx context.Context, b *batch, all []*resource.Change[store.Load]) error {
	for _, c := range all {
		c.Refuse(store.CheckMargins(ctx, c))
		c.Refuse(store.Concealed(ctx, s.prepare(ctx, b, c)))
	}
	var err error
	if b.decoded, err = s.identifier.DecodeVINs(ctx, all); err != nil {
		return err
	}

	return s.checkNames(ctx, all)
}

// prepare names the parts of a load, keeps what only the service writes of them, and checks what can be seen of the load alone.
func (s *Preparer) prepare(ctx context.Context, b *batch, c *resource.Change[store.Load]) error {
	l := c.After
	if c.Verb == resource.Delete {
		if !slices.Contains([]loadsapi.State{loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Lost}, l.State) {
			return store.ErrNotDeletable
		}

		return nil
	}
	l.Warnings = nil
	wrong := store.NameParts(l, store.ErrInvalid)
	before := c.Before
	if before == nil {
		before = &store.Load{}
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
	wrong = s.surveyor.check(ctx, before.Stops.V, l.Stops.V, l.Warn, wrong)
	l.WarnOfAvailability()
	l.WarnOfPromise()
	if c.Verb == resource.Create || c.Verb == resource.Update {
		wrong = route.CheckOrder(l.Stops.V, wrong)
	}
	wrong = l.CheckVehicles(wrong)
	wrong, err := s.applyTerms(ctx, b, c, wrong)
	if err != nil {
		return err
	}
	if err := s.agreements.ChoosePlan(ctx, b.terms, c); err != nil {
		return err
	}
	wrong = l.CheckMoney(c.Before, wrong)
	if len(wrong.Fields) > 0 {
		return wrong
	}
	if err := s.agreements.FollowAgreed(ctx, c.Before, l); err != nil {
		return err
	}
	if err := l.FollowTotals(c.Before); err != nil {
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

// Finisher completes loads, and has them go on.
type Finisher struct {
	identifier *identify.Identifier
	surveyor   *Surveyor
	creditor   *Creditor
	places     *Places
	steps      *Steps
}

// NewFinisher returns a Finisher.
func NewFinisher(i *identify.Identifier, s *Surveyor, c *Creditor, p *Places, st *Steps) *Finisher {
	return &Finisher{i, s, c, p, st}
}

// finish completes a load by what was read for all, and takes the steps that follow from it.
func (s *Finisher) finish(ctx context.Context, b *batch, c *resource.Change[store.Load]) error {
	l, now := c.After, b.now
	was := loadsapi.Lead
	if c.Before != nil {
		was = c.Before.State
	}
	var sizes map[vehiclesapi.Type]string
	if slices.ContainsFunc(l.Vehicles.V, func(v store.Vehicle) bool { return v.Size == "" }) {
		kept, err := b.terms(ctx)
		if err != nil {
			return err
		}
		sizes = kept.SizesByType()
	}
	if err := s.identifier.FillIn(ctx, b.decoded, l, sizes); err != nil {
		return err
	}
	if err := s.surveyor.measure(ctx, b.ways, c); err != nil {
		return err
	}
	l.Derive()
	l.WarnOfTerms()
	if err := store.CheckKept(c); err != nil {
		return err
	}
	if err := s.places.saveVenues(ctx, l); err != nil {
		return err
	}
	if err := s.steps.followCustody(ctx, l, c.Verb, now); err != nil {
		return err
	}
	if err := s.steps.goBack(ctx, b, c); err != nil {
		return err
	}
	if err := s.steps.startBooked(ctx, b, c); err != nil {
		return err
	}
	was, err := s.steps.announce(ctx, b, c, was, now)
	if err != nil {
		return err
	}
	if err := s.steps.followSignature(ctx, b, c, now); err != nil {
		return err
	}
	if err := s.steps.checkReady(ctx, b, l, was); err != nil {
		return err
	}
	if err := s.creditor.askCredit(ctx, c); err != nil {
		return err
	}
	if l.State == loadsapi.Delivered && was != loadsapi.Delivered && c.Verb != store.VerbReopen && l.Settled() { // it was paid before, and is completed at once
		l.Stamp(was, now)
		b.told = append(b.told, l.Stepped(was))
		was = loadsapi.Delivered
	}
	if err := s.steps.goOn(ctx, b, c, was); err != nil {
		return err
	}
	if err := s.creditor.askCarrying(ctx, c); err != nil {
		return err
	}
	if err := s.places.warnOfRelease(ctx, c); err != nil {
		return err
	}
	l.Stamp(was, now)
	l.KeepAxes(now)
	b.tell(c, was)

	return nil
}

// tell keeps the events of what became of a load and its vehicles.
func (b *batch) tell(c *resource.Change[store.Load], was loadsapi.State) {
	l := c.After
	if l.State != was {
		if e := l.Stepped(was); e != nil {
			b.told = append(b.told, e)
		}
	}
	if l.Late != store.NotLate && (c.Before == nil || c.Before.Late != l.Late) {
		b.told = append(b.told, loadsapi.LateEvent{About: l.About(), What: l.Late})
	}
	if c.Before == nil {
		return
	}
	if (c.Verb == store.VerbSplit || c.Verb == store.VerbMerge) && l.State == was {
		b.told = append(b.told, loadsapi.Updated{About: l.About()})
	}
	before := map[uuid.UUID]store.Custody{}
	for _, v := range c.Before.Vehicles.V {
		before[v.UUID] = v.Custody
	}
	for _, v := range l.Vehicles.V {
		about := loadsapi.AboutVehicle{Load: l.ID.String(), Vehicle: v.UUID.String()}
		if old, known := before[v.UUID]; !known || old == v.Custody {
			continue
		}
		switch v.Custody {
		case store.OnBoard:
			b.told = append(b.told, loadsapi.VehiclePickedUp{AboutVehicle: about})
		case store.Dropped:
			b.told = append(b.told, loadsapi.VehicleDelivered{AboutVehicle: about})
		case store.Removed:
			b.told = append(b.told, loadsapi.VehicleRemoved{AboutVehicle: about})
		case store.Waiting:
		}
	}
}

// checkNames refuses items that loads did not name before and that the company does not have, of all loads at once.
func (s *Preparer) checkNames(ctx context.Context, all []*resource.Change[store.Load]) error {
	var refs []item.Ref
	fresh := make([][]store.Reference, len(all))
	for i, c := range all {
		before := store.ReferencesOf(c.Before)
		fresh[i] = slices.DeleteFunc(store.ReferencesOf(c.After), func(n store.Reference) bool {
			return slices.ContainsFunc(before, func(b store.Reference) bool { return b.Ref == n.Ref })
		})
		for _, n := range fresh[i] {
			refs = append(refs, n.Ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	titles, err := s.items.Titles(ctx, refs)
	if err != nil {
		return err
	}
	for i, c := range all {
		for _, n := range fresh[i] {
			if !titles[0].Exists {
				c.Refuse(store.ErrInvalid.WithField(n.At, n.Problem))
			}
			titles = titles[1:]
		}
	}

	return nil
}

// applyTerms gives a new load what the settings have by default, and holds its goods against them.
func (s *Preparer) applyTerms(ctx context.Context, b *batch, c *resource.Change[store.Load], wrong *errs.Error) (*errs.Error, error) {
	l := c.After
	if c.Verb != resource.Create && l.Transport != "" && l.Inspection != "" && !slices.ContainsFunc(l.Commodities.V, store.Commodity.Unusual) {
		return wrong, nil
	}
	now, err := b.terms(ctx)
	if err != nil {
		return wrong, err
	}
	var before []store.Commodity
	if c.Before != nil {
		before = c.Before.Commodities.V
	}
	l.Transport, l.Inspection = cmp.Or(l.Transport, now.Transport), cmp.Or(l.Inspection, now.Inspection)
	if most := now.HouseholdLb * cargo.Open(l.Vehicles.V); cargo.HouseholdLb(l.Commodities.V) > most {
		l.Warn("loads.household_heavy", "commodities", "There are more than "+strconv.FormatInt(most, 10)+" lb of personal effects in the vehicles.")
	}
	if now.Hazmat {
		return wrong, nil
	}

	return cargo.CheckHazmat(l.Commodities.V, before, wrong), nil
}
