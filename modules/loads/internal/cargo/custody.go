package cargo

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// ErrLoaded is for a vehicle that cannot be taken off a load any more.
var ErrLoaded = errs.New(errs.Conflict, "loads.vehicles_loaded", "A vehicle of the load was picked up already.")

// ErrCustody is for a vehicle that is not where what is said of it begins.
var ErrCustody = errs.New(errs.Conflict, "loads.vehicle_moved", "The vehicle is not where this begins.")

// Longest is how long before a load was entered its vehicles may have been picked up.
const Longest = 90 * 24 * time.Hour

// Move is what is said of where a vehicle is. The zero At is now.
type Move struct {
	From, To Custody
	At       time.Time
	Reason   string
}

// Check refuses a move, of a load that was entered at a time, without a reason that it takes, or at a time at which it cannot have been.
func (m Move) Check(v Vehicle, entered, now time.Time, wrong *errs.Error) error {
	switch {
	case m.At.After(now.Add(time.Minute)):
		return wrong.WithField("at", "`at` must not be in the future.")
	case !m.At.IsZero() && m.At.Before(entered.Add(-Longest)):
		return wrong.WithField("at", "`at` must not be more than 90 days before the load was entered.")
	case m.To == Dropped && !m.At.IsZero() && v.PickedUpAt != nil && m.At.Before(*v.PickedUpAt):
		return wrong.WithField("at", "`at` must not be before the vehicle was picked up, at "+v.PickedUpAt.Format(time.RFC3339)+".")
	case (m.To == Removed || m.To == Waiting) && m.Reason == "":
		return wrong.WithField("reason", "The reason is required.")
	}

	return nil
}

// Take has a vehicle be where a move says. Error: ErrCustody.
func (v *Vehicle) Take(m Move, now time.Time) error {
	if v.Custody != m.From {
		return ErrCustody.WithMessage("The vehicle is %s, not %s.", v.Custody, m.From).WithDetail("custody", v.Custody)
	}
	at := m.At.UTC().Truncate(time.Microsecond)
	if m.At.IsZero() {
		at = now
	}
	switch v.Custody = m.To; m.To {
	case OnBoard:
		v.PickedUpAt = &at
	case Dropped:
		if v.PickedUpAt != nil && at.Before(*v.PickedUpAt) { // by a clock that is ahead
			at = *v.PickedUpAt
		}
		v.DroppedAt = &at
	case Removed:
		v.RemovedFor = m.Reason
	case Waiting:
		v.PickedUpAt = nil
	}

	return nil
}

// PickedUp is when the first of the vehicles on a load was picked up; other if none was.
func PickedUp(all []Vehicle, other time.Time) *time.Time {
	var first *time.Time
	for _, v := range all {
		if at := v.PickedUpAt; v.Open() && at != nil && (first == nil || at.Before(*first)) {
			first = at
		}
	}
	if first == nil {
		return &other
	}

	return first
}

// Delivered is when the last of the vehicles on a load was delivered; other if none was.
func Delivered(all []Vehicle, other time.Time) *time.Time {
	var last *time.Time
	for _, v := range all {
		if at := v.DroppedAt; v.Open() && at != nil && (last == nil || at.After(*last)) {
			last = at
		}
	}
	if last == nil {
		return &other
	}

	return last
}

// KeepCustody has vehicles be where they were, and new ones wait: only their own operations move them. Error: ErrLoaded.
func KeepCustody(before, now []Vehicle) error {
	known := make(map[uuid.UUID]Vehicle, len(before))
	for _, v := range before {
		known[v.UUID] = v
	}
	for i := range now {
		v := &now[i]
		old := known[v.UUID]
		v.Custody, v.PickedUpAt, v.DroppedAt, v.RemovedFor = old.Custody, old.PickedUpAt, old.DroppedAt, old.RemovedFor
		delete(known, v.UUID)
	}
	for _, gone := range known {
		if gone.Custody == OnBoard || gone.Custody == Dropped {
			return ErrLoaded.WithMessage("The %s was picked up already, and cannot be taken off the load.", gone.Name())
		}
	}

	return nil
}
