package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/document/documenttest"
)

const title = "Record of transaction"

func TestRecord_HasThePartsOf371_3InTheirOrder(t *testing.T) {
	t.Parallel()
	file, warnings := documenttest.Print(t, title, Example())
	require.Empty(t, warnings)
	require.Equal(t, 1, documenttest.Pages(t, file), "one page will do")
	text := documenttest.Flat(t, file)
	for what, parts := range map[string][]string{
		"the rule":                 {"49 CFR 371.3", "Each party to the transaction may review it."},
		"(1) the consignor":        {"(1) Consignor", "Lone Star Auto", "1 Main St", "Dallas, TX 75201"},
		"(2) the carriers":         {"(2) Originating carrier", "First Example Inc.", "4 Depot St", "USDOT 1000001 MC-100001", "(2) Further carrier", "Haul Example Inc."},
		"(3) the bill of lading":   {"(3) Bill of lading", "BOL-2026-000001"},
		"(4) the compensation":     {"(4) Broker's compensation the customer (Ann Lee) 200.00 USD"},
		"(5) services beside":      {"(5) Storage, a service beside brokerage the customer (Ann Lee) 50.00 USD"},
		"(6) the freight charges":  {"(6) Freight charges", "the customer (Ann Lee) and the broker", "900.00 USD", "(6) Collected by the broker", "500.00 USD"},
		"(6) when it was paid":     {"December 10, 2026"},
		"what carriers got before": {"First Example Inc. paid on December 10, 2026 300.00 USD"},
		"what is missing":          {"Not known yet", "carrier address"},
	} {
		for _, part := range parts {
			require.Contains(t, text, part, what)
		}
	}
}

func TestRecord_SaysWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	text := documenttest.Text(t, title, transaction{Number: "L-1"}.model(Load{}, companiesapi.Identity{}))
	for _, want := range []string{"no carrier yet", "not known yet"} {
		require.Contains(t, text, want)
	}
}

func TestRecord_KeepsNamesInEveryScript(t *testing.T) {
	t.Parallel()
	documenttest.KeepsNames(t, title, func(name string) document.Model {
		return transaction{Number: "L-1", Consignor: party{Name: name}, Carrier: &carrier{Name: name}}.model(Load{}, companiesapi.Identity{})
	})
}
