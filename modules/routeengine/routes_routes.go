package routeengine

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func routeRoutes(r *web.Router, routes *router) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/routes", ID: "find_route", Access: web.Read, Summary: "Calculate the miles and minutes of a route",
		Description: "The response never waits for a provider. Legs that the provider has measured before are `measured`. Others are estimated, and " +
			"measured in the background: `refreshing` is true, and a later request returns the measured miles.",
		Errors: []*errs.Error{errUnknownPlace, errNoRoad},
	}, routes.answer)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/lanes", ID: "read_lane", Access: web.Read, Summary: "Read a lane",
		Description: "A lane connects two zones, the first three digits of ZIP codes. `route` is null, with a warning, if no road connects the places.",
		Errors:      []*errs.Error{errUnknownPlace},
	}, routes.lane)
}

type routeInput struct {
	Body struct {
		Stops   []stop          `json:"stops" minItems:"2" maxItems:"25" doc:"In order, each by one of zip, place_id, address, city with state, and lat with lng."`
		Profile vendors.Profile `json:"profile,omitempty" enum:"car_hauler,car" default:"car_hauler" doc:"The vehicle that drives. Only Valhalla uses it."`
	}
}

type routeOutput struct{ Body route }

func (r *router) answer(ctx context.Context, in *routeInput) (*routeOutput, error) {
	field := func(i int) string { return fmt.Sprintf("stops.%d", i) }
	stops, asking, err := r.atlas.locate(ctx, in.Body.Stops, field)
	if err != nil {
		return nil, err
	}
	found, err := r.find(ctx, stops, in.Body.Profile, field)
	if err != nil {
		return nil, err
	}
	found.Refreshing = found.Refreshing || asking

	return &routeOutput{found}, nil
}

type laneInput struct {
	Body struct {
		Origin      stop `json:"origin"`
		Destination stop `json:"destination"`
	}
}

type laneOutput struct{ Body lane }

// lane connects two zones.
type lane struct {
	Lane        *string   `json:"lane" doc:"Both zones; null if one of the places is not in the United States." example:"752-331"`
	Origin      laneEnd   `json:"origin"`
	Destination laneEnd   `json:"destination"`
	Straight    float64   `json:"straight_miles" doc:"Of the great circle." example:"1110.0"`
	Route       *route    `json:"route" doc:"Null if there is no road."`
	Warnings    []warning `json:"warnings" nullable:"false"`
}

// SchemaName implements web.SchemaNamer.
func (lane) SchemaName() string { return "Lane" }

type laneEnd struct {
	Place place `json:"place"`
	Zone  *zone `json:"zone" doc:"Null outside of the United States."`
}

// zone is the area of the ZIP codes with the same first three digits.
type zone struct {
	Prefix string  `json:"prefix" example:"752"`
	Name   string  `json:"name" doc:"The city with most of its ZIP codes." example:"Dallas, TX"`
	ZIPs   int     `json:"zips" doc:"How many ZIP codes it has: few, where few people live."`
	Lat    float64 `json:"lat"`
	Lng    float64 `json:"lng"`
}

// SchemaName implements web.SchemaNamer.
func (zone) SchemaName() string { return "Zone" }

func (r *router) lane(ctx context.Context, in *laneInput) (*laneOutput, error) {
	field := func(i int) string { return []string{"origin", "destination"}[i] }
	stops, asking, err := r.atlas.locate(ctx, []stop{in.Body.Origin, in.Body.Destination}, field)
	if err != nil {
		return nil, err
	}
	out := lane{Origin: endOf(stops[0]), Destination: endOf(stops[1]), Warnings: []warning{}}
	out.Straight = tenth(distance.GreatCircle(stops[0].point, stops[1].point))
	if out.Origin.Zone != nil && out.Destination.Zone != nil {
		out.Lane = new(out.Origin.Zone.Prefix + "-" + out.Destination.Zone.Prefix)
	}
	found, err := r.find(ctx, stops, vendors.CarHauler, field)
	switch {
	case errors.Is(err, errNoRoad):
		out.Warnings = append(out.Warnings, warning{"no_road", fmt.Sprintf("No road or ferry for cars connects %s with %s.", stops[0].Name, stops[1].Name), 0})
	case err != nil:
		return nil, err
	default:
		found.Refreshing = found.Refreshing || asking
		out.Route, out.Warnings = &found, found.Warnings
	}

	return &laneOutput{out}, nil
}

func endOf(p place) laneEnd {
	if p.ZIP == nil {
		return laneEnd{Place: p}
	}
	z := places.ZoneOf(p.land)

	return laneEnd{Place: p, Zone: &zone{Prefix: z.Prefix, Name: z.City + ", " + z.State, ZIPs: z.ZIPs, Lat: hundredThousandth(z.Lat), Lng: hundredThousandth(z.Lng)}}
}
