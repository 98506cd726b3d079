package loads

import (
	"context"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// What is done to a load, beside what is done to every resource.
const (
	verbAccept   resource.Verb = "accept_draft"
	verbQuote    resource.Verb = "quote"
	verbBook     resource.Verb = "book"
	verbClear    resource.Verb = "clear"
	verbCover    resource.Verb = "cover"
	verbUncover  resource.Verb = "uncover"
	verbPickUp   resource.Verb = "pick_up"
	verbDeliver  resource.Verb = "deliver"
	verbComplete resource.Verb = "complete"
	verbReopen   resource.Verb = "reopen"
	verbLose     resource.Verb = "lose"
	verbCancel   resource.Verb = "cancel"
	verbHold     resource.Verb = "hold"
	verbRelease  resource.Verb = "release"
	verbReassign resource.Verb = "reassign"
	verbCustody  resource.Verb = "move_vehicle"
	verbSplit    resource.Verb = "split"
	verbMerge    resource.Verb = "merge"
	verbVisit    resource.Verb = "visit_stop"
	verbSign     resource.Verb = "sign"
	verbOffer    resource.Verb = "offer"
	verbLate     resource.Verb = "be_late"
	verbAsk      resource.Verb = "ask_signature"
	verbPay      resource.Verb = "pay"
	verbHandOver resource.Verb = "hand_over"
	verbPutBack  resource.Verb = "put_back"
)

// overrideScope is who may do what the rules forbid.
const overrideScope = "override"

var (
	errOnHold       = errs.New(errs.Conflict, "loads.on_hold", "The load is on hold. Release it first.")
	errNotBookable  = errs.New(errs.Conflict, "loads.not_bookable", "The load cannot be booked yet. See details.missing.")
	errNoPrice      = errs.New(errs.Conflict, "loads.no_price", "The load has no price yet. Give its vehicles a tariff.")
	errDraft        = errs.New(errs.Conflict, "loads.draft_incomplete", "The draft cannot be accepted yet. See details.missing.")
	errNotReady     = errs.New(errs.Conflict, "loads.not_ready", "The load is not ready yet. See details.missing.")
	errNotDeletable = errs.New(errs.Conflict, "loads.not_deletable", "A load that was booked cannot be deleted. Cancel it instead.")
	errNoNote       = errs.New(errs.Invalid, "loads.note_required", "The given data was invalid.").WithField("note", "The note is required once a vehicle was picked up.")
	errPay          = errs.New(errs.Conflict, "loads.pay_differs", "The load pays its carrier another amount than the one that you name. See details.carrier_pay.")
	errNoCarrier    = errs.New(errs.Invalid, "loads.carrier_required", "The given data was invalid.").WithField("carrier_uuid", "`carrier_uuid` is required.")
)

// lifecycle is the life of loads. Posting, offers, signatures and billing are no states: several of them live at the same time.
var lifecycle = state.Machine[loadsapi.State]{
	Item: loadsapi.Load, Initial: loadsapi.Lead, Starts: of(loadsapi.Draft), Final: of(loadsapi.Archived),
	Steps: []state.Step[loadsapi.State]{
		{From: of(loadsapi.Draft), Verb: string(verbAccept), To: loadsapi.Lead, Guard: state.NewGuard("it has a customer and both ends", acceptable)},
		{From: of(loadsapi.Lead, loadsapi.Quoted), Verb: string(verbQuote), To: loadsapi.Quoted, Guard: state.NewGuard("it has a price", quotable)},
		{From: of(loadsapi.Lead, loadsapi.Quoted), Verb: string(verbBook), To: loadsapi.Booked, Guard: state.NewGuard("it has a customer, stops, vehicles, a day and a price", bookable)},
		{From: of(loadsapi.Booked), Verb: string(verbClear), To: loadsapi.Ready, Guard: state.NewGuard("it is not held", notHeld)},
		{From: of(loadsapi.Ready), Verb: string(verbCover), To: loadsapi.Dispatched, Guard: state.NewGuard("it is not held", notHeld)},
		{From: of(loadsapi.Dispatched), Verb: string(verbUncover), To: loadsapi.Ready, Guard: state.NewGuard("no vehicle was picked up", unloaded)},
		{From: of(loadsapi.Dispatched), Verb: string(verbPickUp), To: loadsapi.PickedUp},
		{From: of(loadsapi.PickedUp), Verb: string(verbHandOver), To: loadsapi.Ready, Automatic: true},
		{From: of(loadsapi.PickedUp), Verb: string(verbPutBack), To: loadsapi.Dispatched, Automatic: true},
		{From: of(loadsapi.PickedUp), Verb: string(verbDeliver), To: loadsapi.Delivered, Guard: state.NewGuard("no vehicle waits", allLoaded)},
		{From: of(loadsapi.Delivered), Verb: string(verbComplete), To: loadsapi.Completed},
		{From: of(loadsapi.Completed), Verb: string(verbReopen), To: loadsapi.Delivered, Who: state.Who{Scope: overrideScope}, Reasoned: true},
		{From: of(loadsapi.Delivered), Verb: string(verbReopen), To: loadsapi.PickedUp, Who: state.Who{Scope: overrideScope}, Reasoned: true},
		{From: of(loadsapi.Lost), Verb: string(verbReopen), To: loadsapi.Lead, Who: state.Who{Scope: overrideScope}, Reasoned: true},
		{From: of(loadsapi.Cancelled), Verb: string(verbReopen), To: loadsapi.Booked, Who: state.Who{Scope: overrideScope}, Reasoned: true},
		{From: of(loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted), Verb: string(verbLose), To: loadsapi.Lost},
		{From: of(loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched), Verb: string(verbCancel), To: loadsapi.Cancelled},
		{From: of(loadsapi.PickedUp), Verb: string(verbCancel), To: loadsapi.Cancelled, Who: state.Who{Scope: overrideScope}, Reasoned: true},
		{From: of(loadsapi.Completed, loadsapi.Lost, loadsapi.Cancelled), Verb: "archive", To: loadsapi.Archived},
	},
	Order: [][]loadsapi.State{
		of(loadsapi.Draft), of(loadsapi.Lead), of(loadsapi.Quoted), of(loadsapi.Booked), of(loadsapi.Ready), of(loadsapi.Dispatched), of(loadsapi.PickedUp), of(loadsapi.Delivered), of(loadsapi.Completed),
	},
}

func of(states ...loadsapi.State) []loadsapi.State { return states }

// openStates are those of loads that are not over.
var openStates = []loadsapi.State{loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched, loadsapi.PickedUp}

func notHeld(_ context.Context, l load) error {
	if l.HeldAt != nil {
		return errOnHold
	}

	return nil
}

// acceptable reports what a draft lacks to be a lead.
func acceptable(_ context.Context, l load) error {
	var missing []string
	if l.Customer == nil {
		missing = append(missing, "customer")
	}
	if len(l.Stops.V) < 2 { //nolint:mnd // where it begins and where it ends
		missing = append(missing, "stops")
	}
	if len(missing) == 0 {
		return nil
	}

	return errDraft.WithDetail("missing", missing)
}

// quotable refuses a load that is held, and one without a price.
func quotable(ctx context.Context, l load) error {
	if err := notHeld(ctx, l); err != nil {
		return err
	}
	if tariff, _ := l.units(l.Tariff); tariff <= 0 {
		return errNoPrice
	}

	return nil
}

func unloaded(_ context.Context, l load) error {
	if l.OnBoard > 0 { // what was delivered, another carrier had
		return cargo.ErrLoaded
	}

	return nil
}

func allLoaded(_ context.Context, l load) error {
	return cargo.AllPickedUp(l.Vehicles.V, nil)
}

// stamp keeps when a load took a step.
func (l *load) stamp(before loadsapi.State, now time.Time) {
	if l.State == before {
		return
	}
	when := &now
	switch l.State { //nolint:exhaustive // those that vehicles take
	case loadsapi.PickedUp:
		when = cargo.PickedUp(l.Vehicles.V, now)
	case loadsapi.Delivered:
		when = cargo.Delivered(l.Vehicles.V, now)
		if l.PickedUpAt == nil { // in one step with the delivery
			l.PickedUpAt = cargo.PickedUp(l.Vehicles.V, now)
		}
	}
	for to, at := range map[loadsapi.State]**time.Time{
		loadsapi.Quoted: &l.QuotedAt, loadsapi.Booked: &l.BookedAt, loadsapi.Ready: &l.ReadyAt, loadsapi.Dispatched: &l.DispatchedAt, loadsapi.PickedUp: &l.PickedUpAt,
		loadsapi.Delivered: &l.DeliveredAt, loadsapi.Completed: &l.CompletedAt, loadsapi.Lost: &l.EndedAt, loadsapi.Cancelled: &l.EndedAt,
	} {
		if l.State == to && *at == nil {
			*at = when
		}
	}
	if before == loadsapi.Lost || before == loadsapi.Cancelled {
		l.EndedAt, l.ReasonID, l.EndedBy, l.Carrier, l.DispatchedAt = nil, "", "", nil, nil
	}
	if l.State == loadsapi.Ready && (before == loadsapi.Dispatched || before == loadsapi.PickedUp) {
		l.Carrier, l.DispatchedAt = nil, nil
	}
}

// follow moves vehicles with their load, and the load with its vehicles.
func (l *load) follow(ctx context.Context, rows *resource.Resource[load], verb resource.Verb, now time.Time) error {
	for i := range l.Vehicles.V {
		v := &l.Vehicles.V[i]
		switch {
		case verb == verbPickUp && v.Custody == waiting:
			v.Custody, v.PickedUpAt = onBoard, &now
		case verb == verbDeliver && v.Custody == onBoard:
			v.Custody, v.DroppedAt = dropped, &now
		case verb == verbReopen && l.State == loadsapi.PickedUp && v.Custody == dropped:
			v.Custody, v.DroppedAt, l.DeliveredAt = onBoard, nil, nil
		case verb == verbReopen && l.State == loadsapi.Booked && v.Custody == onBoard: // its carrier has lost the load
			v.Custody, v.PickedUpAt = waiting, nil
			from, _ := l.ends(*v)
			l.warn("loads.vehicle_put_back", "vehicles."+strconv.Itoa(i),
				"The "+v.Name()+" was on board when the load was canceled. It waits at its pickup again, in "+l.placeName(from)+": if it is elsewhere, change its pickup stop.")
		}
	}
	if verb == verbReopen && l.State == loadsapi.Booked && cargo.PickedUpAt(l.Vehicles.V) == nil {
		l.PickedUpAt = nil
	}
	l.count()
	if verb == verbCustody && l.State == loadsapi.PickedUp && l.VehicleCount > 0 && l.Waiting == l.VehicleCount {
		l.PickedUpAt = nil

		return rows.Step(ctx, l, state.Move{Verb: string(verbPutBack), Reason: "No vehicle is on board."})
	}
	if l.State == loadsapi.Dispatched && l.OnBoard > 0 {
		if err := rows.Step(ctx, l, state.Move{Verb: string(verbPickUp), Reason: "A vehicle was picked up."}); err != nil {
			return err
		}
	}
	if l.State == loadsapi.PickedUp && l.VehicleCount > 0 && l.Dropped == l.VehicleCount {
		return rows.Step(ctx, l, state.Move{Verb: string(verbDeliver), Reason: "All vehicles were delivered."})
	}

	return nil
}

// goBack has a load that is reopened be as far as it was when it was lost or canceled: quoted, or ready for a carrier.
func (s *service) goBack(ctx context.Context, b *batch, c *resource.Change[load]) error {
	l, verb := c.After, verbQuote
	switch {
	case c.Verb != verbReopen:
		return nil
	case l.State == loadsapi.Lead && l.QuotedAt != nil:
	case l.State == loadsapi.Booked && l.ReadyAt != nil:
		verb = verbClear
		kept, err := s.terms(ctx, b)
		if err != nil || len(l.missing(kept.Required)) > 0 {
			return err
		}
	default:
		return nil
	}
	err := s.loads.Step(ctx, l, state.Move{Verb: string(verb), Reason: "It was before."})
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}

// count counts the vehicles by where they are.
func (l *load) count() {
	l.VehicleCount, l.InopCount, l.Waiting, l.OnBoard, l.Dropped = 0, 0, 0, 0, 0
	for _, v := range l.Vehicles.V {
		if !v.Open() {
			continue
		}
		l.VehicleCount++
		if !v.Runs() {
			l.InopCount++
		}
		switch v.Custody {
		case waiting:
			l.Waiting++
		case onBoard:
			l.OnBoard++
		case dropped:
			l.Dropped++
		case removed:
		}
	}
}

// step takes a step of the life of a load, for Change.
func (s *service) step(verb resource.Verb, reason string) func(ctx context.Context, l *load) error {
	return func(ctx context.Context, l *load) error {
		return s.loads.Step(ctx, l, state.Move{Verb: string(verb), Reason: reason})
	}
}
