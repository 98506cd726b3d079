package tracking

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
)

// milesADay is how far a truck is driven in a day, with the hours of rest that the law asks for.
const milesADay = 500

// sandboxSource is the source of positions that are made up.
const sandboxSource = "sandbox"

// way is where a load goes from, and where to; since is when it was picked up.
type way struct {
	from, to routeengineapi.Place
	since    time.Time
}

// wayOf is the way of a load as its customer sees it; false before it is picked up, after it is delivered, and for places that are not known.
func wayOf(ctx context.Context, places routeengineapi.Places, l loadSeen) (w way, moves bool) {
	if l.State != loadsapi.PickedUp || len(l.Stops) == 0 {
		return w, false
	}
	var unknown [2]error
	from := l.Stops[0]
	for _, v := range l.Vehicles {
		if v.PickedUpAt == nil || !w.since.IsZero() && !v.PickedUpAt.Before(w.since) {
			continue
		}
		w.since, from = v.PickedUpAt.UTC(), l.Stops[0]
		for _, s := range l.Stops {
			if s.UUID == v.Pickup { // such as where another carrier has handed it over
				from = s
			}
		}
	}
	w.from, unknown[0] = places.Place(ctx, from.Venue.PostalCode)
	w.to, unknown[1] = places.Place(ctx, l.Stops[len(l.Stops)-1].Venue.PostalCode)

	return w, errors.Join(unknown[:]...) == nil && !w.since.IsZero()
}

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

// latest returns the last position until a time of the truck that has the load now. A company with the sandbox gets an invented one if none was
// reported. Error: errNone.
func (t *tracker) latest(ctx context.Context, load uuid.UUID, w way, until time.Time) (position, error) {
	of, err := t.standings.Standing(ctx, load.String())
	if err != nil {
		return position{}, err
	}
	p, err := t.rows.latest(ctx, load, of.Since.UTC(), until)
	if !errors.Is(err, errNone) || until.Before(w.since) {
		return p, err
	}
	terms, failed := t.settings.Read(ctx)
	if failed != nil || !terms.Now.Sandbox {
		return p, errors.Join(failed, err)
	}

	return w.at(until), nil
}

// madeUp are positions of each hour of a load since it was picked up, the latest first, where the company works with what is made up.
func (t *tracker) madeUp(ctx context.Context, load uuid.UUID, before time.Time, most int) ([]position, error) {
	terms, err := t.settings.Read(ctx)
	if err != nil || !terms.Now.Sandbox {
		return nil, err
	}
	l, err := t.seen(ctx, load)
	if err != nil {
		return nil, err
	}
	w, moves := wayOf(ctx, t.places, l)
	if !moves {
		return nil, nil
	}
	until := t.clock.Now().UTC()
	if before.Before(until) {
		until = before
	}
	var all []position
	for at := w.since; at.Before(until); at = at.Add(time.Hour) {
		all = append(all, w.at(at))
	}
	slices.Reverse(all)

	return all[:min(len(all), most)], nil
}

// arrival is when a truck arrives that was somewhere at a time.
func (w way) arrival(places routeengineapi.Places, from routeengineapi.Place, at time.Time) time.Time {
	return at.Add(time.Duration(places.Miles(from, w.to) / milesADay * 24 * float64(time.Hour))).UTC().Truncate(time.Minute) //nolint:mnd // hours of a day
}
