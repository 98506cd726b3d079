package loads

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/wallclock"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

// stop is a place where vehicles are picked up, delivered, or change the truck.
type stop struct {
	UUID        uuid.UUID  `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer carrier offer"`
	Kind        string     `json:"kind" enum:"pickup,delivery,transfer" seen:"customer carrier offer"`
	Venue       venue      `json:"venue" seen:"customer carrier offer"`
	Contacts    []person   `json:"contacts,omitempty" maxItems:"4" nullable:"false" seen:"customer carrier"`
	Window      *window    `json:"window,omitempty" doc:"When somebody may come; absent for any time." seen:"customer carrier offer"`
	ArrivedAt   *time.Time `json:"arrived_at,omitempty" doc:"Set by the service." seen:"customer carrier"`
	DepartedAt  *time.Time `json:"departed_at,omitempty" doc:"Set by the service." seen:"customer carrier"`
	BuyerNumber string     `json:"buyer_number,omitempty" maxLength:"50" doc:"Of an auction." seen:"customer carrier"`
	Notes       string     `json:"notes,omitempty" maxLength:"2000" seen:"carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (stop) SchemaName() string { return "Stop" }

// venue is where a stop is.
type venue struct {
	Contact     uuid.UUID      `json:"contact_uuid,omitzero" doc:"A contact of the company." seen:"-"`
	Name        string         `json:"name,omitempty" maxLength:"200" seen:"customer carrier"`
	Type        string         `json:"type,omitempty" enum:"residence,dealership,auction,auction_lot,port,airport,rail_yard,rental,repo,impound,body_shop,military_base,terminal,storage,business,other" default:"other" seen:"customer carrier offer"`
	Line1       string         `json:"line1,omitempty" maxLength:"200" seen:"customer carrier"`
	Line2       string         `json:"line2,omitempty" maxLength:"200" seen:"customer carrier"`
	City        string         `json:"city,omitempty" maxLength:"100" doc:"By default that of the ZIP code." example:"Dallas" seen:"customer carrier offer"`
	State       string         `json:"state,omitempty" maxLength:"2" doc:"By default that of the ZIP code." example:"TX" seen:"customer carrier offer"`
	PostalCode  string         `json:"postal_code,omitempty" maxLength:"10" example:"75201" seen:"customer carrier offer"`
	Country     string         `json:"country,omitempty" minLength:"2" maxLength:"2" default:"US" seen:"customer carrier offer"`
	Position    field.GeoPoint `json:"position,omitzero" doc:"By default the middle of the ZIP code." seen:"customer carrier"`
	TimeZone    string         `json:"time_zone,omitempty" maxLength:"64" doc:"An IANA name; by default that of the ZIP code." example:"America/Chicago" seen:"customer carrier offer"`
	Hours       string         `json:"hours,omitempty" maxLength:"200" example:"Mon-Fri 8-17" seen:"customer carrier"`
	Appointment bool           `json:"appointment_required,omitempty" seen:"carrier offer"`
	TWIC        bool           `json:"twic_required,omitempty" doc:"Whether drivers need a Transportation Worker Identification Credential." seen:"carrier offer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (venue) SchemaName() string { return "Venue" }

// person is somebody at a stop.
type person struct {
	Name   string        `json:"name,omitempty" maxLength:"200" seen:"customer carrier"`
	Title  string        `json:"title,omitempty" maxLength:"100" seen:"customer carrier"`
	Phones []field.Phone `json:"phones,omitempty" maxItems:"4" nullable:"false" seen:"customer carrier"`
	Email  field.Email   `json:"email,omitempty" seen:"customer carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (person) SchemaName() string { return "StopContact" }

// window is when somebody may come. From and To are days, or times without a zone: those of a clock at the stop.
type window struct {
	Kind   string     `json:"kind,omitempty" enum:"estimated,exact,not_before,not_after" default:"estimated" seen:"customer carrier offer"`
	From   string     `json:"from,omitempty" maxLength:"16" doc:"A day, or a time on a clock at the stop." example:"2026-12-01T08:00" seen:"customer carrier offer"`
	To     string     `json:"to,omitempty" maxLength:"16" doc:"A day, which is meant to its end, or a time." example:"2026-12-01T17:00" seen:"customer carrier offer"`
	FromAt *time.Time `json:"from_at,omitempty" doc:"from in UTC, set by the service." seen:"customer carrier offer"`
	ToAt   *time.Time `json:"to_at,omitempty" doc:"to in UTC, set by the service." seen:"customer carrier offer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (window) SchemaName() string { return "StopWindow" }

const (
	pickup   = "pickup"
	delivery = "delivery"
)

var zipRule = regexp.MustCompile(`^\d{5}(-\d{4})?$`)

// checkStops brings the stops into their normal form: ids, places and times.
func (s *service) checkStops(ctx context.Context, l *load, wrong *errs.Error) *errs.Error {
	for i := range l.Stops.V {
		at, one := "stops."+strconv.Itoa(i), &l.Stops.V[i]
		one.Venue.Type, one.Venue.Country = cmp.Or(one.Venue.Type, "other"), strings.ToUpper(cmp.Or(one.Venue.Country, "US"))
		wrong = s.checkVenue(ctx, l, at, &one.Venue, wrong)
		wrong = checkWindow(l, at, one, wrong)
	}
	if n := len(l.Stops.V); n > 0 {
		if l.Stops.V[0].Kind == delivery {
			wrong = wrong.WithField("stops.0.kind", "The first stop cannot be a delivery.")
		}
		if n > 1 && l.Stops.V[n-1].Kind == pickup {
			wrong = wrong.WithField(fmt.Sprintf("stops.%d.kind", n-1), "The last stop cannot be a pickup.")
		}
	}

	return wrong
}

// checkVenue completes a place by its ZIP code.
func (s *service) checkVenue(ctx context.Context, l *load, at string, v *venue, wrong *errs.Error) *errs.Error {
	v.City, v.State, v.PostalCode = strings.TrimSpace(v.City), strings.ToUpper(strings.TrimSpace(v.State)), strings.ToUpper(strings.TrimSpace(v.PostalCode))
	if v.Country == "US" && v.PostalCode != "" {
		place, err := s.places.Place(ctx, v.PostalCode)
		switch {
		case err != nil && !zipRule.MatchString(v.PostalCode):
			return wrong.WithField(at+".venue.postal_code", "A ZIP code has five digits, or nine such as 75201-1234.")
		case err != nil && v.City != "" && v.State != "": // there are new ones all the time
			l.warn("loads.unknown_zip", at+".venue.postal_code", "The ZIP code "+v.PostalCode+" is not known, so that there are no miles and no time zone.")

			return checkZone(at, v, wrong)
		case err != nil:
			return wrong.WithField(at+".venue.postal_code", "The ZIP code "+v.PostalCode+" is not known. Give the city and the state too.")
		}
		if v.State != "" && v.State != place.State {
			return wrong.WithField(at+".venue.state", "The ZIP code "+v.PostalCode+" is in "+place.State+".")
		}
		if v.City != "" && !strings.EqualFold(v.City, place.City) {
			l.warn("loads.city_differs", at+".venue.city", "The ZIP code "+v.PostalCode+" is usually called "+place.City+".")
		}
		v.City, v.State, v.TimeZone = cmp.Or(v.City, place.City), place.State, cmp.Or(v.TimeZone, place.TimeZone)
		if v.Position == (field.GeoPoint{}) && place.Lat != 0 {
			v.Position = field.GeoPoint{Lat: degrees(place.Lat), Lng: degrees(place.Lng)}
		}
	}
	if v.City == "" || v.State == "" {
		wrong = wrong.WithField(at+".venue.postal_code", "A postal_code, or a city and a state, is required.")
	}

	return checkZone(at, v, wrong)
}

func checkZone(at string, v *venue, wrong *errs.Error) *errs.Error {
	if _, err := time.LoadLocation(v.TimeZone); err != nil || v.TimeZone == "Local" {
		wrong = wrong.WithField(at+".venue.time_zone", "The time zone must be an IANA name, such as America/Chicago.")
	}

	return wrong
}

func degrees(d float64) json.Number {
	const digits = 5

	return json.Number(strconv.FormatFloat(d, 'f', digits, 64))
}

// checkWindow computes when a window begins and ends.
func checkWindow(l *load, at string, s *stop, wrong *errs.Error) *errs.Error {
	w := s.Window
	if w == nil {
		return wrong
	}
	w.Kind, w.FromAt, w.ToAt = cmp.Or(w.Kind, "estimated"), nil, nil
	if s.Venue.TimeZone == "" && w.From+w.To != "" {
		return wrong.WithField(at+".venue.time_zone", "A window needs the time zone of the stop: give its postal_code, or its time_zone.")
	}
	zone, err := time.LoadLocation(s.Venue.TimeZone)
	if err != nil {
		return wrong // it is wrong already
	}
	var found []wallclock.Problem
	w.FromAt, w.ToAt, found = wallclock.Window(w.From, w.To, zone)
	for _, p := range found {
		if p.Twice {
			l.warn("loads.local_time_twice", at+".window."+p.End, p.Text)
		} else {
			wrong = wrong.WithField(at+".window."+p.End, p.Text)
		}
	}

	return wrong
}

// routeStops are the stops as the route engine takes them, nil if a place is missing.
func (l *load) routeStops() []routeengineapi.Stop {
	if len(l.Stops.V) < 2 { //nolint:mnd // a way has two ends
		return nil
	}
	all := make([]routeengineapi.Stop, len(l.Stops.V))
	for i, s := range l.Stops.V {
		if s.Venue.Country != "US" {
			return nil
		}
		all[i] = routeengineapi.Stop{ZIP: s.Venue.PostalCode}
		if all[i].ZIP == "" {
			all[i].City, all[i].State = s.Venue.City, s.Venue.State
		}
	}

	return all
}

// zip3 is the beginning of a ZIP code, by which lanes are compared.
func zip3(code string) string {
	const digits = 3
	if len(code) < digits {
		return ""
	}

	return code[:digits]
}

// place returns the position of a stop, -1 if there is none.
func (l *load) place(id uuid.UUID) int {
	for i, s := range l.Stops.V {
		if s.UUID == id {
			return i
		}
	}

	return -1
}
