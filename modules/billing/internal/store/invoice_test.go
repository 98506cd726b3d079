package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/resource"
)

func TestKeepDocument_KeepsWhatAnInvoiceSays(t *testing.T) {
	t.Parallel()
	issued := Invoice{Number: "I-1", Total: "99.00", Balance: "99.00", State: InvoiceOpen}
	for name, tc := range map[string]struct {
		verb   resource.Verb
		change func(i *Invoice)
		want   error
	}{
		"payment": {VerbSettle, func(i *Invoice) { i.Paid, i.Balance, i.State = "99.00", "0.00", InvoicePaid }, nil},
		"total":   {VerbCredit, func(i *Invoice) { i.Total = "9.00" }, errImmutable},
		"number":  {resource.Update, func(i *Invoice) { i.Number = "I-2" }, errImmutable},
		"delete":  {resource.Delete, func(*Invoice) {}, errImmutable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := issued
			tc.change(&after)
			require.Equal(t, tc.want, keepDocument(t.Context(), nil, resource.Change[Invoice]{Verb: tc.verb, Before: &issued, After: &after}))
		})
	}
}
