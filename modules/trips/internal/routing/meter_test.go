package routing

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
)

// roads are a hundred miles and a half from each stop to the next.
type roads struct{ err error }

func (r roads) Route(_ context.Context, stops ...routeengineapi.Stop) (way routeengineapi.Route, err error) {
	for range len(stops) - 1 {
		way.Legs = append(way.Legs, routeengineapi.Leg{Miles: 100.5})
	}

	return way, r.err
}

func TestMeasure_CountsTheMilesWithAndWithoutVehicles(t *testing.T) {
	t.Parallel()
	load, stops := uuid.New(), []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New()}
	trip := func(from string) *store.Trip {
		made := &store.Trip{From: from}
		for _, s := range stops {
			made.Legs.V = append(made.Legs.V, store.Leg{Load: load, Stop: s, PostalCode: "75201"})
		}
		made.Cargo.V = []store.Cargo{{Load: load, Pickup: stops[0], Delivery: stops[1]}, {Load: load, Pickup: stops[2], Delivery: stops[3]}, {Load: load, Pickup: stops[2], Delivery: stops[3]}}

		return made
	}
	measured := trip("76102")
	require.NoError(t, NewMeter(roads{}).Measure(t.Context(), measured))
	require.Equal(t, []int64{201, 201}, []int64{*measured.Loaded, *measured.Deadhead}, "on the way to the first stop and between the deliveries it is empty")
	require.Equal(t, []int{1, 1, 2, 2}, []int{measured.Legs.V[0].Vehicles, measured.Legs.V[1].Vehicles, measured.Legs.V[2].Vehicles, measured.Legs.V[3].Vehicles})
	require.Equal(t, int64(101), *measured.Legs.V[0].Miles)

	anywhere := trip("")
	require.NoError(t, NewMeter(roads{}).Measure(t.Context(), anywhere))
	require.Equal(t, []int64{201, 101}, []int64{*anywhere.Loaded, *anywhere.Deadhead}, "halves are summed before they are rounded")
	require.Nil(t, anywhere.Legs.V[0].Miles, "no one knows where it comes from")

	unknown := trip("76102")
	require.NoError(t, NewMeter(roads{err: routeengineapi.ErrUnknownPlace}).Measure(t.Context(), unknown))
	require.Nil(t, unknown.Loaded)
	require.Nil(t, unknown.Deadhead)

	empty := &store.Trip{}
	require.NoError(t, NewMeter(roads{err: context.Canceled}).Measure(t.Context(), empty), "a way has two ends")
}
