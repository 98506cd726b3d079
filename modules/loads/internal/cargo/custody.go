package cargo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// ErrLoaded is for a vehicle that cannot be taken off a load any more.
var ErrLoaded = errs.New(errs.Conflict, "loads.vehicles_loaded", "A vehicle of the load was picked up already. Put it back first.")

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
	at := clock.Stamp(m.At)
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
	return cmp.Or(PickedUpAt(all), &other)
}

// PickedUpAt is when the first of the vehicles on a load was picked up, nil if none was.
func PickedUpAt(all []Vehicle) (first *time.Time) {
	for _, v := range all {
		if at := v.PickedUpAt; v.Open() && at != nil && (first == nil || at.Before(*first)) {
			first = at
		}
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

// AllPickedUp refuses to deliver vehicles that wait, those named or all of them if none is. Error: loadsapi.ErrWaiting.
func AllPickedUp(all []Vehicle, named []string) error {
	var ids, names []string
	for _, v := range all {
		if id := v.UUID.String(); v.Custody == Waiting && (len(named) == 0 || slices.Contains(named, id)) {
			ids, names = append(ids, id), append(names, v.Name())
		}
	}
	if len(ids) == 0 {
		return nil
	}

	return loadsapi.ErrWaiting.WithMessage("Not picked up yet: %s. Record the pickup first, remove the vehicles, or split the load.", strings.Join(names, ", ")).
		WithDetail("vehicle_uuids", ids)
}

// Follow has vehicles be where they are by now, and new ones wait.
func Follow(now, vehicles []Vehicle) {
	for i := range vehicles {
		v, is := &vehicles[i], Vehicle{}
		if n := slices.IndexFunc(now, func(other Vehicle) bool { return other.UUID == v.UUID }); n >= 0 {
			is = now[n]
		}
		v.Custody, v.PickedUpAt, v.DroppedAt, v.RemovedFor = is.Custody, is.PickedUpAt, is.DroppedAt, is.RemovedFor
	}
}

// KeepCustody has vehicles be where they were, and new ones wait: only their own operations move them, and wrong gets what says otherwise. Error:
// ErrLoaded.
func KeepCustody(before, now []Vehicle, wrong *errs.Error) (*errs.Error, error) {
	known := make(map[uuid.UUID]Vehicle, len(before))
	for _, v := range before {
		known[v.UUID] = v
	}
	for i := range now {
		wrong = now[i].checkCustody("vehicles."+strconv.Itoa(i)+".", known[now[i].UUID], wrong)
		delete(known, now[i].UUID)
	}
	Follow(before, now)
	for _, v := range before {
		if gone, is := known[v.UUID]; is && (gone.Custody == OnBoard || gone.Custody == Dropped) {
			return wrong, ErrLoaded.WithMessage("The %s was picked up already, and cannot be taken off the load.", gone.Name())
		}
	}

	return wrong, nil
}

// checkCustody refuses a vehicle that is written elsewhere than it is.
func (v Vehicle) checkCustody(at string, is Vehicle, wrong *errs.Error) *errs.Error {
	const by = "is set by the service. Use pick_up, deliver, remove or put_back of POST /loads/{uuid}/vehicles/{vehicle}."
	if v.Custody != "" && v.Custody != cmp.Or(is.Custody, Waiting) {
		wrong = wrong.WithField(at+"custody", "`custody` "+by)
	}
	if !sameTime(v.PickedUpAt, is.PickedUpAt) {
		wrong = wrong.WithField(at+"picked_up_at", "`picked_up_at` "+by)
	}
	if !sameTime(v.DroppedAt, is.DroppedAt) {
		wrong = wrong.WithField(at+"delivered_at", "`delivered_at` "+by)
	}
	if v.RemovedFor != "" && v.RemovedFor != is.RemovedFor {
		wrong = wrong.WithField(at+"removed_reason", "`removed_reason` "+by)
	}

	return wrong
}

// sameTime reports whether a time that is written, nil if it is left out, is the one that is kept.
func sameTime(written, kept *time.Time) bool {
	return written == nil || kept != nil && written.Equal(*kept)
}
