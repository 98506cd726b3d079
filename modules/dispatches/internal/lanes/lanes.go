// Package lanes says what carriers got on a lane.
package lanes

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Analyst says what carriers may ask for, by what they got.
type Analyst struct {
	rates  loadsapi.Rates
	places routeengineapi.Places
	routes routeengineapi.Routes
	users  *identity.Service
	clock  clock.Clock
}

// NewAnalyst returns an analyst.
func NewAnalyst(rates loadsapi.Rates, places routeengineapi.Places, routes routeengineapi.Routes, users *identity.Service, c clock.Clock) *Analyst {
	return &Analyst{rates, places, routes, users, c}
}

var errInvalid = errs.New(errs.Invalid, "dispatches.invalid_offer", "The given data was invalid.")

const (
	priceDays    = 180
	leastLoads   = 5
	halfLife     = 45 * 24 * time.Hour
	mostCompared = 20
)

// Routes registers the operation.
func Routes(r *web.Router, a *Analyst) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/pricing_intelligence", ID: "read_pricing_intelligence", Access: web.Read, Summary: "Read what carriers got on a lane",
		Description: "From the company's own loads that carriers got within 180 days: between the same areas (the first three digits of the ZIP codes), else between the same states, else over a like distance, by the mile; of each at least five. " +
			"Per vehicle, of the same type of transport, and of loads that all run, or of which a vehicle does not. Later ones weigh more: half for each 45 days. Never from other companies' loads.",
		Errors: []*errs.Error{errInvalid, routeengineapi.ErrUnknownPlace, routeengineapi.ErrNoRoad},
	}, a.read)
}

type intelligenceInput struct {
	Body struct {
		From       string         `json:"origin" minLength:"5" maxLength:"10" doc:"A ZIP code." example:"75201"`
		To         string         `json:"destination" minLength:"5" maxLength:"10" example:"33101"`
		Vehicles   int64          `json:"vehicles,omitempty" minimum:"1" maximum:"50" default:"1"`
		Inoperable bool           `json:"inoperable,omitempty" doc:"Whether a vehicle does not run."`
		Transport  string         `json:"transport_type,omitempty" enum:"open,enclosed,driveaway" default:"open"`
		Currency   money.Currency `json:"currency,omitempty" doc:"By default the company's."`
	}
}

// level is how close the loads are that were compared.
type level string

const (
	byZIP3  level = "zip3"
	byState level = "state"
	byMiles level = "distance"
	byNone  level = "none"
)

// compared is a load that was compared.
type compared struct {
	Number   string       `json:"load_number"`
	Vehicles int64        `json:"vehicles"`
	Price    money.Amount `json:"price" doc:"What the carrier got."`
	PerMile  money.Amount `json:"per_mile" doc:"Per vehicle; null if the miles are not known."`
	Miles    int64        `json:"miles"`
	At       time.Time    `json:"dispatched_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (compared) SchemaName() string { return "ComparedLoad" }

// priceRange is between what a price is likely to be: the quartiles.
type priceRange struct {
	Low  money.Amount `json:"low"`
	Mid  money.Amount `json:"mid"`
	High money.Amount `json:"high"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (priceRange) SchemaName() string { return "PriceRange" }

type intelligenceOutput struct {
	Body struct {
		Price      *priceRange    `json:"price" doc:"For all vehicles; null for fewer than five loads."`
		PerMile    money.Amount   `json:"per_mile" doc:"The mid price per mile and vehicle."`
		Miles      int64          `json:"miles"`
		Currency   money.Currency `json:"currency"`
		Loads      int            `json:"n" doc:"How many loads were compared."`
		Days       int            `json:"window_days"`
		Basis      string         `json:"basis" enum:"own_history,none"`
		Level      level          `json:"lane_level" enum:"zip3,state,distance,none"`
		Confidence string         `json:"confidence" enum:"high,medium,low,none" doc:"high: 20 loads of the same areas; medium: fewer, or 20 of the same states."`
		Compared   []compared     `json:"comparables" nullable:"false" doc:"The latest 20."`
		Explained  []string       `json:"explained" nullable:"false"`
	}
}

func (a *Analyst) read(ctx context.Context, in *intelligenceInput) (*intelligenceOutput, error) {
	if err := web.RequireScope(ctx, loadsapi.Margins, "Reading what carriers got"); err != nil {
		return nil, err
	}
	b, out := in.Body, &intelligenceOutput{}
	if b.Currency == "" {
		usual, err := a.users.Currency(ctx)
		if err != nil {
			return nil, err
		}
		b.Currency = money.Currency(usual)
	}
	from, err := a.places.Place(ctx, b.From)
	if err != nil {
		return nil, err
	}
	to, err := a.places.Place(ctx, b.To)
	if err != nil {
		return nil, err
	}
	way, err := a.routes.Route(ctx, routeengineapi.Stop{ZIP: b.From}, routeengineapi.Stop{ZIP: b.To})
	if err != nil {
		return nil, err
	}
	miles := int64(math.Round(way.Miles))
	o := &out.Body
	o.Miles, o.Currency, o.Days, o.Basis, o.Level, o.Confidence, o.Compared, o.Explained = miles, b.Currency, priceDays, "none", byNone, "none", []compared{}, []string{}
	like := loadsapi.PaidFor{Since: a.clock.Now().AddDate(0, 0, -priceDays), Currency: string(b.Currency), TransportType: b.Transport, Inoperable: b.Inoperable}
	for _, of := range []struct {
		level level
		name  string
		with  func(f *loadsapi.PaidFor)
	}{
		{byZIP3, "from " + b.From[:3] + " to " + b.To[:3], func(f *loadsapi.PaidFor) { f.FromZIP3, f.ToZIP3 = b.From[:3], b.To[:3] }},
		{byState, "from " + from.State + " to " + to.State, func(f *loadsapi.PaidFor) { f.FromState, f.ToState = from.State, to.State }},
		{byMiles, fmt.Sprintf("over about %d miles", miles), func(f *loadsapi.PaidFor) { f.MilesFrom, f.MilesUpTo = miles*3/4, miles*5/4+1 }},
	} {
		f := like
		of.with(&f)
		rows, err := a.rates.Paid(ctx, f)
		if err != nil {
			return nil, err
		}
		o.Explained = append(o.Explained, fmt.Sprintf("%d loads %s.", len(rows), of.name))
		if len(rows) < leastLoads {
			continue
		}
		o.Level, o.Basis, o.Loads = of.level, "own_history", len(rows)
		o.Confidence = confidence(of.level, len(rows))
		o.Price, o.PerMile, o.Compared = a.price(rows, of.level, miles, b.Vehicles, b.Currency)

		break
	}

	return out, nil
}

func confidence(of level, n int) string {
	const many = 20
	switch {
	case of == byZIP3 && n >= many:
		return "high"
	case of == byZIP3, of == byState && n >= many:
		return "medium"
	}

	return "low"
}

// weighted is a price per vehicle, and how much it counts.
type weighted struct{ units, weight float64 }

// price is what so many vehicles cost, by what others did. Over a like distance, prices go by the mile.
func (a *Analyst) price(rows []loadsapi.Paid, of level, miles, vehicles int64, in money.Currency) (*priceRange, money.Amount, []compared) {
	now, all, shown := a.clock.Now(), make([]weighted, 0, len(rows)), []compared{}
	amount := func(units float64) money.Amount { return money.OfUnits(int64(math.Round(units)), in).Amount }
	for _, row := range rows {
		made, err := money.Of(money.Amount(row.CarrierPay), in)
		n, whole := made.Units()
		if err != nil || !whole {
			continue
		}
		each := float64(n) / float64(row.Vehicles)
		c := compared{Number: row.Number, Vehicles: row.Vehicles, Price: amount(float64(n)), Miles: row.Miles, At: row.At}
		if row.Miles > 0 {
			c.PerMile = amount(each / float64(row.Miles))
		}
		if of == byMiles {
			each = each / float64(row.Miles) * float64(miles)
		}
		all = append(all, weighted{each, math.Exp2(-float64(now.Sub(row.At)) / float64(halfLife))})
		if len(shown) < mostCompared {
			shown = append(shown, c)
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return int(math.Copysign(1, a.units-b.units)) })
	many := float64(vehicles)
	mid := quantile(all, 0.5)                                                                                        //nolint:mnd // the median
	price := &priceRange{amount(many * quantile(all, 0.25)), amount(many * mid), amount(many * quantile(all, 0.75))} //nolint:mnd // quartiles
	if miles == 0 {
		return price, "", shown
	}

	return price, amount(mid / float64(miles)), shown
}

// quantile is the smallest price below which lies a share of all weight.
func quantile(all []weighted, share float64) float64 {
	sum := 0.0
	for _, one := range all {
		sum += one.weight
	}
	passed := 0.0
	for _, one := range all {
		if passed += one.weight; passed >= share*sum {
			return one.units
		}
	}

	return 0
}
