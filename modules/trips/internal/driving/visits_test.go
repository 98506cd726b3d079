package driving

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
)

// run is a trip with a load from a pickup to a delivery, and the vehicle that it carries.
func run() (t store.Trip, vehicle string) {
	load, from, to, v := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	t.Legs.V = []store.Leg{{UUID: uuid.New(), Load: load, Stop: from, Place: "Dallas, TX"}, {UUID: uuid.New(), Load: load, Stop: to, Place: "Miami, FL"}}
	t.Cargo.V = []store.Cargo{{Vehicle: v, Load: load, Pickup: from, Delivery: to}}

	return t, v.String()
}

func TestHandled_AreTheVehiclesThatGetOnAndOff(t *testing.T) {
	t.Parallel()
	trip, v := run()
	on, off := handled(trip, trip.Legs.V[0])
	require.Equal(t, []string{v}, on)
	require.Empty(t, off)
	on, off = handled(trip, trip.Legs.V[1])
	require.Empty(t, on)
	require.Equal(t, []string{v}, off)
	on, off = handled(trip, store.Leg{Load: uuid.New(), Stop: trip.Legs.V[0].Stop})
	require.Empty(t, append(on, off...), "another load stops there, too")
}

func TestHolds_WhatLeftItsPickup(t *testing.T) {
	t.Parallel()
	trip, v := run()
	require.True(t, holds(trip, nil))
	require.False(t, holds(trip, []string{v}))
	arrived := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	trip.Legs.V[0].ArrivedAt = &arrived
	require.False(t, holds(trip, []string{v}), "it is being loaded")
	trip.Legs.V[0].DepartedAt = &arrived
	require.True(t, holds(trip, []string{v}))
}

func TestLater_RefusesVisitsThatCannotBe(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	trip, v := run()
	left := at.Add(time.Hour)
	trip.Legs.V[0].DepartedAt = &left
	here := trip.Legs.V[1]
	arrived := left.Add(time.Hour)
	here.ArrivedAt, here.Odometer = &arrived, 41_200
	for name, c := range map[string]struct {
		visit  visited
		off    []string
		fields []string
	}{
		"after the arrival":         {visited{arrived.Add(time.Minute), 41_200, true}, []string{v}, nil},
		"before the arrival":        {visited{arrived.Add(-time.Minute), 0, true}, nil, []string{"at"}},
		"before the pickup":         {visited{at, 0, true}, []string{v}, []string{"at"}},
		"the odometer runs back":    {visited{arrived, 41_199, true}, nil, []string{"odometer"}},
		"the odometer was not read": {visited{arrived, 0, true}, nil, nil},
		"both":                      {visited{at, 1, true}, []string{v}, []string{"at", "odometer"}},
	} {
		wrong := later(trip, here, c.visit, c.off)
		require.ElementsMatch(t, c.fields, slices.Collect(maps.Keys(wrong.Fields)), name)
	}
	here.ArrivedAt = nil
	require.Empty(t, later(trip, here, visited{At: at, Departed: false}, []string{v}).Fields, "arrivals are compared with nothing")
}
