package capacity

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/trips/internal/store"
)

func TestWarnings_SayFromWhichStopOnTheTruckDoesNotHoldIt(t *testing.T) {
	t.Parallel()
	load, stops := uuid.New(), []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	var legs []store.Leg
	for i, place := range []string{"Dallas", "Houston", "Miami"} {
		legs = append(legs, store.Leg{UUID: uuid.New(), Load: load, Stop: stops[i], Place: place})
	}
	sedan := func(from, to int) store.Cargo {
		return store.Cargo{Load: load, Pickup: stops[from], Delivery: stops[to], Type: "sedan", WeightLb: 3500, Operable: true, Name: "Accord"}
	}
	dead, covered := sedan(1, 2), sedan(0, 2)
	dead.Operable, covered.Enclosed = false, true
	for name, c := range map[string]struct {
		truck Hauler
		cargo []store.Cargo
		want  map[string]string // codes by the place from which on
	}{
		"it holds them":              {Hauler{Slots: 2, MaxPayload: 7000}, []store.Cargo{sedan(0, 2), sedan(1, 2)}, map[string]string{}},
		"nothing is known of it":     {Hauler{}, []store.Cargo{sedan(0, 2), sedan(0, 2), sedan(1, 2)}, map[string]string{}},
		"one too many from Houston":  {Hauler{Slots: 1}, []store.Cargo{sedan(0, 2), sedan(1, 2)}, map[string]string{"slots": "Houston"}},
		"not while the first is off": {Hauler{Slots: 1}, []store.Cargo{sedan(0, 1), sedan(1, 2)}, map[string]string{}},
		"too heavy from the start":   {Hauler{MaxPayload: 3499}, []store.Cargo{sedan(0, 2), sedan(1, 2)}, map[string]string{"weight": "Dallas"}},
		"it does not run":            {Hauler{}, []store.Cargo{dead}, map[string]string{"winch": "Houston"}},
		"a winch pulls it":           {Hauler{Winch: true}, []store.Cargo{dead}, map[string]string{}},
		"it is to be enclosed":       {Hauler{}, []store.Cargo{covered}, map[string]string{"enclosed": "Dallas"}},
		"it is":                      {Hauler{Enclosed: true}, []store.Cargo{covered}, map[string]string{}},
	} {
		found := map[string]string{}
		for _, w := range warns(c.truck, legs, c.cargo) {
			for _, l := range legs {
				if l.UUID == w.Leg {
					found[w.Code] = l.Place
				}
			}
		}
		require.Equal(t, c.want, found, name)
	}
	one := warns(Hauler{Slots: 1}, legs, []store.Cargo{sedan(0, 2), sedan(1, 2)})[0]
	require.Equal(t, "From Houston on, 2 vehicles take 2.0 of 1 slots.", one.Message)
}

func TestBulk_IsByTheClassesOfTheTrade(t *testing.T) {
	t.Parallel()
	for kind, tenths := range map[string]int64{"motorcycle": 5, "coupe": 9, "sedan": 10, "": 10, "suv": 12, "van": 15, "boat": 15, "rv": 20} {
		require.Equal(t, tenths, BulkOf(kind).tenths, kind)
	}
}
