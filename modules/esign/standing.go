package esign

import (
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// standing is how far something heard is. Of all that is heard of a thing the greatest holds, so it does not matter
// in which order, or how often, it is heard. Only news without a time can come too late.
type standing struct {
	tier int
	at   time.Time // zero if it was not said
	rank int
}

// The tiers. Among what is on its way the latest holds: an envelope that was corrected goes out anew. Once something
// has ended, the first end holds. Deleting what has ended is no end of its own.
const (
	unheard = iota
	begun
	onItsWay
	finishing
	removed
	ended
	moved
)

// exceeds reports whether s holds and not other.
func (s standing) exceeds(other standing) bool {
	switch {
	case s.tier != other.tier:
		return s.tier > other.tier
	case s.at.Equal(other.at):
		return s.rank > other.rank
	case s.tier == ended && !s.at.IsZero():
		return other.at.IsZero() || s.at.Before(other.at)
	case s.tier == ended:
		return false
	case s.at.IsZero() || other.at.IsZero(): // nobody knows which is later: it goes on, and never back
		return s.rank > other.rank || s.rank == other.rank && other.at.IsZero()
	default:
		return s.at.After(other.at)
	}
}

// ranked returns the standing of a status among tiers, each in the order of its ranks. A bound, by when it was so at the
// latest, does not put a status after others of its tier, which may have come later: the rank alone counts. It does for the
// highest, before which all others come.
func ranked[S ~string](tiers [][]S, to S, at time.Time, bound bool) standing {
	for tier, all := range tiers {
		rank := slices.Index(all, to)
		if rank < 0 {
			continue
		}
		if bound && tier < removed && rank < len(all)-1 {
			at = time.Time{}
		}

		return standing{tier: tier, at: at, rank: rank}
	}

	return standing{}
}

// standingOf is the standing of the news that an envelope came to a status at a time.
func standingOf(to status, at time.Time, bound bool) standing {
	return ranked([][]status{
		begun:     {created, processing},
		onItsWay:  {sent, correcting, delivered},
		finishing: {signed},
		removed:   {deleted},
		ended:     {voided, expired, declined, completed},
		moved:     {authoritativeCopy, transferCompleted},
	}, to, at, bound)
}

// standing is that of the news which decided where the envelope is.
func (e *envelope) standing() standing {
	if e.HeardStatus == "" {
		return standing{}
	}

	return standingOf(e.State, value(e.HeardAt), false)
}

// heardStatus is the status that a vendor tells, "" for a word that means nothing here.
func heardStatus(u provider.Update) status {
	to := status(u.Status)
	if to == voided && u.Expired {
		to = expired
	}
	if standingOf(to, u.At, u.Bound).tier == unheard {
		return ""
	}

	return to
}

// recipientStanding is the standing of the news that a recipient came to a status at a time.
func recipientStanding(to recipientStatus, at time.Time, bound bool) standing {
	return ranked([][]recipientStatus{
		begun:     {recipientCreated},
		onItsWay:  {recipientSent, recipientFaxPending, recipientAutoresponded, recipientDelivered},
		finishing: {recipientSigned},
		ended:     {recipientDeclined, recipientCompleted},
	}, to, at, bound)
}

func (r *recipient) standing() standing {
	if r.HeardStatus == "" {
		return standing{}
	}

	return recipientStanding(r.State, value(r.HeardAt), false)
}

// value is the time that a column has, the zero time for none.
func value(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}

	return *at
}

// either is the first time, the second if there is none.
func either(at, otherwise time.Time) time.Time {
	if at.IsZero() {
		return otherwise
	}

	return at
}

// orNone is the other way round.
func orNone(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}

	return &at
}

// earlier is the earlier of two times, of which either may be none.
func earlier(have *time.Time, told time.Time) *time.Time {
	if told.IsZero() || have != nil && !told.Before(*have) {
		return have
	}

	return &told
}

// aheadMost is how far ahead of ours a vendor's clock may be. What it says of later is as not said.
const aheadMost = 24 * time.Hour

// believed is a time as it counts.
func believed(at, now time.Time) time.Time {
	if at.After(now.Add(aheadMost)) {
		return time.Time{}
	}

	return at.UTC().Truncate(time.Microsecond)
}
