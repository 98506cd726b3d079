package routeengine

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
)

// contractPlaces implements routeengineapi.Places.
type contractPlaces struct{}

func newContractPlaces() routeengineapi.Places { return contractPlaces{} }

// Place implements routeengineapi.Places.
func (contractPlaces) Place(_ context.Context, zip string) (routeengineapi.Place, error) {
	found, wrong := findByZIP(zip)
	if !wrong.found() {
		return routeengineapi.Place{}, wrong.on(errUnknownPlace, "")
	}

	return published(found[0].land), nil
}

// City implements routeengineapi.Places.
func (contractPlaces) City(_ context.Context, city, state string) (routeengineapi.Place, error) {
	found, wrong := findByCity("city", city, state)
	if !wrong.found() {
		return routeengineapi.Place{}, wrong.on(errUnknownPlace, "")
	}

	return published(found[0].land), nil
}

// Near implements routeengineapi.Places.
func (contractPlaces) Near(_ context.Context, lat, lng float64) (routeengineapi.Place, float64) {
	p, miles := places.Nearest(lat, lng)

	return published(p), miles
}

// Miles implements routeengineapi.Places.
func (contractPlaces) Miles(from, to routeengineapi.Place) float64 {
	return distance.Road(distance.Point{Lat: from.Lat, Lng: from.Lng}, distance.Point{Lat: to.Lat, Lng: to.Lng})
}

func published(p places.Place) routeengineapi.Place {
	return routeengineapi.Place{
		Country: cmp.Or(p.Country, routeengineapi.UnitedStates), ID: p.ID, ZIP: p.ZIP, City: p.City, State: p.State, County: p.County, Lat: p.Lat, Lng: p.Lng, TimeZone: p.TimeZone, Military: p.Kind == places.Military,
	}
}

// contractRoutes implements routeengineapi.Routes.
type contractRoutes struct{ router *router }

func newContractRoutes(r *router) routeengineapi.Routes { return contractRoutes{r} }

// Route implements routeengineapi.Routes.
func (c contractRoutes) Route(ctx context.Context, stops ...routeengineapi.Stop) (routeengineapi.Route, error) {
	field := func(i int) string { return fmt.Sprintf("stops.%d", i) }
	asked := make([]stop, len(stops))
	for i, s := range stops {
		asked[i] = stop{ZIP: s.ZIP, PlaceID: s.PlaceID, City: s.City, State: s.State, Lat: s.Lat, Lng: s.Lng}
	}
	_, found, err := c.router.over(ctx, asked, vendors.CarHauler, field)
	if err != nil {
		return routeengineapi.Route{}, err
	}
	out := routeengineapi.Route{
		Miles: found.Miles, Minutes: found.Minutes, Measured: found.Accuracy == measured, Refreshing: found.Refreshing,
		FromDays: found.Days.From, ToDays: found.Days.To,
	}
	for _, l := range found.Legs {
		out.Legs = append(out.Legs, routeengineapi.Leg{Miles: l.Miles, Minutes: l.Minutes, Measured: l.Accuracy == measured})
	}
	for _, w := range found.Warnings {
		out.Warnings = append(out.Warnings, w.Code)
	}

	return out, nil
}

// contractPricing implements routeengineapi.Pricing.
type contractPricing struct {
	pricer *pricer
	tokens *tokens
}

func newContractPricing(p *pricer, t *tokens) routeengineapi.Pricing {
	return contractPricing{pricer: p, tokens: t}
}

// Redeem implements routeengineapi.Pricing.
func (c contractPricing) Redeem(ctx context.Context, token string) (routeengineapi.QuickQuote, error) {
	return c.tokens.redeem(ctx, token)
}

// Price implements routeengineapi.Pricing.
func (c contractPricing) Price(ctx context.Context, t routeengineapi.Transport) (routeengineapi.Price, error) {
	return c.pricer.price(ctx, t)
}
