package rates

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Load is a load as what its lane has cost needs it.
type Load struct {
	ID                                       uuid.UUID
	Currency                                 money.Currency
	FromZIP3, ToZIP3, OriginState, DestState string
}

// Loads is what the package needs of loads.
type Loads interface {
	// ToRate returns a load. Error: loadsapi.ErrNotFound.
	ToRate(ctx context.Context, id uuid.UUID) (Load, error)
}

// Lanes says what lanes have cost.
type Lanes struct {
	loads Loads
	rows  repository
	clock clock.Clock
}

// NewLanes returns Lanes.
func NewLanes(loads Loads, db *database.DB, c clock.Clock) *Lanes {
	return &Lanes{loads, repository{db}, c}
}

// Routes registers the operation that reads what a lane has cost.
func Routes(r *web.Router, s *Lanes) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/previous_rates", ID: "read_previous_rates", Access: web.Read, Summary: "Read what the lane of a load has cost",
		Description: "Of the loads that were booked within 180 days between the same areas (the first three digits of the ZIP codes), or states if there are fewer than three. In the currency of the load.",
		Errors:      []*errs.Error{loadsapi.ErrNotFound},
	}, s.read)
}

// window is how long ago what a lane has cost still counts.
const window = 180 * 24 * time.Hour

// quarters is of how many parts quartiles are the ends.
const quarters = 4

// spread is how an amount is spread over loads.
type spread struct {
	P25 money.Amount `json:"p25"`
	P50 money.Amount `json:"p50" doc:"The median."`
	P75 money.Amount `json:"p75"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (spread) SchemaName() string { return "RateSpread" }

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type readOutput struct {
	Body struct {
		Loads      int     `json:"loads" doc:"How many loads were compared."`
		By         string  `json:"by" enum:"zip3,state,none" doc:"none: there are too few of both."`
		Tariff     *spread `json:"tariff" doc:"Null for fewer than three loads, and without the scope loads:margins."`
		CarrierPay *spread `json:"carrier_pay"`
	}
}

func (s *Lanes) read(ctx context.Context, in *readInput) (*readOutput, error) {
	l, err := s.loads.ToRate(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out, since := &readOutput{}, s.clock.Now().Add(-window)
	out.Body.By = "none"
	for _, lane := range []struct{ by, from, to, where string }{
		{"zip3", l.FromZIP3, l.ToZIP3, "origin_zip3 = ? AND destination_zip3 = ?"},
		{"state", l.OriginState, l.DestState, "origin_state = ? AND destination_state = ?"},
	} {
		if lane.from == "" || lane.to == "" {
			continue
		}
		rows, err := s.rows.costs(ctx, lane.where, lane.from, lane.to, l, since)
		if err != nil {
			return nil, err
		}
		if out.Body.Loads = len(rows); len(rows) < least {
			continue
		}
		if out.Body.By = lane.by; !margins.Seen(ctx) {
			break
		}
		out.Body.Tariff = spreadOf(rows, l.Currency, func(c cost) money.Amount { return c.Tariff })
		out.Body.CarrierPay = spreadOf(rows, l.Currency, func(c cost) money.Amount { return c.CarrierPay })

		break
	}

	return out, nil
}

// least is how many loads say what a lane has cost.
const least = 3

// spreadOf is how an amount is spread over loads, nil for fewer than three that have one. A quantile is the amount of a load.
func spreadOf(rows []cost, in money.Currency, amount func(cost) money.Amount) *spread {
	var all []int64
	for _, row := range rows {
		if a := amount(row); a != "" {
			n, _ := plan.Owed(a, in) // checked before
			all = append(all, n)
		}
	}
	if len(all) < least {
		return nil
	}
	at := quartiles(all, in)

	return &spread{at(1), at(2), at(3)} //nolint:mnd // quarters
}

// quartiles sorts amounts, and returns the one below which so many quarters are.
func quartiles(all []int64, in money.Currency) func(n int) money.Amount {
	slices.Sort(all)

	return func(n int) money.Amount { return money.OfUnits(all[(len(all)-1)*n/quarters], in).Amount }
}

// leastPays is how many loads say what a lane costs.
const leastPays = 5

// Price tells the route engine what carriers got for a vehicle on a lane within the last 180 days.
func (s *Lanes) Price(ctx context.Context, lane *routeengineapi.LanePricing) error {
	rows, err := s.rows.lanePays(ctx, lane.OriginZIP3, lane.DestinationZIP3, lane.Currency, s.clock.Now().Add(-window))
	if err != nil {
		return err
	}
	in := money.Currency(lane.Currency)
	var pays []int64
	for _, row := range rows {
		if units, ok := plan.Owed(row.CarrierPay, in); ok && units > 0 && row.VehicleCount > 0 {
			pays = append(pays, units/row.VehicleCount)
		}
	}
	if lane.Loads = int64(len(pays)); len(pays) < leastPays {
		return nil
	}
	at := quartiles(pays, in)
	lane.P25, lane.P50, lane.P75 = string(at(1)), string(at(2)), string(at(3)) //nolint:mnd // quarters

	return nil
}
