package boards

import (
	"context"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Switch says whether the caller's company uses the sandbox.
type Switch func(ctx context.Context) (bool, error)

// Sandbox is a load board that makes prices up: the same ones for the same lane.
type Sandbox struct {
	on     Switch
	places routeengineapi.Places
	clock  clock.Clock
}

// NewSandbox returns the sandbox.
func NewSandbox(on Switch, places routeengineapi.Places, c clock.Clock) *Sandbox {
	return &Sandbox{on, places, c}
}

// What the sandbox answers to these destinations in Montana, in place of prices.
const (
	magicUnknown = "59001" // the board does not know the lane
	magicTooMany = "59002"
	magicSilent  = "59003" // it does not answer in time
)

var errTooMany = errors.New("too many requests: the board asks to wait")

// What the sandbox asks for in the smallest unit of a currency: by the mile, and at least.
const (
	perMileUnits   = 75
	leastUnits     = 250_00
	inopUnits      = 150_00
	enclosedTenths = 15
	tenth          = 10
)

// Connected implements dispatchesapi.PriceBoard.
func (s *Sandbox) Connected(ctx context.Context) (bool, error) { return s.on(ctx) }

// Price implements dispatchesapi.PriceBoard.
func (s *Sandbox) Price(_ context.Context, l dispatchesapi.Lane) (*dispatchesapi.BoardPrice, error) {
	switch l.To {
	case magicUnknown:
		return nil, nil //nolint:nilnil // as the port says
	case magicTooMany:
		return nil, errTooMany
	case magicSilent:
		return nil, context.DeadlineExceeded
	}
	mid := units(l)

	return &dispatchesapi.BoardPrice{Low: amount(l, mid*9/tenth), Mid: amount(l, mid), High: amount(l, mid*12/tenth), Loads: len(dayOffsets())}, nil //nolint:mnd // a tenth less, two more
}

// dayOffsets are how many days ago the comparables of the sandbox were.
func dayOffsets() []int { return []int{1, 2, 4, 7, 11, 16} }

// Comparables implements dispatchesapi.PriceBoard.
func (s *Sandbox) Comparables(ctx context.Context, l dispatchesapi.Lane) ([]dispatchesapi.Comparable, error) {
	if price, err := s.Price(ctx, l); price == nil || err != nil {
		return nil, err
	}
	from, err := s.places.Place(ctx, l.From)
	if err != nil {
		return nil, err
	}
	to, err := s.places.Place(ctx, l.To)
	if err != nil {
		return nil, err
	}
	var all []dispatchesapi.Comparable
	for i, days := range dayOffsets() {
		one := l
		one.Vehicles = int64(i%2 + 1) //nolint:mnd // one or two
		all = append(all, dispatchesapi.Comparable{
			FromCity: from.City, FromState: from.State, ToCity: to.City, ToState: to.State, Vehicles: one.Vehicles, Miles: l.Miles,
			Price: amount(l, units(one)*int64(96+2*i)/100), At: s.clock.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly), Dispatched: i%3 > 0, //nolint:mnd // some percent, two of three
		})
	}

	return all, nil
}

// units is what a lane costs at the sandbox, in the smallest unit of the currency.
func units(l dispatchesapi.Lane) int64 {
	each := max(leastUnits, l.Miles*perMileUnits)
	if l.TransportType == "enclosed" {
		each = each * enclosedTenths / tenth
	}
	sum := each * max(1, l.Vehicles)
	if l.Inoperable {
		sum += inopUnits
	}

	return sum
}

func amount(l dispatchesapi.Lane, units int64) string {
	return string(money.OfUnits(units, money.Currency(l.Currency)).Amount)
}
