// Package status keeps what is said of loads on their way, such as by a driver on the phone.
package status

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Update is a row of loads_status_updates: what somebody said of a load on its way.
type Update struct {
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
func (Update) TableName() string { return "loads_status_updates" }

// The kinds that are kept with the stop, too.
const (
	Arrived  = "arrived"
	Departed = "departed"
)

// said are the texts of updates without one.
var said = map[string]string{
	"note": "Note", "location": "Location", "eta": "Estimated arrival", "delay": "Delay", Arrived: "Arrived", Departed: "Departed",
}

var errStatus = errs.New(errs.Invalid, "loads.invalid_status_update", "The given data was invalid.")

// Rules are those of the resource.
func Rules() resource.Rules[Update] {
	return resource.Rules[Update]{
		Item: "loads.status_update", Sort: []string{"-at"}, Failures: resource.Failures{Invalid: errStatus},
		About: "What somebody said of a load on its way, such as a driver on the phone. arrived and departed are kept with the stop of the load, too. " +
			"`filter[load_uuid]` lists those of a load.",
		Events: resource.Events[Update]{
			resource.Create: func(u Update) events.Event {
				return loadsapi.StatusUpdated{Load: u.Load.String(), Update: u.ID.String(), Kind: u.Kind}
			},
		},
		Errors: []*errs.Error{loadsapi.ErrPart, loadsapi.ErrWaiting},
	}
}

// Load is a load as what is said of it needs it.
type Load struct {
	Vehicles []uuid.UUID
	// Arrived and Departed are when a truck came to each stop and left it, nil for not yet.
	Arrived, Departed map[uuid.UUID]*time.Time
	// New is a load that is assigned to somebody, and on which nobody has worked since.
	New bool
}

// Loads is what the package needs of loads.
type Loads interface {
	// Said returns those of some loads that there are.
	Said(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Load, error)
	// Visited has a load know what was said of it: when a truck first came to a stop, or left it, and that somebody works on it.
	Visited(ctx context.Context, load uuid.UUID, u Update) error
}

// Desk keeps what is said of loads.
type Desk struct {
	loads Loads
	clock clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(loads Loads, c clock.Clock) *Desk { return &Desk{loads, c} }

// Decide completes what is said of loads, and has their stops show when a truck came and left: the first time counts.
func (s *Desk) Decide(ctx context.Context, all []*resource.Change[Update]) error {
	var made []*resource.Change[Update]
	var ids []uuid.UUID
	for _, c := range all {
		if c.Verb == resource.Create {
			made, ids = append(made, c), append(ids, c.After.Load)
		}
	}
	if len(made) == 0 {
		return nil
	}
	now := s.clock.Now()
	known, err := s.loads.Said(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range made {
		u := c.After
		if u.At == nil {
			u.At = &now
		}
		l, there := known[u.Load]
		wrong := errStatus.WithField("load_uuid", "There is no such load.")
		if there {
			wrong = u.check(l, now)
		}
		if len(wrong.Fields) > 0 {
			c.Refuse(wrong)

			continue
		}
		u.Text = cmp.Or(u.Text, said[u.Kind])
		if err := s.visit(ctx, known, *u); err != nil {
			if !errs.IsRefusal(err) {
				return err
			}
			c.Refuse(err)
		}
	}

	return nil
}

// check refuses an update that says nothing, or names what the load does not have.
func (u *Update) check(l Load, now time.Time) *errs.Error {
	wrong := errStatus
	if u.Kind != "eta" && u.At.After(now.Add(time.Minute)) {
		wrong = wrong.WithField("at", "`at` must not be in the future, unless the kind is eta.")
	}
	if (u.Kind == Arrived || u.Kind == Departed) && u.Stop == nil {
		wrong = wrong.WithField("stop_uuid", "`stop_uuid` is required for "+u.Kind+".")
	}
	if u.Kind == "location" && u.Position == (field.GeoPoint{}) && u.Text == "" {
		wrong = wrong.WithField("position", "A position, or a text that says where it is, is required.")
	}
	if u.Vehicle != nil && !slices.Contains(l.Vehicles, *u.Vehicle) {
		wrong = wrong.WithField("vehicle_uuid", "The load has no such vehicle.")
	}
	if u.Stop != nil {
		if _, there := l.Arrived[*u.Stop]; !there {
			wrong = wrong.WithField("stop_uuid", "The load has no such stop.")
		}
	}

	return wrong
}

// visit keeps when a truck came to a stop and left it, and that somebody works on a new lead.
func (s *Desk) visit(ctx context.Context, known map[uuid.UUID]Load, u Update) error {
	l := known[u.Load]
	times := map[string]map[uuid.UUID]*time.Time{Arrived: l.Arrived, Departed: l.Departed}[u.Kind]
	if times != nil && times[*u.Stop] == nil {
		times[*u.Stop] = u.At
	} else if !l.New {
		return nil
	}
	l.New = false
	known[u.Load] = l

	return s.loads.Visited(ctx, u.Load, u)
}
