package shippers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// visit is how a location can be visited from a time on.
type visit struct {
	// HoursKnown is false for a location without hours. Open and Next are then zero.
	HoursKnown bool
	// Active is false for a location that is no longer in use. It is never open.
	Active bool
	// Open reports whether the time is within the hours.
	Open bool
	// Next is the first time to visit that respects the notice, nil if there is none within a month.
	Next *period
	// Appointment is none, call_ahead or required; NoticeHours is the notice that it takes.
	Appointment string
	NoticeHours int64
	// TimeZone is the IANA name of the location's time zone.
	TimeZone string
}

// period is one in which a location is open. To is not part of it.
type period struct{ From, To time.Time }

// horizon is the number of days within which the next opening is looked for.
const horizon = 31

// openings are the periods in which a location is open by its hours and closures, on a number of days from that of a time on, in
// order. Periods that meet at midnight are one.
func (l location) openings(zone *time.Location, from time.Time, days int) (all []period) {
	year, month, first := from.In(zone).Date()
	for n := range days {
		date := time.Date(year, month, first+n, 0, 0, 0, 0, time.UTC)
		if l.closedOn(date.Format(time.DateOnly)) {
			continue
		}
		for _, o := range l.Hours.V {
			if o.Day.weekday() != date.Weekday() {
				continue
			}
			opens, closes := o.on(date, o.From, zone), o.on(date, o.To, zone)
			switch last := len(all) - 1; {
			case !opens.Before(closes): // clocks skip it
			case last >= 0 && all[last].To.Equal(opens):
				all[last].To = closes
			default:
				all = append(all, period{From: opens, To: closes})
			}
		}
	}

	return all
}

// on is the instant of a time of day, hh:mm up to 24:00, on a date.
func (opened) on(date time.Time, text string, zone *time.Location) time.Time {
	var hour, minute int
	if _, err := fmt.Sscanf(text, "%d:%d", &hour, &minute); err != nil {
		return date // cannot be: the pattern of the field has checked it
	}

	return calendar.Local(date.Year(), date.Month(), date.Day(), hour, minute, 0, zone)
}

func (l location) closedOn(date string) bool {
	for _, c := range l.Closures.V {
		if c.From <= date && date <= c.until() {
			return true
		}
	}

	return false
}

// visited is how the location can be visited from a time on.
func (l location) visited(zone *time.Location, at time.Time) visit {
	v := visit{HoursKnown: len(l.Hours.V) > 0, Active: l.Active, Appointment: l.Appointment, TimeZone: l.TimeZone}
	earliest := at
	if l.Appointment != walkIn && l.Notice != nil {
		v.NoticeHours = *l.Notice
		earliest = at.Add(time.Duration(v.NoticeHours) * time.Hour)
	}
	if !l.Active {
		return v
	}
	yesterday := at.In(zone).AddDate(0, 0, -1) // whose last hours may go on after midnight
	notice := int(earliest.Sub(at).Hours()) / 24
	for _, o := range l.openings(zone, yesterday, horizon+notice+1) {
		v.Open = v.Open || (!at.Before(o.From) && at.Before(o.To))
		if v.Next == nil && o.To.After(earliest) {
			if o.From.Before(earliest) {
				o.From = earliest
			}
			v.Next = &o
		}
	}

	return v
}

// visits answers when locations can be visited.
type visits struct {
	locations *resource.Resource[location]
	clock     clock.Clock
}

func newVisits(locations *resource.Resource[location], c clock.Clock) *visits {
	return &visits{locations, c}
}

func (v *visits) find(ctx context.Context, id uuid.UUID) (location, *time.Location, error) {
	row, err := v.locations.Find(ctx, id)
	if err != nil {
		return row, nil, err
	}
	zone, err := time.LoadLocation(row.TimeZone)

	return row, zone, err
}

var errFrom = errs.New(errs.Invalid, "shippers.invalid_time", "The given data was invalid.")

func openingRoutes(r *web.Router, v *visits) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/locations/{uuid}/openings", ID: "list_openings", Access: web.Read, Summary: "List when a location can be visited",
		Description: "Returns the periods in which the location is open on some days, whether it is open at a time, and the next period to visit " +
			"it that respects the notice for calls and appointments. Days are those of the location's time zone.",
		Errors: []*errs.Error{v.locations.NotFound(), errFrom},
	}, v.list)
}

type openingsInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	From time.Time `query:"from" doc:"By default now." example:"2026-12-01T14:00:00Z"`
	Days int       `query:"days" default:"7" minimum:"1" maximum:"31" doc:"How many days, including that of from."`
}

type openingsOutput struct{ Body openingsBody }

type openingsBody struct {
	TimeZone    string    `json:"time_zone"`
	HoursKnown  bool      `json:"hours_known" doc:"False for a location without hours."`
	Active      bool      `json:"active" doc:"An inactive location is never open."`
	Open        *bool     `json:"open" doc:"Whether it is open at from; null if the hours are not known."`
	Appointment string    `json:"appointment" enum:"none,call_ahead,required"`
	NoticeHours int64     `json:"notice_hours" doc:"Notice for calls and appointments; 0 for none."`
	Next        *opening  `json:"next" doc:"The first period to visit it, from the notice on; null if there is none within 31 days."`
	Data        []opening `json:"data" nullable:"false" doc:"The periods in which it is open, which begin on the days asked for."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (openingsBody) SchemaName() string { return "LocationOpenings" }

type opening struct {
	From time.Time `json:"from" doc:"With the offset of the location's time zone."`
	To   time.Time `json:"to" doc:"Not part of the period."`
}

func (v *visits) list(ctx context.Context, in *openingsInput) (*openingsOutput, error) {
	row, zone, err := v.find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	from := in.From
	if from.IsZero() {
		from = v.clock.Now()
	}
	if year := from.Year(); year < 2000 || year > 2100 {
		return nil, errFrom.WithField("from", "`from` must be in the years 2000 to 2100.")
	}
	at := row.visited(zone, from)
	body := openingsBody{
		TimeZone: at.TimeZone, HoursKnown: at.HoursKnown, Active: at.Active, Appointment: at.Appointment, NoticeHours: at.NoticeHours, Data: []opening{},
	}
	if at.HoursKnown || !at.Active {
		body.Open = &at.Open
	}
	if at.Next != nil {
		body.Next = &opening{at.Next.From.In(zone), at.Next.To.In(zone)}
	}
	if at.Active {
		for _, o := range row.openings(zone, from, in.Days) {
			body.Data = append(body.Data, opening(o))
		}
	}

	return &openingsOutput{body}, nil
}
