package tracking

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
)

// journeys are what tracking knows of loads.
type journeys struct {
	standings loadsapi.Standings
	views     loadsapi.Views
	places    routeengineapi.Places
}

func newJourneys(s loadsapi.Standings, v loadsapi.Views, p routeengineapi.Places) *journeys {
	return &journeys{s, v, p}
}

// standing is how far a load is.
func (j *journeys) standing(ctx context.Context, load uuid.UUID) (loadsapi.Standing, error) {
	return j.standings.Standing(ctx, load.String())
}

// loadSeen is a load as its customer sees it.
type loadSeen loadsapi.CustomerView

// seen returns a load as its customer sees it.
func (j *journeys) seen(ctx context.Context, load uuid.UUID) (loadSeen, error) {
	seen, err := j.views.Customer(ctx, load.String())

	return loadSeen(seen.Load), err
}

// waits is where vehicles wait that their first carrier has handed over, "" for none.
func (l loadSeen) waits() string {
	for _, v := range l.Vehicles {
		for _, s := range l.Stops {
			if v.Custody == loadsapi.VehicleWaiting && s.Kind == "transfer" && s.UUID == v.Pickup {
				return strings.Trim(s.Venue.City+", "+s.Venue.State, ", ")
			}
		}
	}

	return ""
}

// coming adds who comes, and when.
func (j *journeys) coming(ctx context.Context, load uuid.UUID, t *tracked) error {
	f, err := j.standings.Following(ctx, load.String())
	t.Carrier, t.Driver, t.Phone, t.Pickup, t.Delivery = f.Carrier, f.Driver, f.Phone, f.PickupDate, f.DeliveryDate
	if !f.ETAPickup.IsZero() {
		t.AtPickup = &f.ETAPickup
	}
	if !f.ETADelivery.IsZero() {
		t.AtDelivery = &f.ETADelivery
	}

	return err
}

// way is where a load goes from, and where to; since is when it was picked up.
type way struct {
	from, to routeengineapi.Place
	since    time.Time
}

// way is the way of a load as its customer sees it; false before it is picked up, after it is delivered, and for places that are not known.
func (j *journeys) way(ctx context.Context, l loadSeen) (w way, moves bool) {
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
	w.from, unknown[0] = j.places.Place(ctx, from.Venue.PostalCode)
	w.to, unknown[1] = j.places.Place(ctx, l.Stops[len(l.Stops)-1].Venue.PostalCode)

	return w, errors.Join(unknown[:]...) == nil && !w.since.IsZero()
}

// arrival is when a truck arrives that was somewhere at a time.
func (w way) arrival(places routeengineapi.Places, from routeengineapi.Place, at time.Time) time.Time {
	return at.Add(time.Duration(places.Miles(from, w.to) / milesADay * 24 * float64(time.Hour))).UTC().Truncate(time.Minute) //nolint:mnd // hours of a day
}
