package state

import (
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// Tiers are the states that a vendor reports of a thing, the least final first. They are for lives that may go back, such as that
// of an envelope which is corrected and goes out anew: Machine.Observe is for those that only go on.
type Tiers[S ~string] []Tier[S]

// Tier is states of which time decides: the latest report holds. States is their order where times are equal or missing.
type Tier[S ~string] struct {
	States []S
	// Ended says that things in these states are not on their way any more.
	Ended bool
	// FirstHolds says that the earliest report holds: an end is not undone by a later one.
	FirstHolds bool
}

// Standing ranks a report: of all reports of a thing the one whose standing is greatest holds, in whatever order, and however often,
// they come. Only where a tier goes back, and some of its reports have a time and others have none, may their order decide within
// the tier: a state without a time is after the states that it follows, and no time says before which it is. The zero Standing is
// that of a thing without a report.
type Standing struct {
	// At is since when, as the vendor says; the zero time if it does not.
	At time.Time
	// Ended says that the thing is not on its way any more.
	Ended bool

	tier, rank int
	firstHolds bool
}

// Standing ranks the report that a thing came to a state at a time, which may be the zero time; the zero Standing for a state of no
// tier. With a bound the time is one by which it had come there at the latest: then the order of the states counts and not the
// time, but for a tier's last state, before which all others come, and for those that have ended.
func (t Tiers[S]) Standing(to S, at time.Time, bound bool) Standing {
	for i, tier := range t {
		rank := slices.Index(tier.States, to)
		if rank < 0 {
			continue
		}
		if bound && !tier.Ended && rank < len(tier.States)-1 {
			at = time.Time{}
		}

		return Standing{At: at, Ended: tier.Ended, tier: i + 1, rank: rank, firstHolds: tier.FirstHolds}
	}

	return Standing{}
}

// IsZero reports whether there is no report.
func (s Standing) IsZero() bool { return s.tier == 0 }

// Exceeds reports whether s holds and not other.
func (s Standing) Exceeds(other Standing) bool {
	switch {
	case s.tier != other.tier:
		return s.tier > other.tier
	case s.At.Equal(other.At):
		return s.rank > other.rank
	case s.firstHolds && !s.At.IsZero():
		return other.At.IsZero() || s.At.Before(other.At)
	case s.firstHolds:
		return false
	case s.At.IsZero() || other.At.IsZero(): // nobody knows which is later: it goes on, and never back
		return s.rank > other.rank || s.rank == other.rank && other.At.IsZero()
	default:
		return s.At.After(other.At)
	}
}

// Since returns since when a thing is in the state of s, which exceeds other: a report without a time leaves that of the same tier.
func (s Standing) Since(other Standing) time.Time {
	if s.At.IsZero() && s.tier == other.tier {
		return other.At
	}

	return s.At
}

// maxAhead is how far a vendor's clock may be ahead of ours.
const maxAhead = 24 * time.Hour

// ReportedTime returns a vendor's time as columns store it: in UTC and microseconds. A time that is more than a day ahead of now is
// taken for not reported.
func ReportedTime(at, now time.Time) time.Time {
	if at.After(now.Add(maxAhead)) {
		return time.Time{}
	}

	return clock.Stamp(at)
}
