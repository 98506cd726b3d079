package loadview_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/platform/money"
)

func loadOf(t *testing.T, text string) (l loadview.Load) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &l))

	return l
}

func TestPayment_SaysWhoPaysHowAndWhen(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ line, text, clause string }{
		"cash on delivery": {
			`{"from": "customer", "to": "carrier", "kind": "cod", "due_event": "delivery"}`,
			"The customer pays you $900.00 in cash or certified funds at delivery (COD, cash on delivery)",
			"The customer pays the carrier $900.00 in cash or certified funds at delivery (COD, cash on delivery).",
		},
		"on pickup by check": {
			`{"from": "customer", "to": "carrier", "kind": "cop", "method": "certified_check", "due_event": "pickup"}`,
			"The customer pays you $900.00 by certified check at pickup (COP, cash on pickup)",
			"The customer pays the carrier $900.00 by certified check at pickup (COP, cash on pickup).",
		},
		"after business days": {
			`{"from": "broker", "to": "carrier", "kind": "balance", "method": "ach", "due_event": "signed_bol", "due_days": 2, "business_days": true}`,
			"We pay you $900.00 by ACH within 2 business days after the signed bill of lading",
			"The broker pays the carrier $900.00 by ACH within 2 business days after the signed bill of lading.",
		},
		"after one day": {
			`{"from": "carrier", "to": "broker", "kind": "fee", "method": "zelle", "due_event": "invoice", "due_days": 1}`,
			"You pay us $900.00 by Zelle within 1 calendar day after the invoice",
			"The carrier pays the broker $900.00 by Zelle within 1 calendar day after the invoice.",
		},
	} {
		var line loadview.Payment
		require.NoError(t, json.Unmarshal([]byte(one.line), &line))
		require.Equal(t, one.text, line.Text("$900.00 "), name)
		require.Equal(t, one.clause, line.Clause("$900.00"), name)
	}
}

func TestToCollect_IsWhatTheCustomerHasYetToPayTheCarrier(t *testing.T) {
	t.Parallel()
	const plan = `"currency": "USD", "payment_plan": [
		{"from": "customer", "to": "broker", "kind": "deposit", "amount": "200.00"}, {"from": "customer", "to": "carrier", "kind": "cod", "amount": "900.00"}
	]`
	for payments, want := range map[string]string{
		`[]`: "900.00",
		`[{"from": "customer", "to": "broker", "amount": "200.00"}]`:                                                             "900.00",
		`[{"from": "customer", "to": "carrier", "amount": "400.00"}]`:                                                            "500.00",
		`[{"from": "customer", "to": "carrier", "amount": "400.00"}, {"from": "customer", "to": "carrier", "amount": "500.00"}]`: "",
		`[{"from": "customer", "to": "carrier", "amount": "950.00"}]`:                                                            "",
	} {
		require.Equal(t, want, loadOf(t, `{`+plan+`, "payments": `+payments+`}`).ToCollect(), payments)
	}
	require.Empty(t, loadOf(t, `{"currency": "USD"}`).ToCollect())
}

func TestWasReported_FindsTheSameReportOfAPayment(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	l := loadOf(t, `{"currency": "USD", "payments": [
		{"from": "customer", "to": "carrier", "amount": "300.00", "method": "cash", "at": "2026-11-30T12:00:00Z"},
		{"from": "customer", "to": "carrier", "amount": "100.00", "method": "cash", "at": "2026-11-30T12:00:00Z"},
		{"from": "customer", "to": "broker", "amount": "50.00", "method": "cash", "at": "2026-11-30T12:00:00Z"}
	]}`)
	for name, one := range map[string]struct {
		amount money.Amount
		method string
		since  time.Time
		want   bool
	}{
		"shared among the lines of the plan": {"400.00", "cash", noon, true},
		"by any method":                      {"400.00", "", noon, true},
		"by another method":                  {"400.00", "check", noon, false},
		"a part of it":                       {"300.00", "cash", noon, false},
		"longer ago":                         {"400.00", "cash", noon.Add(time.Second), false},
		"to the broker":                      {"50.00", "cash", noon, false},
	} {
		require.Equal(t, one.want, l.WasReported(one.amount, one.method, one.since), name)
	}
}

func TestDescribe_SaysALoadInWords(t *testing.T) {
	t.Parallel()
	text := loadOf(t, `{
		"currency": "USD", "miles": 1310, "transport_type": "enclosed", "inspection_type": "advanced", "instructions_carrier": "Call first.",
		"references": [{"kind": "po", "value": "77"}],
		"vehicles": [{"year": 2019, "make": "Honda", "model": "Accord", "vin": "1HGCM82633A004352", "lot_number": "12", "operable": false, "photo_uuids": ["f1"]}],
		"commodities": [{"description": "Crate", "pieces": 2, "weight_lb": 1500, "stackable": true}],
		"stops": [{"kind": "pickup", "venue": {"name": "Big Auction", "line1": "1 Main St", "city": "Dallas", "state": "TX", "postal_code": "75201", "twic_required": true}}]
	}`).Describe()
	require.Equal(t, []string{"Distance: About 1,310 miles", "Transport: Enclosed trailer", "Inspection: advanced", "Purchase order: 77"}, text.FactLines())
	require.Equal(t, "2019 Honda Accord, VIN 1HGCM82633A004352, lot 12, does not run", text.VehicleLines())
	require.Equal(t, []string{"f1"}, text.Cars[0].Photos)
	require.Equal(t, []string{"Crate, 2 pieces, 1,500 lb, stackable"}, text.Goods)
	require.Equal(t, []string{"Call first."}, text.Notes)
	require.Equal(t, "Pickup: Dallas, TX 75201", text.Stops[0].Title)
	require.Equal(t, "The driver needs a TWIC card.", text.Stops[0].Lines[len(text.Stops[0].Lines)-1].Text)
}

func TestAgreedTerms_LeaveOutWhatBecomesOfTheLoad(t *testing.T) {
	t.Parallel()
	const agreed = `{"transport_type": "open", "vehicles": [{"uuid": "v", "vin": "1HGCM82633A004352", "carrier_pay": "900.00"}]}`
	require.Equal(t, loadview.AgreedTerms([]byte(agreed)), loadview.AgreedTerms([]byte(
		`{"vehicles": [{"uuid": "v", "carrier_pay": "900.00", "vin": "1HGCM82633A004352", "custody": "picked_up", "color": "red"}], "state": "picked_up", "transport_type": "open"}`)))
	for _, other := range []string{
		`{"transport_type": "enclosed", "vehicles": [{"uuid": "v", "vin": "1HGCM82633A004352", "carrier_pay": "900.00"}]}`,
		`{"transport_type": "open", "vehicles": [{"uuid": "v", "vin": "1HGCM82633A004352", "carrier_pay": "800.00"}]}`,
		`{"transport_type": "open", "vehicles": []}`,
		`{"transport_type": "open", "instructions_carrier": "Call", "vehicles": [{"uuid": "v", "vin": "1HGCM82633A004352", "carrier_pay": "900.00"}]}`,
	} {
		require.NotEqual(t, loadview.AgreedTerms([]byte(agreed)), loadview.AgreedTerms([]byte(other)), other)
	}
}

func TestZones_AreThoseOfTheFirstAndTheLastStop(t *testing.T) {
	t.Parallel()
	first, last := loadview.Zones([]byte(shownLoad))
	require.Equal(t, []string{"America/Chicago", "America/New_York"}, []string{first.String(), last.String()})
	for _, unknown := range []string{`{}`, `[`, `{"stops": [{"venue": {"time_zone": "Mars/Olympus"}}]}`} {
		first, last = loadview.Zones([]byte(unknown))
		require.Equal(t, []*time.Location{time.UTC, time.UTC}, []*time.Location{first, last}, unknown)
	}
}
