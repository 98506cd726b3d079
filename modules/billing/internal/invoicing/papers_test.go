package invoicing

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/document/documenttest"
)

func contains(t *testing.T, text string, all map[string][]string) {
	t.Helper()
	for what, parts := range all {
		for _, part := range parts {
			require.Contains(t, text, part, what)
		}
	}
}

func TestInvoice_HasWhatTheTradeRequires(t *testing.T) {
	t.Parallel()
	file, warnings := documenttest.Print(t, "Invoice", InvoiceExample())
	require.Empty(t, warnings)
	require.Equal(t, 1, documenttest.Pages(t, file), "one page will do")
	contains(t, documenttest.Flat(t, file), map[string][]string{
		"the number and the day": {"Invoice", "INV-2026-000012", "December 1, 2026"},
		"the seller":             {"Example Software Inc.", "1 Server St", "Tax ID 12-3456789", "billing@example.com"},
		"the customer":           {"Bill to Example Auto Transport LLC", "12 Broker Way", "Tax ID 98-7654321", "office@example.org"},
		"the items":              {"Pro, monthly December 1, 2026 to before January 1, 2027 $199.00"},
		"the tax by its rate":    {"Net $199.00", "Sales tax 8.25 % of $199.00 $16.42"},
		"what is paid and left":  {"Total $215.42", "Paid $100.00", "Credited $10.83", "Balance due $104.59"},
		"how to pay":             {"The card of the subscription is charged automatically."},
	})
}

func TestInvoice_OfManyLinesHasThemAllAndTheTotalOnce(t *testing.T) {
	t.Parallel()
	i := exampleInvoice()
	i.State, i.Balance = store.InvoicePaid, "0.00"
	i.Lines.V = nil
	for n := range 300 {
		i.Lines.V = append(i.Lines.V, terms.Line{Description: "Seat " + strconv.Itoa(n) + ";", Amount: "1.00"})
	}
	file, warnings := documenttest.Print(t, "Invoice", invoiceModel(i))
	require.Empty(t, warnings)
	text, pages := documenttest.Flat(t, file), documenttest.Pages(t, file)
	for n := range 300 {
		require.Contains(t, text, "Seat "+strconv.Itoa(n)+";")
	}
	require.Contains(t, text, "Page "+strconv.Itoa(pages)+" of "+strconv.Itoa(pages))
	require.Contains(t, text, "Paid. Thank you.")
	require.Regexp(t, `(Description Period Amount.*){5}`, text, "the head is on every page")
	require.NotRegexp(t, `Balance due.*Balance due`, text)
}

func TestCreditNote_NamesTheInvoiceThatItCorrects(t *testing.T) {
	t.Parallel()
	contains(t, documenttest.Text(t, "Credit note", CreditExample()), map[string][]string{
		"the number":  {"Credit note", "CN-2026-000001", "December 15, 2026"},
		"the invoice": {"Invoice INV-2026-000012 of December 1, 2026, $215.42"},
		"why":         {"Service was not reachable for a day"},
		"the amounts": {"Net $10.00", "Sales tax 8.25 % of $10.00 $0.83", "Credit $10.83"},
		"the refund":  {"$10.83 of it was paid, and has been refunded. Reference: WIRE 8"},
	})
	require.Contains(t, documenttest.Text(t, "Credit note", creditModel(store.CreditNote{RefundState: store.RefundNone}, exampleInvoice())), "taken off what is due")
}

func TestInvoice_KeepsNamesInEveryScript(t *testing.T) {
	t.Parallel()
	documenttest.KeepsNames(t, "Invoice", func(name string) document.Model {
		i := exampleInvoice()
		i.Customer.V.Name, i.Seller.V.Name = name, name

		return invoiceModel(i)
	})
}
