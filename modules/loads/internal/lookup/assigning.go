// Package lookup reads loads as the rooms beside need them.
package lookup

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/status"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// assignable implements assigning.Loads and status.Loads.
type assignable struct {
	loads *resource.Resource[store.Load]
	rows  *store.Repository
}

// NewAssignable returns what the rules of assignment, and status updates, read of loads.
func NewAssignable(loads *resource.Resource[store.Load], rows *store.Repository) (assigning.Loads, status.Loads) {
	return assignable{loads, rows}, assignable{loads, rows}
}

// ToAssign implements assigning.Loads.
func (s assignable) ToAssign(ctx context.Context, id uuid.UUID) (assigning.Load, error) {
	l, err := s.loads.Find(ctx, id)

	return ToAssign(l), err
}

// Open implements assigning.Loads.
func (s assignable) Open(ctx context.Context, users []uuid.UUID) (map[uuid.UUID]int64, error) {
	found, err := s.loads.CountBy(ctx, "assigned_id", "assigned_id IN ? AND state IN ?", users, store.OpenStates)
	open := make(map[uuid.UUID]int64, len(found))
	for id, n := range found {
		open[item.ID(id)] = n
	}

	return open, err
}

// LastUsers implements assigning.Loads.
func (s assignable) LastUsers(ctx context.Context, customers []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	return s.rows.LastUsers(ctx, customers)
}

// ToAssign is a load as the rules of assignment see it.
func ToAssign(l store.Load) assigning.Load {
	as := assigning.Load{
		From: l.OriginState, To: l.DestState, FromZIP3: l.OriginZIP3, ToZIP3: l.DestZIP3, Customer: l.Customer, Source: l.Source, Tariff: l.Tariff, Currency: l.Currency,
	}
	for _, v := range l.Vehicles.V {
		as.Types = append(as.Types, string(v.Type))
	}

	return as
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
	_, err := s.loads.Change(ctx, id, web.IfMatch{}, store.VerbVisit, func(_ context.Context, l *store.Load) error {
		if u.Stop == nil || l.StopIndex(*u.Stop) < 0 {
			return nil
		}
		one := &l.Stops.V[l.StopIndex(*u.Stop)]
		if visits := u.Kind == status.Arrived || u.Kind == status.Departed; visits && one.Kind == store.Delivery && l.VehicleCount > 0 && l.OnBoard+l.Dropped == 0 {
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
