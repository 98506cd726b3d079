package routeengine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// router returns the miles of routes: from corrections, from measurements of the provider or, failing both, estimates.
type router struct {
	atlas       *atlas
	measurer    *measurer
	corrections *resource.Resource[correction]
	settings    settings
}

func newRouter(a *atlas, m *measurer, corrections *resource.Resource[correction], s settings) *router {
	return &router{atlas: a, measurer: m, corrections: corrections, settings: s}
}

// over locates stops and finds the route over them. Field names a stop in refusals.
func (r *router) over(ctx context.Context, asked []stop, p vendors.Profile, field func(i int) string) (stops []place, found route, err error) {
	stops, _, err = r.atlas.locate(ctx, asked, field)
	if err != nil {
		return nil, route{}, err
	}
	found, err = r.find(ctx, stops, p, field)

	return stops, found, err
}

// route leads over stops.
type route struct {
	Miles      float64   `json:"miles" doc:"By road, the sum of the legs, with one decimal." example:"1243.4"`
	Minutes    int       `json:"minutes" doc:"Driving time, including stops for fuel." example:"1332"`
	Days       window    `json:"transit_days" doc:"The usual days until delivery; not a guarantee."`
	Accuracy   string    `json:"accuracy" enum:"estimated,measured" doc:"Measured if all legs are."`
	ErrorBand  *float64  `json:"error_band" doc:"The usual error of estimated miles as a fraction of them: the root mean square error of the formula, not a bound. Null for measured miles." example:"0.08"`
	Legs       []leg     `json:"legs" nullable:"false"`
	Warnings   []warning `json:"warnings" nullable:"false"`
	Refreshing bool      `json:"refreshing" doc:"Whether a provider or geocoder is being asked. Repeat the request later for its answer."`
}

// SchemaName implements web.SchemaNamer.
func (route) SchemaName() string { return "Route" }

type window struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// leg leads from one stop to the next.
type leg struct {
	From       place      `json:"from"`
	To         place      `json:"to"`
	Miles      float64    `json:"miles" example:"1243.4"`
	Minutes    int        `json:"minutes" example:"1332"`
	Straight   float64    `json:"straight_miles" doc:"Great-circle distance." example:"1110.0"`
	Accuracy   string     `json:"accuracy" enum:"estimated,measured"`
	Provider   string     `json:"provider" enum:"offline,correction,osrm,valhalla" doc:"Where the miles are from: the formula, a correction of this lane, or a provider."`
	Ways       int        `json:"corrections" doc:"Number of corrections of nearby lanes that changed the estimate."`
	MeasuredAt *time.Time `json:"measured_at" doc:"When the provider measured the leg."`
	Polyline   *string    `json:"polyline" doc:"For a measured leg, with a precision of six decimals; null if the provider returned none."`
}

// SchemaName implements web.SchemaNamer.
func (leg) SchemaName() string { return "RouteLeg" }

const (
	estimated = "estimated"
	measured  = "measured"
	// corrected is the provider of the miles of a correction.
	corrected = "correction"
	// errorBand is the root mean square of the errors of the pairs that the formula was not fitted to.
	errorBand = 0.08
)

// warning is a restriction or a doubt about a leg.
type warning struct {
	Code    string `json:"code" enum:"ferry,border,no_road,no_route,provider_failed"`
	Message string `json:"message"`
	Leg     int    `json:"leg" doc:"Index of the leg, from 0."`
}

// SchemaName implements web.SchemaNamer.
func (warning) SchemaName() string { return "RouteWarning" }

// between returns how two places are connected. Points abroad count as connected with the mainland.
func between(from, to place) places.Way {
	way := places.Between(from.land, to.land)
	way.Border = way.Border || from.Country != to.Country

	return way
}

// find returns the route over located stops. field names a stop of the request.
func (r *router) find(ctx context.Context, stops []place, p vendors.Profile, field func(i int) string) (route, error) {
	out := route{Warnings: []warning{}, Accuracy: measured}
	for i := 1; i < len(stops); i++ {
		way := between(stops[i-1], stops[i])
		if !way.Connected {
			return out, noRoad(stops[i-1], stops[i], field(i))
		}
		out.warn(i-1, way, stops[i-1], stops[i])
		out.Legs = append(out.Legs, leg{From: stops[i-1], To: stops[i]})
	}
	knownWays, err := r.known(ctx, out.Legs)
	if err != nil {
		return out, err
	}
	var rows map[string]measuredRow
	if rows, out.Refreshing, err = r.measurer.measured(ctx, out.Legs, p); err != nil {
		return out, err
	}
	total := 0.0
	for i := range out.Legs {
		l := &out.Legs[i]
		row := rows[laneOf(l.From, l.To)]
		l.fill(distance.Correct(l.From.point, l.To.point, knownWays), row, string(r.settings.Provider))
		if row.Outcome == outcomeNone {
			out.Warnings = append(out.Warnings, warning{"no_route", "The provider finds no route. The miles are estimated.", i})
		}
		if row.Asked.FailedAt != nil {
			out.Warnings = append(out.Warnings, warning{"provider_failed", "The provider could not measure the route: " + row.Asked.Why + ".", i})
		}
		if l.Accuracy == estimated {
			out.Accuracy, out.ErrorBand = estimated, new(errorBand)
		}
		total += l.Miles
		out.Minutes += l.Minutes
	}
	out.Miles = tenth(total)
	out.Days.From, out.Days.To = distance.Days(out.Miles)

	return out, nil
}

// noRoad is the error for two stops that are not connected.
func noRoad(from, to place, field string) *errs.Error {
	return errNoRoad.WithField(field, fmt.Sprintf("No road or ferry for cars connects %s with %s.", from.Name, to.Name)).
		WithDetail("between", []string{from.ID, to.ID})
}

func (r *route) warn(i int, way places.Way, from, to place) {
	if way.Ferry {
		r.Warnings = append(r.Warnings, warning{"ferry", "The way takes a ferry, whose fare and times are not in the miles and minutes.", i})
	}
	switch {
	case from.Country != to.Country:
		r.Warnings = append(r.Warnings, warning{"border", fmt.Sprintf("The way crosses the border between %s and %s.", from.Country, to.Country), i})
	case way.Border:
		r.Warnings = append(r.Warnings, warning{"border", "The road leads through Canada.", i})
	}
}

// fill sets the miles and minutes of a leg: those of a correction of the lane, those of the provider, or the estimate.
func (l *leg) fill(c distance.Correction, row measuredRow, provider string) {
	straight := distance.GreatCircle(l.From.point, l.To.point)
	miles, minutes := c.Miles, distance.Minutes(c.Miles)
	switch {
	case c.Exact:
		l.Accuracy, l.Provider = measured, corrected
	case row.Outcome == outcomeMeasured:
		l.Accuracy, l.Provider, l.MeasuredAt = measured, provider, row.Asked.FetchedAt
		miles, minutes = max(straight, float64(row.Meters)/metersPerMile), float64(row.Seconds)/secondsPerMinute
		if row.Polyline != "" {
			l.Polyline = &row.Polyline
		}
	default:
		l.Accuracy, l.Provider, l.Ways = estimated, string(offline), c.Ways
	}
	l.Miles, l.Minutes, l.Straight = tenth(miles), int(math.Round(minutes)), math.Floor(straight*10)/10 //nolint:mnd // one digit
}

// tenth rounds miles to one decimal.
func tenth(miles float64) float64 { return math.Round(miles*10) / 10 } //nolint:mnd // see its name

// zoneRadius is the most miles between a ZIP code and the center of its zone at which the zone still finds it.
const zoneRadius = 40

// known returns the corrections that may apply to legs, the newest of each lane, from zones near both ends of a leg. It uses one statement.
func (r *router) known(ctx context.Context, legs []leg) ([]distance.Measured, error) {
	zones := map[string]bool{}
	for _, l := range legs {
		radius := distance.Reach(l.From.point, l.To.point) + zoneRadius
		for _, end := range []place{l.From, l.To} {
			for _, prefix := range places.ZonesNear(end.point.Lat, end.point.Lng, radius) {
				zones[prefix] = true
			}
		}
	}
	near := make([]string, 0, len(zones))
	for prefix := range zones {
		near = append(near, prefix)
	}
	slices.Sort(near)
	rows, err := r.corrections.Where(ctx, "from_zone IN ? AND to_zone IN ?", near, near)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b correction) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	ways := make([]distance.Measured, 0, len(rows))
	seen := map[string]bool{}
	for _, c := range rows {
		if seen[c.Lane] {
			continue
		}
		seen[c.Lane] = true
		from, problem := findZIP(c.FromZIP)
		to, other := findZIP(c.ToZIP)
		if problem+other == "" { // a ZIP code may have gone from newer data
			ways = append(ways, distance.Measured{From: pointOf(from), To: pointOf(to), Miles: float64(c.Miles)})
		}
	}

	return ways, nil
}
