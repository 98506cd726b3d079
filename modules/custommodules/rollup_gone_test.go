package custommodules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// marks counts the records whose rollups are yet to be computed.
func (y yard) marks(t *testing.T) (count int) {
	t.Helper()
	require.NoError(t, y.DB.SQL().QueryRowContext(t.Context(), "SELECT count(*) FROM custom_modules_rollup_marks").Scan(&count))

	return count
}

func TestRollup_OfADeletedRecordHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		c := y.claims(t)
		c.addRollup(t, c.rollup("n", "count"))
		gone := y.create(t, c.claims, object{"name": "gone"}).OK(t)
		c.item(t, gone.Get("uuid").String(), "1.00", "open")
		y.fresh(t, gone.Header.Get("Location"))
		y.remove(t, gone.Header.Get("Location")).OK(t) // its item goes with it, and marks it
		y.Eventually(t, func() bool { return y.marks(t) == 0 }, "the mark of the deleted record goes")

		other := y.create(t, c.claims, object{"name": "other"}).OK(t)
		c.item(t, other.Get("uuid").String(), "1.00", "open")
		require.Equal(t, int64(1), y.fresh(t, other.Header.Get("Location")).Get("payload.n").Int())
		y.Eventually(t, func() bool { return y.marks(t) == 0 }, "no mark is left")
		require.NotContains(t, y.Logged(), "roll_up", "no job has failed")
	}, moduletest.Alone())
}
