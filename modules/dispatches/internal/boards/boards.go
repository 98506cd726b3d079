// Package boards asks load boards what transports cost.
package boards

import (
	"context"
	"errors"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/web"
)

// patience is how long a board may take.
const patience = 10 * time.Second

var (
	errInvalid = errs.New(errs.Invalid, "dispatches.invalid_offer", "The given data was invalid.")
	errNone    = errs.New(errs.Conflict, "dispatches.no_board", "The company has no account at a load board that knows prices.")
)

// Desk asks all boards at which the caller's company has an account.
type Desk struct {
	ports  *port.Registry
	routes routeengineapi.Routes
	users  *identity.Service
}

// NewDesk returns a desk.
func NewDesk(ports *port.Registry, routes routeengineapi.Routes, users *identity.Service) *Desk {
	return &Desk{ports, routes, users}
}

// Routes registers the two operations.
func Routes(r *web.Router, d *Desk) {
	failures := []*errs.Error{errInvalid, errNone, routeengineapi.ErrUnknownPlace, routeengineapi.ErrNoRoad}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/pricing_intelligence/prices", ID: "read_board_prices", Access: web.Scope("offer"), Outside: true, Summary: "Ask load boards what a lane costs",
		Description: "All boards at which the company has an account are asked at once, for ten seconds. A board that does not answer is listed with the reason.", Errors: failures,
	}, d.prices)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/pricing_intelligence/comparables", ID: "list_board_comparables", Access: web.Scope("offer"), Outside: true, Summary: "Ask load boards for transports like one",
		Description: "As for prices.", Errors: failures,
	}, d.comparables)
}

type askInput struct {
	Body struct {
		From       string         `json:"origin" minLength:"5" maxLength:"10" doc:"A ZIP code." example:"75201"`
		To         string         `json:"destination" minLength:"5" maxLength:"10" example:"33101"`
		Vehicles   int64          `json:"vehicles,omitempty" minimum:"1" maximum:"50" default:"1"`
		Inoperable bool           `json:"inoperable,omitempty" doc:"Whether a vehicle does not run."`
		Transport  string         `json:"transport_type,omitempty" enum:"open,enclosed,driveaway" default:"open"`
		Available  field.Date     `json:"available_from,omitempty" doc:"The first day of the pickup."`
		Currency   money.Currency `json:"currency,omitempty" doc:"By default the company's."`
	}
}

// lane is what the input asks for.
func (d *Desk) lane(ctx context.Context, in *askInput) (dispatchesapi.Lane, error) {
	b := in.Body
	if b.Currency == "" {
		usual, err := d.users.Currency(ctx)
		if err != nil {
			return dispatchesapi.Lane{}, err
		}
		b.Currency = money.Currency(usual)
	}
	way, err := d.routes.Route(ctx, routeengineapi.Stop{ZIP: b.From}, routeengineapi.Stop{ZIP: b.To})

	return dispatchesapi.Lane{
		From: b.From, To: b.To, Miles: int64(math.Round(way.Miles)), Vehicles: max(1, b.Vehicles), Inoperable: b.Inoperable, TransportType: b.Transport,
		AvailableFrom: string(b.Available), Currency: string(b.Currency),
	}, err
}

// answered is what a board has answered.
type answered[T any] struct {
	board string
	value T
	why   string
}

// ask asks all boards of the company at once. What they answer is in the order of their names.
func ask[T any](ctx context.Context, d *Desk, question func(ctx context.Context, b dispatchesapi.PriceBoard) (T, error)) ([]answered[T], error) {
	all, err := port.All[dispatchesapi.PriceBoard](ctx, d.ports)
	if err != nil {
		return nil, err
	}
	var connected []port.Adapter[dispatchesapi.PriceBoard]
	for _, b := range all {
		has, err := b.Value.Connected(ctx)
		if err != nil {
			return nil, err
		}
		if has {
			connected = append(connected, b)
		}
	}
	if len(connected) == 0 {
		return nil, errNone
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answers := make([]answered[T], len(connected))
	var wait sync.WaitGroup
	for i, b := range connected {
		wait.Go(func() {
			value, err := question(ctx, b.Value)
			answers[i] = answered[T]{b.Name, value, reasonOf(err)}
		})
	}
	wait.Wait()

	return answers, nil
}

// reasonOf is why a board has not answered, "" if it has.
func reasonOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "the board did not answer in time"
	default:
		return err.Error()
	}
}

// boardPrice is what a board says of a price.
type boardPrice struct {
	Board   string       `json:"board" example:"sandbox"`
	Low     money.Amount `json:"low" doc:"For all vehicles; null if the board does not know the lane, or has not answered."`
	Mid     money.Amount `json:"mid"`
	High    money.Amount `json:"high"`
	PerMile money.Amount `json:"per_mile" doc:"The mid price per mile and vehicle."`
	Loads   int          `json:"n" doc:"By how many transports the board knows; 0 if it does not say."`
	Why     string       `json:"why" doc:"Why the board has not answered; empty if it has."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (boardPrice) SchemaName() string { return "BoardPrice" }

type pricesOutput struct {
	Body struct {
		Miles    int64          `json:"miles"`
		Currency money.Currency `json:"currency"`
		Data     []boardPrice   `json:"data" nullable:"false"`
	}
}

func (d *Desk) prices(ctx context.Context, in *askInput) (*pricesOutput, error) {
	lane, err := d.lane(ctx, in)
	if err != nil {
		return nil, err
	}
	answers, err := ask(ctx, d, func(ctx context.Context, b dispatchesapi.PriceBoard) (*dispatchesapi.BoardPrice, error) {
		return b.Price(ctx, lane)
	})
	out := &pricesOutput{}
	out.Body.Miles, out.Body.Currency, out.Body.Data = lane.Miles, money.Currency(lane.Currency), make([]boardPrice, len(answers))
	for i, a := range answers {
		p := boardPrice{Board: a.board, Why: a.why}
		if v := a.value; v != nil {
			p.Low, p.Mid, p.High, p.Loads = money.Amount(v.Low), money.Amount(v.Mid), money.Amount(v.High), v.Loads
			p.PerMile = perMile(v.Mid, lane)
		}
		out.Body.Data[i] = p
	}

	return out, err
}

// perMile is a price per mile and vehicle.
func perMile(price string, l dispatchesapi.Lane) money.Amount {
	in := money.Currency(l.Currency)
	of, err := money.Of(money.Amount(price), in)
	units, whole := of.Units()
	if err != nil || !whole || l.Miles == 0 {
		return ""
	}

	return money.OfUnits(int64(math.Round(float64(units)/float64(l.Miles*l.Vehicles))), in).Amount
}

// comparable is a transport that a board knows.
type comparable struct {
	FromCity   string       `json:"origin_city"`
	FromState  string       `json:"origin_state"`
	ToCity     string       `json:"destination_city"`
	ToState    string       `json:"destination_state"`
	Vehicles   int64        `json:"vehicles"`
	Miles      int64        `json:"miles"`
	Price      money.Amount `json:"price" doc:"For all its vehicles."`
	At         field.Date   `json:"at" doc:"When it was listed, or dispatched."`
	Dispatched bool         `json:"dispatched" doc:"Whether a carrier took it at that price."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (comparable) SchemaName() string { return "BoardComparable" }

// boardComparables are the transports that a board knows.
type boardComparables struct {
	Board string       `json:"board"`
	Like  []comparable `json:"comparables" nullable:"false"`
	Why   string       `json:"why" doc:"Why the board has not answered; empty if it has."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (boardComparables) SchemaName() string { return "BoardComparables" }

type comparablesOutput struct {
	Body struct {
		Miles    int64              `json:"miles"`
		Currency money.Currency     `json:"currency"`
		Data     []boardComparables `json:"data" nullable:"false"`
	}
}

// mostLike is how many transports of a board are listed.
const mostLike = 20

func (d *Desk) comparables(ctx context.Context, in *askInput) (*comparablesOutput, error) {
	lane, err := d.lane(ctx, in)
	if err != nil {
		return nil, err
	}
	answers, err := ask(ctx, d, func(ctx context.Context, b dispatchesapi.PriceBoard) ([]dispatchesapi.Comparable, error) {
		return b.Comparables(ctx, lane)
	})
	out := &comparablesOutput{}
	out.Body.Miles, out.Body.Currency, out.Body.Data = lane.Miles, money.Currency(lane.Currency), make([]boardComparables, len(answers))
	for i, a := range answers {
		like := make([]comparable, 0, len(a.value))
		for _, c := range a.value[:min(len(a.value), mostLike)] {
			like = append(like, comparable{c.FromCity, c.FromState, c.ToCity, c.ToState, c.Vehicles, c.Miles, money.Amount(c.Price), field.Date(c.At), c.Dispatched})
		}
		out.Body.Data[i] = boardComparables{a.board, like, a.why}
	}

	return out, err
}
