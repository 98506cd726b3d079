package store

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// NotLate is for a load of which nothing should have been done by now.
const NotLate = "none"

// dueOf is until when what comes next is to be done, and what that is.
func dueOf(l *Load) (at *time.Time, what string) {
	if len(l.Stops.V) == 0 {
		return nil, ""
	}
	switch l.State {
	case loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched:
		return l.Stops.V[0].Ends(), Pickup
	case loadsapi.PickedUp:
		return l.Stops.V[len(l.Stops.V)-1].Ends(), Delivery
	case loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Delivered, loadsapi.Completed, loadsapi.Lost, loadsapi.Cancelled, loadsapi.Archived:
	}

	return nil, ""
}

// KeepAxes has what follows from the state of a load be so.
func (l *Load) KeepAxes(now time.Time) {
	what := ""
	l.Coverage, l.Late = offersOf(l), NotLate
	l.keepPayments(now)
	if l.DueAt, what = dueOf(l); l.DueAt != nil && l.DueAt.Before(now) {
		l.Late = what
	}
}

// offersOf are those of how the offers stand that a load can have in its state.
func offersOf(l *Load) loadsapi.Offers {
	switch l.State {
	case loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed, loadsapi.Archived:
		if l.Carrier != nil { // else the company carries it itself
			return loadsapi.OfferAccepted
		}
	case loadsapi.Ready:
		if l.Coverage != loadsapi.OfferAccepted {
			return cmp.Or(l.Coverage, loadsapi.NoOffers)
		}
	case loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Lost, loadsapi.Cancelled:
	}

	return loadsapi.NoOffers
}

// What is done to a load, beside what is done to every resource.
const (
	VerbAccept   resource.Verb = "accept_draft"
	VerbQuote    resource.Verb = "quote"
	VerbBook     resource.Verb = "book"
	VerbClear    resource.Verb = "clear"
	VerbCover    resource.Verb = "cover"
	VerbUncover  resource.Verb = "uncover"
	VerbPickUp   resource.Verb = "pick_up"
	VerbDeliver  resource.Verb = "deliver"
	VerbComplete resource.Verb = "complete"
	VerbReopen   resource.Verb = "reopen"
	VerbLose     resource.Verb = "lose"
	VerbCancel   resource.Verb = "cancel"
	VerbHold     resource.Verb = "hold"
	VerbRelease  resource.Verb = "release"
	VerbReassign resource.Verb = "reassign"
	VerbCustody  resource.Verb = "move_vehicle"
	VerbSplit    resource.Verb = "split"
	VerbMerge    resource.Verb = "merge"
	VerbVisit    resource.Verb = "visit_stop"
	VerbSign     resource.Verb = "sign"
	VerbOffer    resource.Verb = "offer"
	VerbLate     resource.Verb = "be_late"
	VerbAsk      resource.Verb = "ask_signature"
	VerbPay      resource.Verb = "pay"
	VerbHandOver resource.Verb = "hand_over"
	VerbPutBack  resource.Verb = "put_back"
)

// OverrideScope is who may do what the rules forbid.
const OverrideScope = "override"

// What the life of a load is refused for.
var (
	ErrOnHold       = errs.New(errs.Conflict, "loads.on_hold", "The load is on hold. Release it first.")
	ErrNotBookable  = errs.New(errs.Conflict, "loads.not_bookable", "The load cannot be booked yet. See details.missing.")
	errNoPrice      = errs.New(errs.Conflict, "loads.no_price", "The load has no price yet. Give its vehicles a tariff.")
	errDraft        = errs.New(errs.Conflict, "loads.draft_incomplete", "The draft cannot be accepted yet. See details.missing.")
	ErrNotReady     = errs.New(errs.Conflict, "loads.not_ready", "The load is not ready yet. See details.missing.")
	ErrNotDeletable = errs.New(errs.Conflict, "loads.not_deletable", "A load that was booked cannot be deleted. Cancel it instead.")
	ErrNoNote       = errs.New(errs.Invalid, "loads.note_required", "The given data was invalid.").WithField("note", "The note is required once a vehicle was picked up.")
	ErrPay          = errs.New(errs.Conflict, "loads.pay_differs", "The load pays its carrier another amount than the one that you name. See details.carrier_pay.")
	ErrNoCarrier    = errs.New(errs.Invalid, "loads.carrier_required", "The given data was invalid.").WithField("carrier_uuid", "`carrier_uuid` is required.")
)

// lifecycle is the life of loads. Posting, offers, signatures and billing are no states: several of them live at the same time.
var lifecycle = state.Machine[loadsapi.State]{
	Item: loadsapi.Load, Initial: loadsapi.Lead, Starts: States(loadsapi.Draft), Final: States(loadsapi.Archived),
	Steps: []state.Step[loadsapi.State]{
		{From: States(loadsapi.Draft), Verb: string(VerbAccept), To: loadsapi.Lead, Guard: state.NewGuard("it has a customer and both ends", acceptable)},
		{From: States(loadsapi.Lead, loadsapi.Quoted), Verb: string(VerbQuote), To: loadsapi.Quoted, Guard: state.NewGuard("it has a price", quotable)},
		{From: States(loadsapi.Lead, loadsapi.Quoted), Verb: string(VerbBook), To: loadsapi.Booked, Guard: state.NewGuard("it has a customer, stops, vehicles, a day and a price", bookable)},
		{From: States(loadsapi.Booked), Verb: string(VerbClear), To: loadsapi.Ready, Guard: state.NewGuard("it is not held", notHeld)},
		{From: States(loadsapi.Ready), Verb: string(VerbCover), To: loadsapi.Dispatched, Guard: state.NewGuard("it is not held", notHeld)},
		{From: States(loadsapi.Dispatched), Verb: string(VerbUncover), To: loadsapi.Ready, Guard: state.NewGuard("no vehicle was picked up", Unloaded)},
		{From: States(loadsapi.Dispatched), Verb: string(VerbPickUp), To: loadsapi.PickedUp},
		{From: States(loadsapi.PickedUp), Verb: string(VerbHandOver), To: loadsapi.Ready, Automatic: true},
		{From: States(loadsapi.PickedUp), Verb: string(VerbPutBack), To: loadsapi.Dispatched, Automatic: true},
		{From: States(loadsapi.PickedUp), Verb: string(VerbDeliver), To: loadsapi.Delivered, Guard: state.NewGuard("no vehicle waits", allLoaded)},
		{From: States(loadsapi.Delivered), Verb: string(VerbComplete), To: loadsapi.Completed},
		{From: States(loadsapi.Completed), Verb: string(VerbReopen), To: loadsapi.Delivered, Who: state.Who{Scope: OverrideScope}, Reasoned: true},
		{From: States(loadsapi.Delivered), Verb: string(VerbReopen), To: loadsapi.PickedUp, Who: state.Who{Scope: OverrideScope}, Reasoned: true},
		{From: States(loadsapi.Lost), Verb: string(VerbReopen), To: loadsapi.Lead, Who: state.Who{Scope: OverrideScope}, Reasoned: true},
		{From: States(loadsapi.Cancelled), Verb: string(VerbReopen), To: loadsapi.Booked, Who: state.Who{Scope: OverrideScope}, Reasoned: true},
		{From: States(loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted), Verb: string(VerbLose), To: loadsapi.Lost},
		{From: States(loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched), Verb: string(VerbCancel), To: loadsapi.Cancelled},
		{From: States(loadsapi.PickedUp), Verb: string(VerbCancel), To: loadsapi.Cancelled, Who: state.Who{Scope: OverrideScope}, Reasoned: true},
		{From: States(loadsapi.Completed, loadsapi.Lost, loadsapi.Cancelled), Verb: "archive", To: loadsapi.Archived},
	},
	Order: [][]loadsapi.State{
		States(loadsapi.Draft), States(loadsapi.Lead), States(loadsapi.Quoted), States(loadsapi.Booked), States(loadsapi.Ready), States(loadsapi.Dispatched), States(loadsapi.PickedUp), States(loadsapi.Delivered), States(loadsapi.Completed),
	},
}

// States are some states.
func States(states ...loadsapi.State) []loadsapi.State { return states }

// OpenStates are those of loads that are not over.
var OpenStates = []loadsapi.State{loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched, loadsapi.PickedUp}

func notHeld(_ context.Context, l Load) error {
	if l.HeldAt != nil {
		return ErrOnHold
	}

	return nil
}

// acceptable reports what a draft lacks to be a lead.
func acceptable(_ context.Context, l Load) error {
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
func quotable(ctx context.Context, l Load) error {
	if err := notHeld(ctx, l); err != nil {
		return err
	}
	if tariff, _ := l.Units(l.Tariff); tariff <= 0 {
		return errNoPrice
	}

	return nil
}

// Unloaded refuses a load that has a vehicle on board.
func Unloaded(_ context.Context, l Load) error {
	if l.OnBoard > 0 { // what was delivered, another carrier had
		return cargo.ErrLoaded
	}

	return nil
}

func allLoaded(_ context.Context, l Load) error {
	return cargo.AllPickedUp(l.Vehicles.V, nil)
}

// Stamp keeps when a load took a step.
func (l *Load) Stamp(before loadsapi.State, now time.Time) {
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

// Count counts the vehicles by where they are.
func (l *Load) Count() {
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
		case Waiting:
			l.Waiting++
		case OnBoard:
			l.OnBoard++
		case Dropped:
			l.Dropped++
		case Removed:
		}
	}
}

// LetGo ends the hold of a load.
func (l *Load) LetGo() {
	l.HoldReason, l.HoldNote, l.HoldUntil, l.HeldAt, l.HeldBy = "", "", nil, nil, nil
}

// StepErrors are the failures of a step of the life of a load.
func StepErrors(more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{loadsapi.ErrNotFound, ErrInvalid, state.ErrNotAllowed, state.ErrMoved}, more...)
}

// Step takes a step of the life of a load, for Change.
func Step(loads *resource.Resource[Load], verb resource.Verb, reason string) func(ctx context.Context, l *Load) error {
	return func(ctx context.Context, l *Load) error {
		return loads.Step(ctx, l, state.Move{Verb: string(verb), Reason: reason})
	}
}

// Update changes a load by an operation on its parts, which is an update of the load.
func Update(ctx context.Context, loads *resource.Resource[Load], id uuid.UUID, match web.IfMatch, do func(l *Load) error) (*web.Resource[Load], error) {
	row, err := loads.Change(ctx, id, match, resource.Update, func(_ context.Context, l *Load) error { return do(l) })

	return loads.Answer(ctx, row, err)
}
