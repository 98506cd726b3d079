package state

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// What Apply and Observe fail with.
var (
	// ErrNotAllowed says that the state has no such verb; details are "current", the state, and
	// "allowed", the verbs that the caller may use now.
	ErrNotAllowed = errs.New(errs.Conflict, "state.not_allowed", "This is not allowed in the current state.")
	// ErrNotYours says that the step is not for callers of this kind.
	ErrNotYours = errs.New(errs.Forbidden, "state.not_yours", "The token may not do this in the current state.")
	// ErrNoReason says that a step needs a reason, and has none.
	ErrNoReason = errs.New(errs.Invalid, "state.reason_required", "The given data was invalid.").WithField("reason", "The reason is required.")
	// ErrMoved says that somebody else moved the thing at the same time.
	ErrMoved = errs.New(errs.Conflict, "state.moved", "The state was changed by another request. Please try again.")
	// ErrUnknownState says that an event is about a state that has no place in the machine's order.
	ErrUnknownState = errs.New(errs.Invalid, "state.unknown_state", "There is no such state.")
)

// Move asks for a step.
type Move struct {
	Verb string
	// UUID is the thing's id.
	UUID uuid.UUID
	// Part is what item.Class calls so, for the audit trail; "" where all things of the type are alike.
	Part string
	// Thing is what guards look at.
	Thing any
	// Party is on whose behalf it is done ("carrier"), Reason why; both may be "".
	Party, Reason string
}

// Allowed returns the steps that p may ask for now with a thing in the state current: those whose guards
// hold at the time of the log's clock as well, and that are not automatic. The error is a guard's that is no errs.
func (m Machine[S]) Allowed(ctx context.Context, log *Log, current S, thing any, p principal.Principal) ([]Step[S], error) {
	var allowed []Step[S]
	for _, step := range m.leaving(current) {
		if step.Automatic || !step.Who.allows(m.area(), p) {
			continue
		}
		err := step.Guard.passes(ctx, log, thing)
		if err == nil {
			allowed = append(allowed, step)
		} else if _, expected := errors.AsType[*errs.Error](err); !expected {
			return nil, err
		}
	}

	return allowed, nil
}

// Apply takes a step from the state current and logs it, in the transaction in ctx, and returns the
// state that the caller then stores. It fails with ErrNotAllowed, ErrNotYours, principal.ErrScopeMissing, ErrNoReason, what the
// step's guard says, and ErrMoved. The caller reads the thing in the same transaction.
func (m Machine[S]) Apply(ctx context.Context, log *Log, current S, move Move) (S, error) {
	p, _ := principal.From(ctx)
	steps := m.leaving(current)
	i := slices.IndexFunc(steps, func(s Step[S]) bool { return s.Verb == move.Verb })
	if i < 0 {
		return current, m.refused(ctx, log, current, move.Thing, p)
	}
	step := steps[i]
	if err := step.Who.refuses(m.area(), p); err != nil {
		return current, err
	}
	if step.Reasoned && strings.TrimSpace(move.Reason) == "" {
		return current, ErrNoReason
	}
	if err := step.Guard.passes(ctx, log, move.Thing); err != nil {
		return current, err
	}

	return step.To, log.move(ctx, logRow{
		ItemType: m.Item, ItemID: move.UUID, FromState: string(current), ToState: string(step.To), Verb: move.Verb,
		Party: move.Party, Reason: move.Reason, ItemPart: move.Part,
	})
}

// refused is the failure of a verb that the state does not have.
func (m Machine[S]) refused(ctx context.Context, log *Log, current S, thing any, p principal.Principal) error {
	allowed, err := m.Allowed(ctx, log, current, thing, p)
	if err != nil {
		return err
	}
	verbs := make([]string, 0, len(allowed))
	for _, step := range allowed {
		verbs = append(verbs, step.Verb)
	}

	return ErrNotAllowed.WithDetail("current", string(current)).WithDetail("allowed", verbs)
}

// Observe is told from outside that a thing has come to the state to: by a vendor's notification, a
// device. If that is further than current in the machine's order, and steps lead there, it logs the
// move, in the transaction in ctx, and returns the state that the caller then stores, and true.
// Otherwise the event is late or repeated, and nothing happens. Who may and guards do not count:
// what has happened has happened. The move's verb names the event.
func (m Machine[S]) Observe(ctx context.Context, log *Log, current, to S, move Move) (S, bool, error) {
	rank, known := m.rank(to)
	if !known {
		return current, false, ErrUnknownState.WithDetail("state", string(to))
	}
	if now, _ := m.rank(current); rank <= now || !slices.Contains(m.reachable(current), to) {
		return current, false, nil
	}
	err := log.move(ctx, logRow{
		ItemType: m.Item, ItemID: move.UUID, FromState: string(current), ToState: string(to), Verb: move.Verb,
		Party: move.Party, Reason: move.Reason, ItemPart: move.Part,
	})

	return to, err == nil, err
}

// Put logs, in the transaction in ctx, that a thing was put from the state current into another by
// hand, whatever the table says: an import, a correction. The caller stores the state. A state that
// is changed without being logged is a lost race to the next Apply.
func (m Machine[S]) Put(ctx context.Context, log *Log, current, to S, move Move) error {
	if !slices.Contains(m.States(), to) {
		return ErrUnknownState.WithDetail("state", string(to))
	}

	return log.put(ctx, logRow{
		ItemType: m.Item, ItemID: move.UUID, FromState: string(current), ToState: string(to), Verb: move.Verb,
		Party: move.Party, Reason: move.Reason, ItemPart: move.Part,
	})
}

// rank returns how far a state is, from 1; a state without a rank has 0.
func (m Machine[S]) rank(s S) (int, bool) {
	i := slices.IndexFunc(m.Order, func(equal []S) bool { return slices.Contains(equal, s) })

	return i + 1, i >= 0
}
