package vendors

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// osrm uses the HTTP API of OSRM (docs/http.md of Project-OSRM/osrm-backend). A server has one profile, so that of the request is not sent.
type osrm struct{ api *outbound.API }

// NewOSRM returns a router that calls an OSRM server at an address.
func NewOSRM(network *outbound.Network, address string) (Router, error) {
	api, err := apiOf(network, "osrm", address)

	return osrm{api}, err
}

// Route implements Router.
func (o osrm) Route(ctx context.Context, from, to distance.Point, _ Profile) (Way, error) {
	var out struct {
		Code   string `json:"code"`
		Routes []struct {
			Distance *float64 `json:"distance"`
			Duration *float64 `json:"duration"`
			Geometry string   `json:"geometry"`
		} `json:"routes"`
	}
	err := get(ctx, o.api, outbound.Request{
		Method: http.MethodGet,
		Path:   fmt.Sprintf("route/v1/driving/%.6f,%.6f;%.6f,%.6f", from.Lng, from.Lat, to.Lng, to.Lat),
		Query:  url.Values{"overview": {"simplified"}, "geometries": {"polyline6"}, "alternatives": {"false"}, "steps": {"false"}},
	}, &out, osrmReason)
	switch {
	case err != nil:
		return Way{}, err
	case out.Code != "Ok" || len(out.Routes) == 0 || out.Routes[0].Distance == nil || out.Routes[0].Duration == nil:
		return Way{}, errIncomplete
	}
	r := out.Routes[0]

	return checked(Way{Miles: *r.Distance / metersPerMile, Minutes: *r.Duration / secondsPerMinute, Polyline: r.Geometry})
}

// osrmReason explains the body of a refusal: {"code": "NoRoute", "message": "…"}.
func osrmReason(body []byte) error {
	var refusal struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(body, &refusal) == nil && (refusal.Code == "NoRoute" || refusal.Code == "NoSegment") {
		return ErrNoRoute
	}

	return nil
}
