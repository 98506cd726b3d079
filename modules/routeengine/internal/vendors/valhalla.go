package vendors

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// valhalla uses the routing API of Valhalla (docs/docs/api/turn-by-turn/api-reference.md of valhalla/valhalla).
type valhalla struct{ api *outbound.API }

// NewValhalla returns a router that calls a Valhalla server at an address.
func NewValhalla(network *outbound.Network, address string) (Router, error) {
	api, err := apiOf(network, "valhalla", address)

	return valhalla{api}, err
}

type valhallaLocation struct {
	Lat  float64 `json:"lat"`
	Lon  float64 `json:"lon"`
	Type string  `json:"type"`
}

type valhallaRequest struct {
	Locations []valhallaLocation `json:"locations"`
	Costing   string             `json:"costing"`
	Options   map[string]any     `json:"costing_options,omitempty"`
	Units     string             `json:"units"`
	// Directions leaves out the maneuvers.
	Directions string `json:"directions_type"`
}

// carHauler is the size of a loaded car hauler, in meters and tonnes: 13 ft 6 in high, 75 ft long, 80,000 lb (23 CFR 658).
var carHauler = map[string]any{"truck": map[string]any{"height": 4.11, "width": 2.59, "length": 22.9, "weight": 36.3}}

// Route implements Router.
func (v valhalla) Route(ctx context.Context, from, to distance.Point, p Profile) (Way, error) {
	request := valhallaRequest{
		Locations: []valhallaLocation{{from.Lat, from.Lng, "break"}, {to.Lat, to.Lng, "break"}},
		Costing:   "auto", Units: "miles", Directions: "none",
	}
	if p == CarHauler {
		request.Costing, request.Options = "truck", carHauler
	}
	var out struct {
		Trip struct {
			Status  int    `json:"status"`
			Units   string `json:"units"`
			Summary struct {
				Length *float64 `json:"length"`
				Time   *float64 `json:"time"`
			} `json:"summary"`
			Legs []struct {
				Shape string `json:"shape"`
			} `json:"legs"`
		} `json:"trip"`
	}
	err := get(ctx, v.api, outbound.Request{Method: http.MethodPost, Path: "route", JSON: request}, &out, valhallaReason)
	summary := out.Trip.Summary
	switch {
	case err != nil:
		return Way{}, err
	case out.Trip.Status != 0 || summary.Length == nil || summary.Time == nil:
		return Way{}, errIncomplete
	}
	way := Way{Miles: *summary.Length, Minutes: *summary.Time / secondsPerMinute}
	if out.Trip.Units == "kilometers" {
		way.Miles *= 1000 / metersPerMile
	}
	if len(out.Trip.Legs) == 1 {
		way.Polyline = out.Trip.Legs[0].Shape
	}

	return checked(way)
}

// The error codes for missing routes: no suitable edges near a point, unconnected regions, no path.
const (
	valhallaNoEdges     = 171
	valhallaUnconnected = 170
	valhallaNoPath      = 442
)

func valhallaReason(body []byte) error {
	var refusal struct {
		Code int `json:"error_code"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return nil //nolint:nilerr // an answer of another form explains nothing
	}
	switch refusal.Code {
	case valhallaNoEdges, valhallaUnconnected, valhallaNoPath:
		return ErrNoRoute
	}

	return nil
}
