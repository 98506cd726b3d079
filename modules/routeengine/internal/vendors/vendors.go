// Package vendors calls routing engines and geocoders that an operator runs: OSRM, Valhalla and Nominatim.
//
// Jobs call them, never requests. The text of an error may be shown to users: it contains neither an address nor a part of a response.
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

// Profile is the kind of vehicle that drives.
type Profile string

// The profiles.
const (
	CarHauler Profile = "car_hauler"
	Car       Profile = "car"
)

// Way is a measured route between two points.
type Way struct {
	Miles, Minutes float64
	// Polyline is the route in the encoded polyline format with six decimals, "" if there is none or it is too long.
	Polyline string
}

// Router measures routes. It fails with ErrNoRoute if there is none.
type Router interface {
	Route(ctx context.Context, from, to distance.Point, p Profile) (Way, error)
}

// Address is a result of a geocoder.
type Address struct {
	Name  string         `json:"name"`
	ZIP   string         `json:"zip"`
	Point distance.Point `json:"point"`
}

// Geocoder finds addresses, none if there are none.
type Geocoder interface {
	Find(ctx context.Context, query string) ([]Address, error)
}

// ErrNoRoute reports that no route exists.
var ErrNoRoute = errors.New("there is no route between these points")

// Failures of calls.
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
	// maxPolyline is the longest polyline that is kept.
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

// get makes a call, and returns errors that may be shown. explain may translate the body of a refusal.
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

// checked returns a way, or errIncomplete for impossible numbers. The way from a point to itself has no length.
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
