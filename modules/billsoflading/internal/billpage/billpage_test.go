package billpage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
)

func TestMark_IsWhereTheDamageIsOnTheOutline(t *testing.T) {
	t.Parallel()
	at := func(side string, x, y int64) report.Damage { return report.Damage{Side: side, X: &x, Y: &y} }
	for _, c := range []struct {
		damage report.Damage
		want   mark
		there  bool
	}{
		{at("left", 0, 0), mark{70, 10, true}, true},
		{at("left", 1000, 1000), mark{230, 55, true}, true},
		{at("top", 500, 500), mark{150, 105, true}, true},
		{at("rear", 500, 500), mark{265, 105, true}, true},
		{at("interior", 500, 500), mark{}, false},
		{report.Damage{Side: "left"}, mark{}, false},
	} {
		m, there := markOf(c.damage, true)
		require.Equal(t, c.there, there, c.damage.Side)
		require.Equal(t, c.want, m, c.damage.Side)
	}
}

func TestBill_ShowsBothEndsAndMarksWhatIsNew(t *testing.T) {
	t.Parallel()
	x := int64(500)
	old := report.Damage{Side: "left", X: &x, Y: &x, Title: "Scuffed", Existing: true}
	fresh := report.Damage{Side: "right", X: &x, Y: &x, Title: "Cracked"}
	b := report.Report{
		Number: "BOL-1", State: store.Draft, Amendments: []store.Amendment{{Text: "The odometer was 1 mi."}},
		Vehicles: []report.Vehicle{{
			Pickup:   &report.Inspection{State: store.Submitted, Damages: []report.Damage{{Side: "left", X: &x, Y: &x, Title: "Scuffed"}}},
			Delivery: &report.Inspection{State: store.Open, Damages: []report.Damage{old, fresh}},
		}, {}},
	}
	require.Equal(t, "It is not issued yet.\nAmended: The odometer was 1 mi.", Bill(b).Text)
	car := Vehicle(b.Vehicles[0])
	require.Equal(t, []string{"At the pickup", "At the delivery"}, []string{car.Facts[0].Label, car.Facts[1].Label})
	require.Contains(t, car.Facts[0].Value, "Inspection complete")
	require.NotContains(t, car.Facts[1].Value, "Inspection complete")
	marks := car.Own.(Outline).Marks
	require.Equal(t, []bool{false, false, true}, []bool{marks[0].New, marks[1].New, marks[2].New})
	require.Nil(t, Vehicle(b.Vehicles[1]).Own)
}
