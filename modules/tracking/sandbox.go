package tracking

import (
	"math"
	"time"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
)

// milesADay is how far a truck is driven in a day, with the hours of rest that the law asks for.
const milesADay = 500

// sandboxSource is the source of positions that are made up.
const sandboxSource = "sandbox"

// at is where a truck is that goes straight on at milesADay.
func (w way) at(now time.Time) position {
	const earthMiles = 3958.8
	rad := func(degrees float64) float64 { return degrees * math.Pi / 180 } //nolint:mnd // half a turn
	vector := func(p routeengineapi.Place) [3]float64 {
		return [3]float64{math.Cos(rad(p.Lat)) * math.Cos(rad(p.Lng)), math.Cos(rad(p.Lat)) * math.Sin(rad(p.Lng)), math.Sin(rad(p.Lat))}
	}
	a, b := vector(w.from), vector(w.to)
	angle := math.Acos(max(-1, min(1, a[0]*b[0]+a[1]*b[1]+a[2]*b[2])))
	part := 1.0
	if driven := now.Sub(w.since).Hours() / 24 * milesADay; angle > 0 { //nolint:mnd // hours of a day
		part = max(0, min(1, driven/(angle*earthMiles)))
	}
	first, second := 1-part, part
	if sine := math.Sin(angle); sine > 0 {
		first, second = math.Sin((1-part)*angle)/sine, math.Sin(part*angle)/sine
	}
	x, y, z := first*a[0]+second*b[0], first*a[1]+second*b[1], first*a[2]+second*b[2]
	deg := func(radians float64) int64 { return int64(math.Round(radians * 180 / math.Pi * micro)) } //nolint:mnd // half a turn

	return position{At: now.UTC().Truncate(time.Second), Lat: deg(math.Atan2(z, math.Hypot(x, y))), Lng: deg(math.Atan2(y, x)), Source: sandboxSource}
}
