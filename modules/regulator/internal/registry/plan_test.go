package registry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/regulator"
	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/internal/registry"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestLookup_WalksTheIndexInItsOrder(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var db *database.DB
		var clk clock.Clock
		moduletest.Boot(t, url, []module.Module{companies.Module, regulator.Module}, moduletest.With(fx.Populate(&db, &clk)))
		var file strings.Builder
		file.WriteString("DOT_NUMBER,LEGAL_NAME,STATUS_CODE,PHY_STATE\n")
		for i := range 5000 {
			fmt.Fprintf(&file, "%d,Trucking %d Company,A,TX\n", 1000+i, i)
		}
		_, err := feed.NewImporter(feed.NewRepository(db), clk).Import(t.Context(), feed.Import{Set: feed.SetCensus, From: strings.NewReader(file.String()), AsOf: clk.Now()})
		require.NoError(t, err)

		explain := "EXPLAIN QUERY PLAN "
		if db.Dialect() == database.Postgres {
			require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
				return db.Raw(ctx, "a test").Exec("ANALYZE carriers_regulator_names").Error
			}))
			explain = "EXPLAIN (FORMAT TEXT) "
		}
		for _, state := range []bool{false, true} {
			args := []any{"tru", "tru\U0010ffff"}
			if state {
				args = append(args, "TX")
			}
			rows, err := db.Raw(t.Context(), "a test").Raw(explain+registry.LookupQuery(state), append(args, 20)...).Rows()
			require.NoError(t, err)
			var plan strings.Builder
			columns, err := rows.Columns()
			require.NoError(t, err)
			for rows.Next() {
				values := make([]any, len(columns))
				for i := range values {
					values[i] = new(any)
				}
				require.NoError(t, rows.Scan(values...))
				fmt.Fprintln(&plan, *values[len(values)-1].(*any))
			}
			require.NoError(t, rows.Err())
			require.NoError(t, rows.Close())
			if db.Dialect() == database.Postgres {
				require.Contains(t, plan.String(), "using carriers_regulator_names_pkey")
			} else {
				require.Contains(t, plan.String(), "SEARCH carriers_regulator_names USING PRIMARY KEY (folded>? AND folded<?)")
			}
			require.NotContains(t, plan.String(), "SCAN carriers_regulator")
			require.NotContains(t, plan.String(), "Seq Scan on carriers_regulator_names")
		}
	})
}
