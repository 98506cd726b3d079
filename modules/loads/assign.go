package loads

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// assignable implements assigning.Loads.
type assignable struct {
	loads *resource.Resource[load]
	rows  *repository
}

func newAssignable(loads *resource.Resource[load], rows *repository) assigning.Loads {
	return assignable{loads, rows}
}

// ToAssign implements assigning.Loads.
func (s assignable) ToAssign(ctx context.Context, id uuid.UUID) (assigning.Load, error) {
	l, err := s.loads.Find(ctx, id)

	return toAssign(l), err
}

// Open implements assigning.Loads.
func (s assignable) Open(ctx context.Context, users []uuid.UUID) (map[string]int64, error) {
	return s.loads.CountBy(ctx, "assigned_id", "assigned_id IN ? AND state IN ?", users, openStates)
}

// LastUser implements assigning.Loads.
func (s assignable) LastUser(ctx context.Context, customer uuid.UUID) (*uuid.UUID, error) {
	return s.rows.lastUser(ctx, customer)
}

func toAssign(l load) assigning.Load {
	as := assigning.Load{
		From: l.OriginState, To: l.DestState, FromZIP3: l.OriginZIP3, ToZIP3: l.DestZIP3, Customer: l.Customer, Source: l.Source, Tariff: l.Tariff,
	}
	for _, v := range l.Vehicles.V {
		as.Types = append(as.Types, string(v.Type))
	}

	return as
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
