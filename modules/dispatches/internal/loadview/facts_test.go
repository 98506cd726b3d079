package loadview_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
)

var terms = loadview.OfferTerms{Amount: "900.00", Pickup: "2026-12-03", Delivery: "2026-12-06", Text: "No re-brokering."}

const shownLoad = `{
	"uuid": "u1", "number": "L-1", "state": "ready", "miles": 1310, "currency": "USD", "transport_type": "open", "available_from": "2026-12-02",
	"stops": [
		{"uuid": "s1", "kind": "pickup", "venue": {"city": "Dallas", "state": "TX", "postal_code": "75201", "time_zone": "America/Chicago"}},
		{"uuid": "s2", "kind": "delivery", "venue": {"city": "Miami", "state": "FL", "postal_code": "33101", "time_zone": "America/New_York"}}
	],
	"vehicles": [{"uuid": "v1", "make": "Honda", "model": "Accord", "operable": true, "pickup_stop_uuid": "s1", "delivery_stop_uuid": "s2"}],
	"payment_plan": [{"uuid": "p1", "from": "customer", "to": "carrier", "kind": "cod", "amount": "900.00", "due_event": "delivery"}]
}`

func factsOf(t *testing.T, load string, terms loadview.OfferTerms) loadview.Facts {
	t.Helper()
	facts, err := loadview.FactsOf([]byte(load), terms)
	require.NoError(t, err)

	return facts
}

func TestFacts_AreTheSameForTheSameLoad(t *testing.T) {
	t.Parallel()
	facts := factsOf(t, shownLoad, terms)
	again := factsOf(t, `{"uuid": "u1", "currency": "USD", "transport_type": "open", "available_from": "2026-12-02", "stops": [
		{"uuid": "n1", "kind": "pickup", "venue": {"city": "Dallas", "state": "TX", "postal_code": "75201"}},
		{"uuid": "n2", "kind": "delivery", "venue": {"city": "Miami", "state": "FL", "postal_code": "33101"}}
	], "vehicles": [{"uuid": "n3", "model": "Accord", "make": "Honda", "operable": true, "pickup_stop_uuid": "n1", "delivery_stop_uuid": "n2"}],
	"payment_plan": [{"uuid": "n4", "amount": "900.00", "from": "customer", "to": "carrier", "kind": "cod", "due_event": "delivery"}]}`, terms)
	require.Empty(t, again.ChangesFrom(facts), "it was written anew, with other uuids")
	require.Empty(t, again.Differences(facts.Key()))
}

func TestFacts_NameWhatHasChangedInWords(t *testing.T) {
	t.Parallel()
	was := factsOf(t, shownLoad, terms)
	raised := terms
	raised.Amount, raised.Pickup, raised.Text = "950.00", "", "Other terms."
	now := factsOf(t, `{"currency": "USD", "transport_type": "enclosed", "available_from": "2026-12-02", "stops": [], "payment_plan": [
		{"from": "broker", "to": "carrier", "kind": "balance", "amount": "950.00", "method": "ach", "due_event": "invoice", "due_days": 15}
	], "vehicles": [
		{"uuid": "v1", "make": "Honda", "model": "Civic", "operable": false}
	]}`, raised)
	changes := map[string]loadview.Change{}
	for _, c := range now.ChangesFrom(was) {
		changes[c.Field] = c
	}
	require.Equal(t, []string{"amount", "payment_plan", "pickup_date", "stops", "terms", "transport_type", "vehicles"}, now.Differences(was.Key()))
	require.Len(t, changes, 7)
	require.Equal(t, loadview.Change{Field: "amount", Before: "900.00", After: "950.00"}, changes["amount"])
	require.Equal(t, loadview.Change{Field: "pickup_date", Before: "2026-12-03"}, changes["pickup_date"])
	require.Equal(t, loadview.Change{Field: "vehicles", Before: "Honda Accord", After: "Honda Civic, does not run"}, changes["vehicles"])
	require.Equal(t, "The customer pays you $900.00 in cash or certified funds at delivery (COD, cash on delivery)", changes["payment_plan"].Before)
	require.Equal(t, "We pay you $950.00 by ACH within 15 calendar days after the invoice", changes["payment_plan"].After)
	require.Contains(t, changes["stops"].Before, "Pickup: Dallas, TX 75201")
	require.Empty(t, changes["stops"].After)
}

func TestFacts_OfAnotherKeyDifferInAll(t *testing.T) {
	t.Parallel()
	facts := factsOf(t, shownLoad, terms)
	require.Len(t, facts.Differences(""), len(facts))
	require.Len(t, facts.Differences("a.b"), len(facts))
	require.Len(t, facts.ChangesFrom(nil), len(facts), "what is kept of older offers is nothing")
	_, err := loadview.FactsOf([]byte("["), terms)
	require.Error(t, err)
}

func TestFacts_LeaveOutWhatFollowsFromOthers(t *testing.T) {
	t.Parallel()
	fields := []string{}
	for _, f := range factsOf(t, shownLoad, terms) {
		fields = append(fields, f.Field)
	}
	require.Equal(t, []string{
		"amount", "available_from", "currency", "delivery_date", "payment_plan", "pickup_date", "stops", "terms", "transport_type", "vehicles",
	}, fields)
}

func TestLabels_AreWhatPeopleCallTheFields(t *testing.T) {
	t.Parallel()
	require.Equal(t, "pay, day of the pickup, some other field", loadview.LabelsOf([]string{"amount", "carrier_pay", "pickup_date", "some_other_field"}))
	require.Empty(t, loadview.LabelsOf(nil))
}
