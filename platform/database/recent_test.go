package database_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// More different statements than are kept, from several goroutines: each is answered, whether it is kept,
// is being forgotten, or was.
func TestDynamic_AnswersMoreStatementsThanAreKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.add(t, f.ctx, "a")
		count := func(ctx context.Context, i int) (n int64, err error) {
			return n, f.Dynamic(ctx).Model(&thing{}).Where(fmt.Sprintf("amount > %d", -1-i)).Count(&n).Error
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range 250 {
					n, err := count(f.ctx, i*7%250)
					if err != nil || n != 1 {
						t.Errorf("statement %d: %d, %v", i, n, err)
					}
				}
			})
		}
		all.Wait()
		_, err := count(f.ctx, 1)
		require.NoError(t, err)
	})
}

// TestDynamic_IsPlannedForTheValues: of a rare value and a frequent one another plan is the best. Others are planned
// once, whatever the statistics know.
func TestDynamic_IsPlannedForTheValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		if f.Dialect() != database.SQLite {
			return // TestDynamic_KeepsNoStatementAndReadsTheSame
		}
		for _, statement := range []string{
			"CREATE TABLE loads (state text, at integer, note text)",
			"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) " +
				"INSERT INTO loads SELECT CASE WHEN i % 1000 THEN 'open' ELSE 'lost' END, i, 'a note of some length' FROM n",
			"CREATE INDEX loads_state ON loads (state)", "CREATE INDEX loads_at ON loads (at)", "ANALYZE",
		} {
			_, err := f.SQL().ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		plan := func(handle *gorm.DB, state string) string {
			var steps []struct{ Detail string }
			require.NoError(t, database.UncheckedRaw(handle, "test").
				Raw("EXPLAIN QUERY PLAN SELECT * FROM loads WHERE state = ? AND at > ?", state, 4900).Scan(&steps).Error)

			return steps[0].Detail
		}
		for _, handle := range []func(context.Context) *gorm.DB{f.Steady, f.Conn} {
			require.Equal(t, plan(handle(f.ctx), "open"), plan(handle(f.ctx), "lost"))
		}
		require.Contains(t, plan(f.Dynamic(f.ctx), "open"), "loads_at")
		require.Contains(t, plan(f.Dynamic(f.ctx), "lost"), "loads_state")
	})
}
