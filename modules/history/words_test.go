package history

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

func TestTitleOf_SaysWhatHappenedInWords(t *testing.T) {
	t.Parallel()
	called := map[string]string{"custom_modules.record": "Record", "esign.envelope": "Envelope"}
	for _, test := range []struct {
		action, itemType string
		labels           []string
		want             string
	}{
		{"custom_modules.record.updated", "custom_modules.record", []string{"Price", "VIN"}, "Record updated: Price, VIN"},
		{"custom_modules.record.deleted", "custom_modules.record", nil, "Record deleted"},
		{"custom_modules.field.created", "custom_modules.field", nil, "Field created"},
		{"loads.rate_changed", "loads.load", nil, "Rate changed"},
		{"custom_modules.record.updated", "custom_modules.record", []string{"A", "B", "C", "D", "E", "F"}, "Record updated: A, B, C, D, E, …"},
		{"esign_create_envelope", "", nil, "Create envelope"},
		{"gates_open_gate", "", nil, "Gates open gate"},
	} {
		var changes []timeline.Change
		for _, label := range test.labels {
			changes = append(changes, timeline.Change{Label: label})
		}
		got := titleOf(audit.Recorded{Action: test.action, Item: audit.Item{Type: test.itemType}}, called, changes)
		require.Equal(t, test.want, got)
	}
}

func TestChangesOf_AreByKeyAndNothingForWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	changes := changesOf(audit.Recorded{Changes: json.RawMessage(`{"vin":{"before":null,"after":"1"},"gate_code":{"before":"a","after":"b"}}`)},
		map[string]string{"vin": "VIN"})
	require.Equal(t, []timeline.Change{{Key: "gate_code", Label: "Gate code", Before: "a", After: "b"}, {Key: "vin", Label: "VIN", After: "1"}}, changes)
	require.Empty(t, changesOf(audit.Recorded{Changes: json.RawMessage(`{"vin":`)}, nil))
}

func TestEntryTitle_NamesTheContactByDirection(t *testing.T) {
	t.Parallel()
	for want, row := range map[string]entry{
		"Phone call from Ann: Agreed": {Kind: "phone_call", Direction: "inbound", ContactName: "Ann", Outcome: "Agreed"},
		"Email to Ann":                {Kind: "email", Direction: "outbound", ContactName: "Ann"},
		"Meeting with Ann":            {Kind: "meeting", ContactName: "Ann"},
		"Visit":                       {Kind: "visit", Direction: "inbound"},
	} {
		require.Equal(t, want, row.title())
	}
}
