package signing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/document/documenttest"
	"github.com/dispatchd/dispatchd/platform/page"
)

func TestOrder_HasWhatAnAgreementWithACustomerRequires(t *testing.T) {
	t.Parallel()
	file, warnings := documenttest.Print(t, "Signed order", Example())
	require.Empty(t, warnings)
	require.Equal(t, 1, documenttest.Pages(t, file), "one page will do")
	text := documenttest.Flat(t, file)
	for what, parts := range map[string][]string{
		"the number":                  {"Signed order", "L-2026-00034", "December 1, 2026"},
		"the broker":                  {"Broker", "Example Auto Transport LLC", "12 Broker Way", "USDOT 2233445", "MC-778899"},
		"that it is no motor carrier": {"arranges this transport as a property broker", "It is not a motor carrier"},
		"that days are estimates":     {"Days of pickup and delivery are estimates."},
		"the places":                  {"From Dallas, TX 75201", "To Miami, FL 33101"},
		"the transport":               {"open trailer", "First day for the pickup December 3, 2026"},
		"the vehicles":                {"2003 Honda Accord", "sedan", "does not run"},
		"the price, and who is paid":  {"Price $1,100.00", "You pay to us $200.00", "You pay to the carrier $900.00"},
		"what has changed":            {"2003 Honda Accord: condition runs does not run"},
		"the signature":               {"Ann Lee", "December 1, 2026, 10:30 CST", "Signed electronically, by link, from 192.0.2.7", "15 U.S.C. 7001"},
	} {
		for _, part := range parts {
			require.Contains(t, text, part, what)
		}
	}
}

func TestOrder_SaysHowItWasSigned(t *testing.T) {
	t.Parallel()
	o := order{row: Row{Name: "Ann Lee", Method: "phone"}, number: "L-1", zone: page.Zone("")}
	text := documenttest.Text(t, "Signed order", o.model())
	require.Contains(t, text, "Signed by phone")
	require.NotContains(t, text, "Changed since")
	require.NotContains(t, text, "U.S.C.")
}

func TestOrder_KeepsNamesInEveryScript(t *testing.T) {
	t.Parallel()
	documenttest.KeepsNames(t, "Signed order", func(name string) document.Model {
		return order{row: Row{Name: name, Method: Link}, number: "L-1", zone: page.Zone("")}.model()
	})
}
