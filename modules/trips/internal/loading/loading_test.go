package loading

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// load is one with a stop in each of some cities, and vehicles that go from the first to the last.
func load(cities []string, vehicles ...string) looked {
	l := looked{State: loadsapi.Ready}
	for _, city := range cities {
		l.Stops = append(l.Stops, loadsapi.CarrierStop{UUID: uuid.NewString(), Venue: loadsapi.CarrierVenue{City: city, State: "TX", PostalCode: "75201"}})
	}
	for _, name := range vehicles {
		l.Vehicles = append(l.Vehicles, loadsapi.CarrierVehicle{UUID: uuid.NewString(), Make: name, Type: "sedan", CarrierPay: "100.00"})
	}

	return l
}

func all(uuid.UUID) bool { return true }

func TestCargo_IsWhatTheTripHasToKnowOfVehicles(t *testing.T) {
	t.Parallel()
	l := load([]string{"Dallas", "Houston"}, "Honda", "Ford", "Jeep")
	l.Vehicles[1].Operable, l.Vehicles[2].Conditions, l.Vehicles[2].WeightLb = new(false), []string{"flat_tires"}, 4000
	l.Transport = "enclosed"
	id := uuid.New()
	c := l.cargo(id)
	require.Equal(t, []bool{true, false, false}, []bool{c[0].Operable, c[1].Operable, c[2].Operable})
	require.Equal(t, []int64{3500, 3500, 4000}, []int64{c[0].WeightLb, c[1].WeightLb, c[2].WeightLb}, "its own, or what is usual")
	require.Equal(t, []string{l.Stops[0].UUID, l.Stops[1].UUID}, []string{c[0].Pickup.String(), c[0].Delivery.String()}, "by default from the first stop to the last")
	require.True(t, c[0].Enclosed)
	require.Equal(t, id, c[0].Load)
}

func TestRenew_KeepsATripInLineWithALoad(t *testing.T) {
	t.Parallel()
	one, other, l := uuid.New(), uuid.New(), load([]string{"Dallas", "Houston"}, "Honda", "Ford")
	var trip store.Trip
	renew(&trip, other, load([]string{"Waco", "Austin"}, "Kia"), all)
	renew(&trip, one, l, all)
	require.Len(t, trip.Cargo.V, 3)
	places := func() (found []string) {
		for _, g := range trip.Legs.V {
			found = append(found, g.Kind+" "+g.Place)
		}

		return found
	}
	require.Equal(t, []string{"pickup Waco, TX", "delivery Austin, TX", "pickup Dallas, TX", "delivery Houston, TX"}, places(), "its stops come last")

	kept := []uuid.UUID{trip.Legs.V[2].UUID, trip.Legs.V[3].UUID}
	l.Stops[1].Venue.City, l.Stops[1].Window = "Galveston", &loadsapi.ViewWindow{To: "2026-12-04T17:00"}
	gone := l.Vehicles[1].UUID
	renew(&trip, one, l, func(v uuid.UUID) bool { return v.String() != gone })
	require.Equal(t, []string{"pickup Waco, TX", "delivery Austin, TX", "pickup Dallas, TX", "delivery Galveston, TX"}, places())
	require.Equal(t, kept[0], trip.Legs.V[2].UUID, "a leg stays the same one")
	require.Equal(t, kept[1], trip.Legs.V[3].UUID)
	require.Equal(t, "2026-12-04", trip.Legs.V[3].Due)
	require.Len(t, trip.Cargo.V, 2)

	came := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	trip.Legs.V[2].ArrivedAt = &came
	renew(&trip, one, looked{}, nil)
	require.Equal(t, []string{"pickup Waco, TX", "delivery Austin, TX", "pickup Dallas, TX"}, places(), "where the truck was stays on record")
	require.Equal(t, []uuid.UUID{other}, trip.Loads())
}

func TestVehiclesOf_AreFreeOnceATripIsOver(t *testing.T) {
	t.Parallel()
	var trip store.Trip
	renew(&trip, uuid.New(), load([]string{"Dallas", "Houston"}, "Honda"), all)
	deleted := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for state, kept := range map[store.State]int{store.Draft: 1, store.Planned: 1, store.Dispatched: 1, store.InTransit: 1, store.Completed: 0, store.Cancelled: 0} {
		trip.State = state
		require.Len(t, vehiclesOf(&trip), kept, state)
	}
	trip.State, trip.DeletedAt = store.Draft, &deleted
	require.Empty(t, vehiclesOf(&trip))
	require.Empty(t, vehiclesOf(nil))
}

func TestTaken_SaysWhichTripHasTheVehicles(t *testing.T) {
	t.Parallel()
	here, v, w := uuid.New(), uuid.New(), uuid.New()
	known := []store.Cargo{{Vehicle: v}, {Vehicle: w}}
	require.ErrorContains(t, taken(here, map[uuid.UUID]uuid.UUID{v: here, w: here}, known, nil), "on this trip already")
	require.ErrorContains(t, taken(here, map[uuid.UUID]uuid.UUID{v: here, w: uuid.New()}, known, nil), "on another trip")
	require.ErrorContains(t, taken(here, map[uuid.UUID]uuid.UUID{v: here, w: uuid.New()}, known, []uuid.UUID{v}), "on this trip already")
}

func TestSettled_KeepsWhatTheDriverDrivesBy(t *testing.T) {
	t.Parallel()
	driver, truck := uuid.New(), uuid.New()
	for name, c := range map[string]struct {
		state  store.State
		verb   resource.Verb
		change func(t *store.Trip)
		want   error
	}{
		"a draft changes":                        {store.Draft, resource.Update, func(t *store.Trip) { t.Truck = &truck }, nil},
		"another truck":                          {store.Dispatched, resource.Update, func(t *store.Trip) { t.Truck = &truck }, store.ErrUnderWay},
		"another pay":                            {store.InTransit, resource.Update, func(t *store.Trip) { t.Rate = "1.00" }, store.ErrUnderWay},
		"another basis of the pay":               {store.InTransit, resource.Update, func(t *store.Trip) { t.Basis = new("flat") }, store.ErrUnderWay},
		"the same driver":                        {store.Dispatched, resource.Update, func(t *store.Trip) { t.Driver = new(driver) }, nil},
		"notes and expenses can be added":        {store.InTransit, resource.Update, func(t *store.Trip) { t.Notes, t.Expenses.V = "x", []store.Expense{{Amount: "1.00"}} }, nil},
		"even once it is completed":              {store.Completed, resource.Update, func(t *store.Trip) { t.Expenses.V = []store.Expense{{Amount: "1.00"}} }, nil},
		"not the pay then":                       {store.Completed, resource.Update, func(t *store.Trip) { t.Rate = "1.00" }, store.ErrOver},
		"a trip under way is not deleted":        {store.Dispatched, resource.Delete, func(*store.Trip) {}, store.ErrUnderWay},
		"nor a completed one":                    {store.Completed, resource.Delete, func(*store.Trip) {}, store.ErrOver},
		"a canceled one is":                      {store.Cancelled, resource.Delete, func(*store.Trip) {}, nil},
		"a canceled one has no other driver now": {store.Cancelled, resource.Update, func(t *store.Trip) { t.Driver = nil }, store.ErrOver},
	} {
		before := store.Trip{State: c.state, Driver: &driver}
		after := before
		c.change(&after)
		err := settled(&resource.Change[store.Trip]{Verb: c.verb, Before: &before, After: &after})
		require.ErrorIs(t, err, c.want, name)
		require.Equal(t, c.want == nil, err == nil, name)
	}
	require.NoError(t, settled(&resource.Change[store.Trip]{Verb: resource.Create, After: &store.Trip{}}))
}

func TestSameWay_IsMeasuredOnce(t *testing.T) {
	t.Parallel()
	var trip store.Trip
	renew(&trip, uuid.New(), load([]string{"Dallas", "Houston"}, "Honda"), all)
	other := trip
	require.True(t, sameWay(trip, other))
	other.From = "75201"
	require.False(t, sameWay(trip, other))
	other = trip
	other.Legs.V = []store.Leg{trip.Legs.V[1], trip.Legs.V[0]}
	require.False(t, sameWay(trip, other), "the order counts")
}
