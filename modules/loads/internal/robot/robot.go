// Package robot does what time does to loads: it releases, loses and reassigns them, and marks them late.
package robot

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/lookup"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Robot does what time does to loads.
type Robot struct {
	loads *resource.Resource[store.Load]
	rows  *store.Repository
	terms *terms.Reader
	desk  *assigning.Desk
	clock clock.Clock
}

// New returns a Robot.
func New(loads *resource.Resource[store.Load], rows *store.Repository, t *terms.Reader, d *assigning.Desk, c clock.Clock) *Robot {
	return &Robot{loads, rows, t, d, c}
}

// LoseEvery is how often leads are looked for of which nothing was heard any more.
const LoseEvery = 24 * time.Hour

// LoseStale is the job that loses leads and quoted loads that nobody has changed for as long as the settings say.
type LoseStale struct{}

// Kind implements jobs.Args.
func (LoseStale) Kind() string { return "loads.lose_stale" }

// LoseStale loses stale leads.
func (s *Robot) LoseStale(ctx context.Context, _ LoseStale) error {
	now, days := s.clock.Now(), map[uuid.UUID]int64{}

	return s.rows.EachStale(ctx, now.AddDate(0, 0, -terms.LeastLeadDays), func(ctx context.Context, id uuid.UUID) error {
		company := principal.CompanyOf(ctx)
		if _, known := days[company]; !known {
			kept, err := s.terms.Now(ctx)
			if err != nil {
				return err
			}
			days[company] = kept.LeadExpiry
		}
		if days[company] == 0 {
			return nil
		}
		since := now.AddDate(0, 0, -int(days[company]))
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, store.VerbLose, func(ctx context.Context, l *store.Load) error {
			if !slices.Contains(store.States(loadsapi.Lead, loadsapi.Quoted), l.State) || l.HeldAt != nil || l.UpdatedAt.After(since) {
				return nil // somebody was quicker, or has it wait
			}
			l.ReasonID = terms.Expired

			return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbLose), Reason: "No further response."})
		})

		return err
	})
}

// ReleaseEvery is how often loads are looked for that go on by themselves.
const ReleaseEvery = time.Minute

// ReleaseHeld is the job that lets loads go on whose hold is over.
type ReleaseHeld struct{}

// Kind implements jobs.Args.
func (ReleaseHeld) Kind() string { return "loads.release_held" }

// ReleaseHeld ends holds that are over.
func (s *Robot) ReleaseHeld(ctx context.Context, _ ReleaseHeld) error {
	now := s.clock.Now()

	return s.rows.EachHeld(ctx, now, func(ctx context.Context, id uuid.UUID) error {
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, store.VerbRelease, func(_ context.Context, l *store.Load) error {
			if l.HoldUntil != nil && !l.HoldUntil.After(now) {
				l.LetGo()
			}

			return nil
		})

		return err
	})
}

// LateEvery is how often loads are looked for that have become late.
const LateEvery = 15 * time.Minute

// MarkLate is the job that has loads say that they are late.
type MarkLate struct{}

// Kind implements jobs.Args.
func (MarkLate) Kind() string { return "loads.mark_late" }

// MarkLate marks loads late.
func (s *Robot) MarkLate(ctx context.Context, _ MarkLate) error {
	return s.rows.EachOverdue(ctx, s.clock.Now(), func(ctx context.Context, id uuid.UUID) error {
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, store.VerbLate, func(_ context.Context, l *store.Load) error {
			l.KeepAxes(s.clock.Now())

			return nil
		})

		return err
	})
}

// Leads on which nobody has worked are looked for every so often, and passed on within a day: then they are not new any more.
const (
	PassEvery  = time.Minute
	passWithin = 24 * time.Hour
)

// PassOn is the job that gives leads to others by the rules, on which whoever has them has not worked for as long as the settings say.
type PassOn struct{}

// Kind implements jobs.Args.
func (PassOn) Kind() string { return "loads.pass_on" }

// PassOn gives unanswered leads to others.
func (s *Robot) PassOn(ctx context.Context, _ PassOn) error {
	now, minutes := s.clock.Now(), map[uuid.UUID]int64{}

	return s.rows.EachUnanswered(ctx, now.Add(-terms.LeastResponse), now.Add(-passWithin), func(ctx context.Context, id uuid.UUID) error {
		company := principal.CompanyOf(ctx)
		if _, known := minutes[company]; !known {
			kept, err := s.terms.Now(ctx)
			if err != nil {
				return err
			}
			minutes[company] = kept.LeadResponse
		}
		if minutes[company] == 0 {
			return nil
		}
		before := now.Add(-time.Duration(minutes[company]) * time.Minute)
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, store.VerbReassign, func(ctx context.Context, l *store.Load) error {
			if !l.Unanswered(before) {
				return nil
			}
			asked := lookup.ToAssign(*l)
			asked.Not = l.Assigned
			to, err := s.desk.Assign(ctx, []assigning.Load{asked})
			if err == nil && to[0] != nil {
				l.Assigned = to[0]
			}

			return err
		})

		return err
	})
}
