package terms_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
)

var dunning = terms.Dunning{Retries: []int{0, 1, 3, 5, 7}, Cancel: 37}

func TestDunning_ChargesFiveTimesThenIsUnpaidThenCanceled(t *testing.T) {
	t.Parallel()
	const since = field.Date("2027-02-26")
	tests := []struct {
		tried field.Date
		hard  bool
		step  terms.Step
		day   field.Date
	}{
		{"2027-02-26", false, terms.StepCharge, "2027-02-27"},
		{"2027-02-27", false, terms.StepCharge, "2027-03-01"},
		{"2027-02-28", false, terms.StepCharge, "2027-03-01"}, // a card that was charged in between moves nothing
		{"2027-03-01", false, terms.StepCharge, "2027-03-03"},
		{"2027-03-03", false, terms.StepCharge, "2027-03-05"},
		{"2027-03-05", false, terms.StepUnpaid, "2027-03-05"},
		{"2027-02-26", true, terms.StepUnpaid, "2027-03-05"},
		{"2027-03-01", true, terms.StepUnpaid, "2027-03-05"},
	}
	for _, test := range tests {
		step, day := dunning.Next(terms.Overdue{Since: since, Tried: test.tried, Hard: test.hard})
		require.Equal(t, test.step, step, "%+v", test)
		require.Equal(t, test.day, day, "%+v", test)
	}
	require.Equal(t, field.Date("2027-04-04"), dunning.CancelOn(since))
}
