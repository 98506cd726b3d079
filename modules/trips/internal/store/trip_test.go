package store

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

func TestDriverPay_FollowsItsBasis(t *testing.T) {
	t.Parallel()
	carried := []Cargo{{Pay: "900.00"}, {Pay: "333.33"}, {Pay: ""}}
	for name, c := range map[string]struct {
		basis, rate string
		miles       *int64
		cargo       []Cargo
		currency    money.Currency
		want        money.Amount
	}{
		"for each loaded mile":             {"per_mile", "0.65", new(int64(1_265)), nil, "USD", "822.25"},
		"no miles are known":               {"per_mile", "0.65", nil, nil, "USD", ""},
		"no miles were driven":             {"per_mile", "0.65", new(int64(0)), nil, "USD", "0.00"},
		"a share of what the carrier gets": {"percent", "25", nil, carried, "USD", "308.33"},
		"half a cent is rounded up":        {"percent", "50", nil, []Cargo{{Pay: "0.01"}}, "USD", "0.01"},
		"a share of nothing":               {"percent", "25", nil, nil, "USD", "0.00"},
		"all of it":                        {"percent", "100", nil, carried, "USD", "1233.33"},
		"once":                             {"flat", "450", nil, carried, "USD", "450.00"},
		"for each vehicle":                 {"per_vehicle", "75.50", nil, carried, "USD", "226.50"},
		"in yen there are no cents":        {"per_mile", "0.65", new(int64(101)), nil, "JPY", "66"},
		"no rate":                          {"flat", "", nil, nil, "USD", ""},
		"no basis":                         {"", "450", nil, nil, "USD", ""},
		"a rate that is none":              {"flat", "much", nil, nil, "USD", ""},
	} {
		trip := Trip{Rate: money.Amount(c.rate), Loaded: c.miles, Currency: c.currency}
		trip.Cargo.V = c.cargo
		if c.basis != "" {
			trip.Basis = &c.basis
		}
		require.Equal(t, c.want, trip.DriverPay(), name)
	}
}

func TestTrip_IsRefusedWithAmountsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	driver := uuid.New()
	for name, c := range map[string]struct {
		change func(t *Trip)
		fields []string
	}{
		"nothing":             {func(*Trip) {}, nil},
		"a negative expense":  {func(t *Trip) { t.Expenses.V = []Expense{{Amount: "1.00"}, {Amount: "-1.00"}} }, []string{"expenses.1.amount"}},
		"a tenth of a cent":   {func(t *Trip) { t.Advances.V = []Advance{{Amount: "1.001"}} }, []string{"advances.0.amount"}},
		"the driver twice":    {func(t *Trip) { t.Driver, t.CoDriver = &driver, &driver }, []string{"co_driver_uuid"}},
		"no driver, one co-":  {func(t *Trip) { t.CoDriver = &driver }, nil},
		"a negative rate":     {func(t *Trip) { t.Rate = "-1" }, []string{"pay_rate"}},
		"more than all":       {func(t *Trip) { t.Basis, t.Rate = new("percent"), "100.01" }, []string{"pay_rate"}},
		"a flat rate of 1000": {func(t *Trip) { t.Basis, t.Rate = new("flat"), "1000" }, nil},
	} {
		trip := Trip{Currency: "USD"}
		c.change(&trip)
		err := checkTrip(t.Context(), &trip)
		if c.fields == nil {
			require.NoError(t, err, name)
			require.Equal(t, trip.DriverPay(), trip.Pay, name)

			continue
		}
		failure, _ := errors.AsType[*errs.Error](err)
		require.Equal(t, c.fields, slices.Sorted(maps.Keys(failure.Fields)), name)
	}
}

func TestPlannable_WithATruckAndLoads(t *testing.T) {
	t.Parallel()
	truck := uuid.New()
	missing := func(trip Trip) any {
		failure, refused := errors.AsType[*errs.Error](plannable(t.Context(), trip))
		if !refused {
			return nil
		}

		return failure.Details["missing"]
	}
	require.Equal(t, []string{"truck_uuid", "loads"}, missing(Trip{}))
	require.Equal(t, []string{"loads"}, missing(Trip{Truck: &truck}))
	ready := Trip{Truck: &truck}
	ready.Legs.V = []Leg{{}}
	require.Nil(t, missing(ready))
}

func TestChangeable_UntilItIsDispatched(t *testing.T) {
	t.Parallel()
	for state, want := range map[State]error{
		Draft: nil, Planned: nil, Dispatched: ErrUnderWay, InTransit: ErrUnderWay, Completed: ErrOver, Cancelled: ErrOver,
	} {
		err := Trip{State: state}.Changeable()
		require.ErrorIs(t, err, want, state)
		require.Equal(t, want == nil, err == nil, state)
	}
}

func TestTrip_NamesItsLoadsLegsAndCrew(t *testing.T) {
	t.Parallel()
	a, b, left := uuid.MustParse("00000000-0000-0000-0000-00000000000a"), uuid.MustParse("00000000-0000-0000-0000-00000000000b"), time.Unix(0, 0)
	trip := Trip{Driver: &a}
	trip.Cargo.V = []Cargo{{Load: b}, {Load: a}, {Load: b}}
	trip.Legs.V = []Leg{{Place: "Dallas", DepartedAt: &left}, {Place: "Miami"}}
	require.Equal(t, []uuid.UUID{a, b}, trip.Loads(), "in an order in which all hold them")
	require.Equal(t, []Leg{trip.Legs.V[0]}, trip.Departed())
	require.Equal(t, []uuid.UUID{a}, trip.Crew())
	require.True(t, SameID(nil, nil))
	require.True(t, SameID(&a, new(a)))
	require.False(t, SameID(&a, nil))
	require.False(t, SameID(&a, &b))
}
