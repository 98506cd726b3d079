package report

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
)

func TestCompared_SortsDamagesByWhereTheyWereFound(t *testing.T) {
	t.Parallel()
	car, other := uuid.New(), uuid.New()
	damage := func(v uuid.UUID, at store.Stage, code string) store.Damaged {
		return store.Damaged{Vehicle: v, Stage: at, Code: code, Side: "left"}
	}
	damages := []store.Damaged{
		damage(car, store.AtPickup, "D"), damage(car, store.AtPickup, "SC"), damage(other, store.AtPickup, "D"), damage(car, store.AtDelivery, "D"), damage(car, store.AtDelivery, "CR"),
	}
	delivered := func(v uuid.UUID, state string) store.Inspection {
		return store.Inspection{Vehicle: v, Stage: store.AtDelivery, State: state}
	}
	codes := func(c Comparison) (all [][]string) {
		for _, some := range [][]Damage{c.New, c.Unchanged, c.Resolved, c.Pending} {
			found := []string{}
			for _, d := range some {
				found = append(found, d.Code)
			}
			all = append(all, found)
		}

		return all
	}
	require.Equal(t, [][]string{{"CR"}, {"D"}, {}, {"SC", "D"}}, codes(compared(nil, damages, nil)), "no vehicle was inspected at the delivery yet")
	require.Equal(t, [][]string{{"CR"}, {"D"}, {}, {"SC", "D"}}, codes(compared([]store.Inspection{delivered(car, store.Open)}, damages, nil)))
	require.Equal(t, [][]string{{"CR"}, {"D"}, {"SC"}, {"D"}}, codes(compared([]store.Inspection{delivered(car, store.Submitted)}, damages, nil)), "each vehicle by itself")
}

func TestInspectionOf_HasWhatIsItsOwn(t *testing.T) {
	t.Parallel()
	row := store.Inspection{Stage: store.AtPickup, State: store.Open}
	row.ID = uuid.New()
	dent := store.Damaged{Inspection: row.ID, Stage: store.AtPickup, Code: "D"}
	dent.ID = uuid.New()
	photo := func(of uuid.UUID, at store.Stage) store.Photo {
		p := store.Photo{Inspection: of, Stage: at, Damage: &dent.ID, Subject: "damage"}
		p.ID = uuid.New()

		return p
	}
	mine, other := photo(row.ID, store.AtPickup), photo(uuid.New(), store.AtDelivery)
	shown := inspectionOf(row, []store.Damaged{dent, {Inspection: uuid.New()}}, []store.Photo{mine, other})
	require.Equal(t, []int{1, 1, 1}, []int{shown.Photos, len(shown.Pictures), len(shown.Damages)})
	require.Equal(t, []uuid.UUID{mine.ID}, shown.Damages[0].Photos, "at the same stage")
	r := Report{Vehicles: []Vehicle{{Pickup: shown}, {}}}
	r.HidePictures()
	require.Equal(t, []int{1, 0}, []int{shown.Photos, len(shown.Pictures)}, "how many there are stays")
}

func TestLines_SayHowAVehicleWasFound(t *testing.T) {
	t.Parallel()
	require.Empty(t, (*Inspection)(nil).Lines())
	require.Equal(t, []string{"Photos: 0", "No damage noted"}, (&Inspection{Weather: "dry"}).Lines())
	full := &Inspection{
		Odometer: new(int64(41_200)), Unit: "mi", Keys: new(int64(0)), Fuel: new(int64(3)), VIN: "1HG", Loose: "A jack", Notes: "Dusty", Weather: "wet", Subject: true, Photos: 2,
		Damages: []Damage{{Code: "SC", Title: "Scuffed", Side: "left", Note: "long"}, {Title: "Smells", Side: "unknown", Note: "Smells"}},
	}
	require.Equal(t, []string{
		"Odometer 41200 mi", "Keys 0", "Fuel 3/8", "VIN found 1HG", "Left in it: A jack", "Dusty", "Seen when it was wet", "Subject to inspection", "Photos: 2",
		"SC: Scuffed, left (long)", "Smells",
	}, full.Lines())
	require.Equal(t, "Not inspected: Clean", (&Inspection{Skipped: "Clean", Weather: "dry"}).Lines()[0])
}

func TestSignature_SaysWhoWhenAndInWhichZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 18, 5, 0, 0, time.UTC)
	for want, s := range map[string]Signature{
		"Driver: Bo, December 1, 2026, 12:05 CST":                {Role: store.Driver, Name: "Bo", SignedAt: &at, Zone: "America/Chicago"},
		"Received by: Ann, Manager, December 1, 2026, 13:05 EST": {Role: store.Receiving, Name: "Ann", Title: "Manager", SignedAt: &at, Zone: "America/New_York"},
		"Released by: not available. Night drop":                 {Role: store.Releasing, Method: store.NotAvailable, Reason: "Night drop", SignedAt: &at},
	} {
		require.Equal(t, want, s.Text())
	}
}
