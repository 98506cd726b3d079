// Package vendors asks routing engines and geocoders that an operator runs: OSRM, Valhalla and Nominatim.
//
// They are asked by jobs, never by a request. The text of an error may be shown to users: it has no address and nothing of an answer.
package vendors

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// Profile is what drives.
type Profile string

// The profiles.
const (
	CarHauler Profile = "car_hauler"
	Car       Profile = "car"
)

// Way is a measured way between two points.
type Way struct {
	Miles, Minutes float64
	// Polyline is the way in the encoded polyline format with six digits after the point, "" if there is none or it is too long.
	Polyline string
}

// Router measures ways. It fails with ErrNoRoute if there is none.
type Router interface {
	Route(ctx context.Context, from, to distance.Point, p Profile) (Way, error)
}

// Address is what a geocoder found.
type Address struct {
	Name  string         `json:"name"`
	ZIP   string         `json:"zip"`
	Point distance.Point `json:"point"`
}

// Geocoder finds addresses, none if there are none.
type Geocoder interface {
	Find(ctx context.Context, query string) ([]Address, error)
}

// ErrNoRoute is the failure of a way that does not exist.
var ErrNoRoute = errors.New("there is no route between these points")

// Why a vendor could not be asked.
var (
	errNotAsked   = errors.New("it could not be asked")
	errTooMany    = errors.New("it received too many requests")
	errRefused    = errors.New("it refused the request")
	errIncomplete = errors.New("its answer is incomplete")
	errNotJSON    = errors.New("its answer is not JSON")
)

const (
	askTimeout = 20 * time.Second
	maxAnswer  = 4 << 20
	// maxPolyline is how long a polyline may be to be kept.
	maxPolyline = 64 << 10

	metersPerMile    = 1609.344
	secondsPerMinute = 60
)

func apiOf(network *outbound.Network, name, address string) (*outbound.API, error) {
	client, err := network.Client(outbound.Spec{Name: "route_engine." + name, Timeout: askTimeout, MaxAnswer: maxAnswer})
	if err != nil {
		return nil, err
	}

	return client.API(address)
}

// get asks, and returns what may be shown of a failure. A refusal that explain knows is what it says.
func get(ctx context.Context, api *outbound.API, r outbound.Request, out any, explain func(body []byte) error) error {
	r.Repeat = outbound.RepeatIdempotent()
	_, err := api.Call(ctx, r, out)
	if err == nil {
		return nil
	}
	failure, ok := errors.AsType[*outbound.Error](err)
	if !ok {
		return errNotAsked
	}
	if failure.Answer != nil && failure.Status >= http.StatusBadRequest && failure.Status < http.StatusInternalServerError {
		if known := explain(failure.Answer.Body); known != nil {
			return known
		}
	}
	switch {
	case failure.Status == http.StatusTooManyRequests:
		return errTooMany
	case failure.Reason == outbound.NotJSON:
		return errNotJSON
	case failure.Status >= http.StatusBadRequest && failure.Status < http.StatusInternalServerError:
		return errRefused
	}

	return failure
}

// checked returns a way, or errIncomplete for numbers that no way has. A point has a way of no length to itself.
func checked(w Way) (Way, error) {
	for _, n := range []float64{w.Miles, w.Minutes} {
		if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
			return Way{}, errIncomplete
		}
	}
	if len(w.Polyline) > maxPolyline {
		w.Polyline = ""
	}

	return w, nil
}
