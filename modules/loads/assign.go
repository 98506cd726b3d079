package loads

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/status"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// assignable implements assigning.Loads and status.Loads.
type assignable struct {
	loads *resource.Resource[load]
	rows  *repository
}

func newAssignable(loads *resource.Resource[load], rows *repository) (assigning.Loads, status.Loads) {
	return assignable{loads, rows}, assignable{loads, rows}
}

// ToAssign implements assigning.Loads.
func (s assignable) ToAssign(ctx context.Context, id uuid.UUID) (assigning.Load, error) {
	l, err := s.loads.Find(ctx, id)

	return toAssign(l), err
}

// Open implements assigning.Loads.
func (s assignable) Open(ctx context.Context, users []uuid.UUID) (map[uuid.UUID]int64, error) {
	found, err := s.loads.CountBy(ctx, "assigned_id", "assigned_id IN ? AND state IN ?", users, openStates)
	open := make(map[uuid.UUID]int64, len(found))
	for id, n := range found {
		open[item.ID(id)] = n
	}

	return open, err
}

// LastUsers implements assigning.Loads.
func (s assignable) LastUsers(ctx context.Context, customers []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	return s.rows.lastUsers(ctx, customers)
}

func toAssign(l load) assigning.Load {
	as := assigning.Load{
		From: l.OriginState, To: l.DestState, FromZIP3: l.OriginZIP3, ToZIP3: l.DestZIP3, Customer: l.Customer, Source: l.Source, Tariff: l.Tariff, Currency: l.Currency,
	}
	for _, v := range l.Vehicles.V {
		as.Types = append(as.Types, string(v.Type))
	}

	return as
}

// Leads on which nobody has worked are looked for every so often, and passed on within a day: then they are not new any more.
const (
	passEvery  = time.Minute
	passWithin = 24 * time.Hour
)

// passOn is the job that gives leads to others by the rules, on which whoever has them has not worked for as long as the settings say.
type passOn struct{}

// Kind implements jobs.Args.
func (passOn) Kind() string { return "loads.pass_on" }

func (s *service) passOn(ctx context.Context, _ passOn) error {
	now, minutes := s.clock.Now(), map[uuid.UUID]int64{}

	return s.rows.eachUnanswered(ctx, now.Add(-terms.LeastResponse), now.Add(-passWithin), func(ctx context.Context, id uuid.UUID) error {
		company := principal.CompanyOf(ctx)
		if _, known := minutes[company]; !known {
			kept, err := s.settings(ctx)
			if err != nil {
				return err
			}
			minutes[company] = kept.LeadResponse
		}
		if minutes[company] == 0 {
			return nil
		}
		before := now.Add(-time.Duration(minutes[company]) * time.Minute)
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, verbReassign, func(ctx context.Context, l *load) error {
			if !l.unanswered(before) {
				return nil
			}
			asked := toAssign(*l)
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

// unanswered reports whether a load is a lead that was assigned before a time to somebody who has not worked on it.
func (l *load) unanswered(before time.Time) bool {
	return l.State == loadsapi.Lead && l.HeldAt == nil && l.FirstContact == nil && l.Assigned != nil && l.AssignedAt != nil && !l.AssignedAt.After(before)
}

// noteWork keeps when a load was assigned, and when a user has first worked on it since.
func (l *load) noteWork(ctx context.Context, c *resource.Change[load], now time.Time) {
	var was *uuid.UUID
	if c.Before != nil {
		was = c.Before.Assigned
	}
	if l.Assigned != nil && (was == nil || *was != *l.Assigned) {
		l.AssignedAt = &now
	}
	if who, _ := principal.From(ctx); c.Before != nil && who.User != uuid.Nil && l.Assigned != nil && l.FirstContact == nil && c.Verb != verbReassign {
		l.FirstContact = &now
	}
}

// Said implements status.Loads.
func (s assignable) Said(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]status.Load, error) {
	rows, err := s.loads.FindSome(ctx, ids)
	known := make(map[uuid.UUID]status.Load, len(rows))
	for _, l := range rows {
		one := status.Load{Arrived: map[uuid.UUID]*time.Time{}, Departed: map[uuid.UUID]*time.Time{}, New: l.Assigned != nil && l.FirstContact == nil}
		for _, v := range l.Vehicles.V {
			one.Vehicles = append(one.Vehicles, v.UUID)
		}
		for _, at := range l.Stops.V {
			one.Arrived[at.UUID], one.Departed[at.UUID] = at.ArrivedAt, at.DepartedAt
		}
		known[l.ID] = one
	}

	return known, err
}

// Visited implements status.Loads.
func (s assignable) Visited(ctx context.Context, id uuid.UUID, u status.Update) error {
	_, err := s.loads.Change(ctx, id, web.IfMatch{}, verbVisit, func(_ context.Context, l *load) error {
		if u.Stop == nil || l.place(*u.Stop) < 0 {
			return nil
		}
		one := &l.Stops.V[l.place(*u.Stop)]
		if visits := u.Kind == status.Arrived || u.Kind == status.Departed; visits && one.Kind == delivery && l.VehicleCount > 0 && l.OnBoard+l.Dropped == 0 {
			return loadsapi.ErrWaiting.WithMessage("No vehicle of the load was picked up yet, so that a delivery cannot have been reached. Record the pickup first.")
		}
		switch {
		case u.Kind == status.Arrived && one.ArrivedAt == nil:
			one.ArrivedAt = u.At
		case u.Kind == status.Departed && one.DepartedAt == nil:
			one.DepartedAt = u.At
		}

		return nil
	})

	return err
}

// assign gives new loads that nobody was assigned to whom the rules say.
func (s *service) assign(ctx context.Context, all []*resource.Change[load]) error {
	var open []*load
	var seen []assigning.Load
	for _, c := range all {
		if made := c.Verb == resource.Create && c.After.State != loadsapi.Draft; (made || c.Verb == verbAccept) && c.After.Assigned == nil {
			open, seen = append(open, c.After), append(seen, toAssign(*c.After))
		}
	}
	to, err := s.desk.Assign(ctx, seen)
	for i := range to {
		open[i].Assigned = to[i]
	}

	return err
}
