package loads

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/web"
)

// notLate is for a load of which nothing should have been done by now.
const notLate = "none"

// dueOf is until when what comes next is to be done, and what that is.
func dueOf(l *load) (at *time.Time, what string) {
	if len(l.Stops.V) == 0 {
		return nil, ""
	}
	switch l.State {
	case loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched:
		return l.Stops.V[0].Ends(), pickup
	case loadsapi.PickedUp:
		return l.Stops.V[len(l.Stops.V)-1].Ends(), delivery
	case loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted, loadsapi.Delivered, loadsapi.Completed, loadsapi.Lost, loadsapi.Cancelled, loadsapi.Archived:
	}

	return nil, ""
}

// keepAxes has what follows from the state of a load be so.
func (l *load) keepAxes(now time.Time) {
	what := ""
	l.Coverage, l.Late = offersOf(l), notLate
	l.keepPayments(now)
	if l.DueAt, what = dueOf(l); l.DueAt != nil && l.DueAt.Before(now) {
		l.Late = what
	}
}

// offersOf are those of how the offers stand that a load can have in its state.
func offersOf(l *load) loadsapi.Offers {
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

// lateEvery is how often loads are looked for that have become late.
const lateEvery = 15 * time.Minute

// markLate is the job that has loads say that they are late.
type markLate struct{}

// Kind implements jobs.Args.
func (markLate) Kind() string { return "loads.mark_late" }

func (s *service) markLate(ctx context.Context, _ markLate) error {
	return s.rows.eachOverdue(ctx, s.clock.Now(), func(ctx context.Context, id uuid.UUID) error {
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, verbLate, func(_ context.Context, l *load) error {
			l.keepAxes(s.clock.Now())

			return nil
		})

		return err
	})
}
