package loads

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// statusUpdate is a row of loads_status_updates: what somebody said of a load on its way.
type statusUpdate struct {
	resource.Row

	Load     uuid.UUID      `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load,on_delete=remove"`
	Kind     string         `json:"kind" field:"default=note,fixed,sort" enum:"note,location,eta,delay,arrived,departed"`
	Vehicle  *uuid.UUID     `json:"vehicle_uuid" gorm:"column:vehicle_id" field:"fixed" doc:"A vehicle of the load; null for all of it."`
	Stop     *uuid.UUID     `json:"stop_uuid" gorm:"column:stop_id" field:"fixed" doc:"A stop of the load; required for arrived and departed."`
	At       *time.Time     `json:"at" gorm:"column:said_at" field:"fixed,sort" doc:"When it happened; by default now. For an eta, when the truck is expected."`
	Text     string         `json:"text" gorm:"column:words" field:"max=2000,search,title" doc:"By default what the kind says." example:"Held up in Houston"`
	Position field.GeoPoint `json:"position" field:"fixed"`
}

// TableName implements GORM's naming.
func (statusUpdate) TableName() string { return "loads_status_updates" }

const (
	arrived  = "arrived"
	departed = "departed"
)

// said are the texts of updates without one.
var said = map[string]string{
	"note": "Note", "location": "Location", "eta": "Estimated arrival", "delay": "Delay", arrived: "Arrived", departed: "Departed",
}

var errStatus = errs.New(errs.Invalid, "loads.invalid_status_update", "The given data was invalid.")

func statusRules() resource.Rules[statusUpdate] {
	return resource.Rules[statusUpdate]{
		Item: "loads.status_update", Sort: []string{"-at"}, Failures: resource.Failures{Invalid: errStatus},
		About: "What somebody said of a load on its way, such as a driver on the phone. arrived and departed are kept with the stop of the load, too. " +
			"`filter[load_uuid]` lists those of a load.",
		Events: resource.Events[statusUpdate]{
			resource.Create: func(u statusUpdate) events.Event {
				return loadsapi.StatusUpdated{Load: u.Load.String(), Update: u.ID.String(), Kind: u.Kind}
			},
		},
		Errors: []*errs.Error{errPart},
	}
}

// reporter keeps what is said of loads.
type reporter struct {
	loads *resource.Resource[load]
	clock clock.Clock
}

func newReporter(loads *resource.Resource[load], c clock.Clock) *reporter { return &reporter{loads, c} }

// noteStatus completes what is said of loads, and has their stops show when a truck came and left.
func (s *reporter) noteStatus(ctx context.Context, all []*resource.Change[statusUpdate]) error {
	var made []*resource.Change[statusUpdate]
	var ids []uuid.UUID
	for _, c := range all {
		if c.Verb == resource.Create {
			made, ids = append(made, c), append(ids, c.After.Load)
		}
	}
	if len(made) == 0 {
		return nil
	}
	rows, err := s.loads.FindSome(ctx, ids)
	if err != nil {
		return err
	}
	known := make(map[uuid.UUID]*load, len(rows))
	for i := range rows {
		known[rows[i].ID] = &rows[i]
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	for _, c := range made {
		u := c.After
		if u.At == nil {
			u.At = &now
		}
		l := known[u.Load]
		if wrong := u.check(l, now); len(wrong.Fields) > 0 {
			c.Refuse(wrong)

			continue
		}
		u.Text = cmp.Or(u.Text, said[u.Kind])
		if err := s.visit(ctx, l, *u); err != nil {
			return err
		}
	}

	return nil
}

// check refuses an update that says nothing, or names what the load does not have.
func (u *statusUpdate) check(l *load, now time.Time) *errs.Error {
	wrong := errStatus
	if l == nil {
		return wrong.WithField("load_uuid", "There is no such load.")
	}
	if u.Kind != "eta" && u.At.After(now.Add(time.Minute)) {
		wrong = wrong.WithField("at", "The at must not be in the future, unless the kind is eta.")
	}
	if (u.Kind == arrived || u.Kind == departed) && u.Stop == nil {
		wrong = wrong.WithField("stop_uuid", "The stop_uuid is required for "+u.Kind+".")
	}
	if u.Kind == "location" && u.Position == (field.GeoPoint{}) && u.Text == "" {
		wrong = wrong.WithField("position", "A position, or a text that says where it is, is required.")
	}
	if u.Vehicle != nil {
		if _, err := l.find(*u.Vehicle); err != nil {
			wrong = wrong.WithField("vehicle_uuid", "The load has no such vehicle.")
		}
	}
	if u.Stop != nil && l.place(*u.Stop) < 0 {
		wrong = wrong.WithField("stop_uuid", "The load has no such stop.")
	}

	return wrong
}

// visit keeps when a truck came to a stop and left it: the first time counts.
func (s *reporter) visit(ctx context.Context, known *load, u statusUpdate) error {
	if u.Kind != arrived && u.Kind != departed || *known.visited(u) != nil {
		return nil
	}
	_, err := s.loads.Change(ctx, u.Load, web.IfMatch{}, verbVisit, func(_ context.Context, l *load) error {
		if l.place(*u.Stop) >= 0 && *l.visited(u) == nil {
			*l.visited(u) = u.At
		}

		return nil
	})
	*known.visited(u) = u.At

	return err
}

// visited is when a truck came to the stop of an update, or left it.
func (l *load) visited(u statusUpdate) **time.Time {
	if one := &l.Stops.V[l.place(*u.Stop)]; u.Kind == departed {
		return &one.DepartedAt
	}

	return &l.Stops.V[l.place(*u.Stop)].ArrivedAt
}
