// Package route has the stops of a load: their places, their times, and the rules of these.
package route

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/wallclock"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Stop is a place where vehicles are picked up, delivered, or change the truck.
type Stop struct {
	UUID        uuid.UUID  `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer carrier offer"`
	Kind        string     `json:"kind" enum:"pickup,delivery,transfer" seen:"customer carrier offer"`
	Venue       Venue      `json:"venue" seen:"customer carrier offer"`
	Contacts    []Person   `json:"contacts,omitempty" maxItems:"4" nullable:"false" seen:"customer carrier"`
	Window      *Window    `json:"window,omitempty" doc:"When somebody may come; absent for any time." seen:"customer carrier offer"`
	ArrivedAt   *time.Time `json:"arrived_at,omitempty" doc:"Set by the service." seen:"customer carrier"`
	DepartedAt  *time.Time `json:"departed_at,omitempty" doc:"Set by the service." seen:"customer carrier"`
	BuyerNumber string     `json:"buyer_number,omitempty" maxLength:"50" doc:"Of an auction." seen:"customer carrier"`
	Notes       string     `json:"notes,omitempty" maxLength:"2000" seen:"carrier"`
	SaveVenue   bool       `json:"save_venue,omitempty" writeOnly:"true" doc:"Whether the venue becomes a location of the shipper: of venue.contact_uuid, else of the load's shipper or customer." seen:"-"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Stop) SchemaName() string { return "Stop" }

// Venue is where a stop is.
type Venue struct {
	Contact     uuid.UUID      `json:"contact_uuid,omitzero" doc:"A contact of the company." seen:"-"`
	Name        string         `json:"name,omitempty" maxLength:"200" seen:"customer carrier"`
	Type        string         `json:"type,omitempty" enum:"residence,dealership,auction,auction_lot,port,airport,rail_yard,rental,repo,impound,body_shop,military_base,terminal,storage,business,other" default:"other" seen:"customer carrier offer"`
	Line1       string         `json:"line1,omitempty" maxLength:"200" seen:"customer carrier"`
	Line2       string         `json:"line2,omitempty" maxLength:"200" seen:"customer carrier"`
	City        string         `json:"city,omitempty" maxLength:"100" doc:"By default that of the ZIP code." example:"Dallas" seen:"customer carrier offer"`
	State       string         `json:"state,omitempty" maxLength:"50" doc:"Two letters, or the three of a Mexican state (ISO 3166-2), such as NLE; names in English become codes. By default that of the postal code." example:"TX" seen:"customer carrier offer"`
	PostalCode  string         `json:"postal_code,omitempty" maxLength:"10" doc:"A ZIP code, or a Canadian postal code such as M5V 3L9." example:"75201" seen:"customer carrier offer"`
	Country     string         `json:"country,omitempty" minLength:"2" maxLength:"2" doc:"By default that of the postal code or the state, else US." seen:"customer carrier offer"`
	Position    field.GeoPoint `json:"position,omitzero" doc:"By default the middle of the ZIP code." seen:"customer carrier"`
	TimeZone    string         `json:"time_zone,omitempty" maxLength:"64" doc:"An IANA name; by default that of the ZIP code, or of the city." example:"America/Chicago" seen:"customer carrier offer"`
	Hours       string         `json:"hours,omitempty" maxLength:"200" example:"Mon-Fri 8-17" seen:"customer carrier"`
	Appointment bool           `json:"appointment_required,omitempty" seen:"carrier offer"`
	TWIC        bool           `json:"twic_required,omitempty" doc:"Whether drivers need a Transportation Worker Identification Credential." seen:"carrier offer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Venue) SchemaName() string { return "Venue" }

// Person is somebody at a stop.
type Person struct {
	Name   string        `json:"name,omitempty" maxLength:"200" seen:"customer carrier"`
	Title  string        `json:"title,omitempty" maxLength:"100" seen:"customer carrier"`
	Phones []field.Phone `json:"phones,omitempty" maxItems:"4" nullable:"false" seen:"customer carrier"`
	Email  field.Email   `json:"email,omitempty" seen:"customer carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Person) SchemaName() string { return "StopContact" }

// Window is when somebody may come. From and To are days, or times without a zone: those of a clock at the stop.
type Window struct {
	Kind   string     `json:"kind,omitempty" enum:"estimated,exact,not_before,not_after" default:"estimated" seen:"customer carrier offer"`
	From   string     `json:"from,omitempty" maxLength:"16" doc:"A day, or a time on a clock at the stop." example:"2026-12-01T08:00" seen:"customer carrier offer"`
	To     string     `json:"to,omitempty" maxLength:"16" doc:"A day, which is meant to its end, or a time." example:"2026-12-01T17:00" seen:"customer carrier offer"`
	FromAt *time.Time `json:"from_at,omitempty" doc:"from in UTC, set by the service." seen:"customer carrier offer"`
	ToAt   *time.Time `json:"to_at,omitempty" doc:"to in UTC, set by the service." seen:"customer carrier offer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Window) SchemaName() string { return "TimeWindow" }

// The kinds of stops that have an order: the first one is no delivery, and the last one no pickup.
const (
	Pickup   = "pickup"
	Transfer = "transfer"
	Delivery = "delivery"
)

// Title is what people call a place.
func (v Venue) Title() string { return strings.Trim(v.City+", "+v.State, ", ") }

// Days are those between which somebody may come.
func (s Stop) Days() (w loadsapi.Window) {
	if s.Window != nil {
		w.From, _, _ = strings.Cut(s.Window.From, "T")
		w.To, _, _ = strings.Cut(s.Window.To, "T")
	}

	return w
}

// Ends is when the window of a stop is over: where no end is given, a day after it began; nil without a window.
func (s Stop) Ends() *time.Time {
	switch {
	case s.Window == nil:
		return nil
	case s.Window.ToAt == nil && s.Window.FromAt != nil:
		end := s.Window.FromAt.Add(24 * time.Hour) //nolint:mnd // a day

		return &end
	}

	return s.Window.ToAt
}

var zipRule = regexp.MustCompile(`^\d{5}(-\d{4})?$`)

// Warn hears of what may be wrong, and is stored all the same.
type Warn func(code, field, message string)

// most is how many stops a load has at most.
const most = 20

// Check brings stops into their normal form, their places and times, and adds to wrong what cannot be stored. Before are the stops as they were.
func Check(ctx context.Context, places routeengineapi.Places, before, stops []Stop, warn Warn, wrong *errs.Error) *errs.Error {
	for i := range stops {
		at, one := "stops."+strconv.Itoa(i), &stops[i]
		one.Venue.clean()
		if !slices.Contains([]string{Pickup, Delivery, Transfer}, one.Kind) { // a merge patch can take it away
			wrong = wrong.WithField(at+".kind", "`kind` must be pickup, delivery or transfer.")
		}
		if was := Place(before, one.UUID); was >= 0 {
			one.Venue.relocate(ctx, places, before[was].Venue)
		}
		wrong = checkVenue(ctx, places, at, &one.Venue, warn, wrong)
		wrong = checkWindow(at, one, warn, wrong)
	}
	if len(stops) > most {
		wrong = wrong.WithField("stops", "A load has at most 20 stops.")
	}
	if n := len(stops); n > 0 {
		if stops[0].Kind == Delivery {
			wrong = wrong.WithField("stops.0.kind", "The first stop cannot be a delivery.")
		}
		if n > 1 && stops[n-1].Kind == Pickup {
			wrong = wrong.WithField(fmt.Sprintf("stops.%d.kind", n-1), "The last stop cannot be a pickup.")
		}
	}

	return wrong
}

// clean brings the texts of a place into their normal form.
func (v *Venue) clean() {
	v.City, v.State, v.PostalCode = strings.TrimSpace(v.City), strings.ToUpper(strings.TrimSpace(v.State)), strings.ToUpper(naming.ZIP(v.PostalCode))
	if code, named := naming.StateCode(v.State); named {
		v.State = code
	}
	v.Type, v.Country = cmp.Or(v.Type, "other"), strings.ToUpper(cmp.Or(v.Country, v.homeland()))
	if v.Country == routeengineapi.Canada {
		v.PostalCode = spaced(v.PostalCode)
	}
	if v.Country == routeengineapi.Mexico {
		v.State, _ = routeengineapi.MexicanState(v.State)
	}
}

// relocate has a venue that moved forget what followed from the place where it was, unless it has something new there.
func (v *Venue) relocate(ctx context.Context, places routeengineapi.Places, was Venue) {
	area, _, _ := strings.Cut(v.PostalCode, "-")
	before, _, _ := strings.Cut(was.PostalCode, "-")
	moved := v.Country != was.Country || area != before || area == "" && (v.State != was.State || !strings.EqualFold(v.City, was.City))
	street := was.Line1 != "" && v.Line1 != was.Line1
	if (moved || street) && samePoint(v.Position, was.Position) {
		v.Position = field.GeoPoint{}
	}
	if moved && v.TimeZone == was.TimeZone {
		v.TimeZone = ""
	}
	if area == before || v.City != was.City || v.State != was.State {
		return
	}
	old, err := places.Place(ctx, was.PostalCode)
	if _, unknown := places.Place(ctx, v.PostalCode); err == nil && unknown == nil && v.City == old.City {
		v.City, v.State = "", "" // those of the new ZIP code
	}
}

func samePoint(a, b field.GeoPoint) bool {
	aLat, aLng := a.Millionths()
	bLat, bLng := b.Millionths()

	return aLat == bLat && aLng == bLng
}

// military is the city of the addresses of the armed forces, whose ZIP codes have none and whose regions count as states (USPS Publication 28,
// 238); "" for a state.
func military(region string) string {
	if region == "AA" || region == "AE" || region == "AP" {
		return "APO"
	}

	return ""
}

// longestState is how many characters the code of a state has at most, by ISO 3166-2.
const longestState = 3

// checkVenue completes a place by its ZIP code.
func checkVenue(ctx context.Context, places routeengineapi.Places, at string, v *Venue, warn Warn, wrong *errs.Error) *errs.Error {
	if _, ok := field.CountryCode(v.Country); !ok {
		return wrong.WithField(at+".venue.country", "The country must be a two-letter ISO 3166 code, such as US.")
	}
	if utf8.RuneCountInString(v.State) > longestState {
		return wrong.WithField(at+".venue.state", "The state must be its code, such as TX.")
	}
	if v.Country != routeengineapi.UnitedStates {
		return v.checkAbroad(ctx, places, at, warn, wrong)
	}
	if region, abroad := routeengineapi.RegionOf(v.State); abroad {
		return wrong.WithField(at+".venue.state", v.State+" is not in the United States. Set `country` to "+region.Country+".")
	}
	if v.PostalCode != "" {
		place, err := places.Place(ctx, v.PostalCode)
		switch {
		case err == nil && place.Country != routeengineapi.UnitedStates, canadianRule.MatchString(v.PostalCode):
			return wrong.WithField(at+".venue.postal_code", v.PostalCode+" is a Canadian postal code. Set `country` to CA.")
		case err != nil && !zipRule.MatchString(v.PostalCode):
			return wrong.WithField(at+".venue.postal_code", "A ZIP code has five digits, or nine such as 75201-1234.")
		case err != nil && v.City != "" && v.State != "": // there are new ones all the time
			warn("loads.unknown_zip", at+".venue.postal_code", "The ZIP code "+v.PostalCode+" is not known, so that there are no miles and no time zone.")

			return checkZone(at, v, wrong)
		case err != nil:
			return wrong.WithField(at+".venue.postal_code", "The ZIP code "+v.PostalCode+" is not known. Give the city and the state too.")
		}
		if v.State != "" && v.State != place.State {
			return wrong.WithField(at+".venue.state", "The ZIP code "+v.PostalCode+" is in "+place.State+".")
		}
		if v.City != "" && !strings.EqualFold(v.City, place.City) {
			warn("loads.city_differs", at+".venue.city", "The ZIP code "+v.PostalCode+" is usually called "+place.City+".")
		}
		v.City, v.State, v.TimeZone = cmp.Or(v.City, place.City, military(place.State)), place.State, cmp.Or(v.TimeZone, place.TimeZone)
		if v.Position == (field.GeoPoint{}) && place.Lat != 0 {
			v.Position = field.GeoPoint{Lat: degrees(place.Lat), Lng: degrees(place.Lng)}
		}
	}
	if v.TimeZone == "" && v.City != "" && v.State != "" {
		if place, err := places.City(ctx, v.City, v.State); err == nil {
			v.TimeZone = place.TimeZone
		}
	}
	if v.City == "" || v.State == "" {
		if v.PostalCode == "" {
			wrong = wrong.WithField(at+".venue.postal_code", "A postal_code, or a city and a state, is required.")
		} else {
			wrong = wrong.WithField(at+".venue.city", "A city and a state are required: they do not follow from the postal_code "+v.PostalCode+".")
		}
	}

	return checkZone(at, v, wrong)
}

func checkZone(at string, v *Venue, wrong *errs.Error) *errs.Error {
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
func checkWindow(at string, s *Stop, warn Warn, wrong *errs.Error) *errs.Error {
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
			warn("loads.local_time_twice", at+".window."+p.End, p.Text)
		} else {
			wrong = wrong.WithField(at+".window."+p.End, p.Text)
		}
	}

	return wrong
}

// CheckOrder refuses stops of which a delivery begins before a pickup that comes before it.
func CheckOrder(stops []Stop, wrong *errs.Error) *errs.Error {
	for j, to := range stops {
		if to.Kind != Delivery || to.Window == nil {
			continue
		}
		for i, from := range stops[:j] {
			if from.Kind == Pickup && from.Window != nil && to.Window.before(*from.Window) {
				wrong = wrong.WithField("stops."+strconv.Itoa(i)+".window.from", "The pickup must not begin after the delivery at stops."+strconv.Itoa(j)+".").
					WithField("stops."+strconv.Itoa(j)+".window.from", "The delivery must not begin before the pickup at stops."+strconv.Itoa(i)+".")
			}
		}
	}

	return wrong
}

// before reports whether a window begins, or without a beginning ends, before another one begins: by the day where one of them has no time.
func (w Window) before(other Window) bool {
	at, when := w.FromAt, cmp.Or(w.From, w.To)
	if w.From == "" {
		at = w.ToAt
	}
	day, _, timed := strings.Cut(when, "T")
	otherDay, _, otherTimed := strings.Cut(other.From, "T")
	if when == "" || other.From == "" {
		return false
	}
	if timed && otherTimed && at != nil && other.FromAt != nil {
		return at.Before(*other.FromAt)
	}

	return day < otherDay
}

// Follow has stops have the times at which a truck came to them and left them by now.
func Follow(now, stops []Stop) {
	for i := range stops {
		is := Stop{}
		if at := Place(now, stops[i].UUID); at >= 0 {
			is = now[at]
		}
		stops[i].ArrivedAt, stops[i].DepartedAt = is.ArrivedAt, is.DepartedAt
	}
}

// KeepTimes has stops have the times that they had: only status updates set them, and wrong gets what says otherwise.
func KeepTimes(before, now []Stop, wrong *errs.Error) *errs.Error {
	for i := range now {
		is := Stop{}
		if at := Place(before, now[i].UUID); at >= 0 {
			is = before[at]
		}
		for _, one := range []struct {
			name, kind    string
			written, kept *time.Time
		}{{"arrived_at", "arrived", now[i].ArrivedAt, is.ArrivedAt}, {"departed_at", "departed", now[i].DepartedAt, is.DepartedAt}} {
			if one.written != nil && (one.kept == nil || !one.written.Equal(*one.kept)) {
				wrong = wrong.WithField("stops."+strconv.Itoa(i)+"."+one.name,
					"`"+one.name+"` is set by the service. Use POST /status_updates with the kind "+one.kind+".")
			}
		}
	}
	Follow(before, now)

	return wrong
}

// Place is the position of a stop, -1 for one that is not there.
func Place(all []Stop, id uuid.UUID) int {
	return slices.IndexFunc(all, func(s Stop) bool { return s.UUID == id })
}

// CheckEnds refuses a way that does not lead from a stop to a later one. It is named by at, and uuid.Nil is the first stop, or the last.
func CheckEnds(all []Stop, at string, from, to uuid.UUID, wrong *errs.Error) *errs.Error {
	begin, end := 0, len(all)-1
	if from != uuid.Nil {
		if begin = Place(all, from); begin < 0 {
			wrong = wrong.WithField(at+".pickup_stop_uuid", "The load has no such stop.")
		}
	}
	if to != uuid.Nil {
		if end = Place(all, to); end < 0 {
			wrong = wrong.WithField(at+".delivery_stop_uuid", "The load has no such stop.")
		}
	}
	if begin >= 0 && end >= 0 && begin >= end && (from != uuid.Nil || to != uuid.Nil) {
		wrong = wrong.WithField(at+".delivery_stop_uuid", "The delivery must come after the pickup in the order of the stops.")
	}

	return wrong
}

// ZIP3 is the beginning of a ZIP code, by which lanes are compared.
func ZIP3(code string) string {
	const digits = 3
	if len(code) < digits {
		return ""
	}

	return code[:digits]
}
