package contacts

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestKeys_AreReadByTheirIndexes(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var db *database.DB
		var rows *repository
		a := moduletest.Boot(t, url, []module.Module{companies.Module, Module}, moduletest.With(fx.Populate(&db)))
		rows = newRepository(db)
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		var all []key
		for i := range 5_000 {
			id := uuid.New()
			all = append(all, key{Kind: byPhone, Value: strconv.Itoa(i), ContactID: id, Weight: weights[byPhone]},
				key{Kind: byEmail, Value: fmt.Sprint(i/2, "@example.com"), ContactID: id, Weight: weights[byEmail]})
		}
		require.NoError(t, db.InTx(ctx, func(ctx context.Context) error { return rows.addKeys(ctx, all) }))
		require.NoError(t, db.InTx(ctx, func(ctx context.Context) error {
			return db.Raw(ctx, "a test").Exec("ANALYZE contacts_keys").Error
		}))
		var mu sync.Mutex
		var sent []database.Statement
		a.OnStatement(func(_ context.Context, s database.Statement) {
			if mu.Lock(); strings.Contains(s.SQL, "contacts_keys") && !strings.HasPrefix(s.SQL, "EXPLAIN") {
				sent = append(sent, s)
			}
			mu.Unlock()
		})
		values, err := rows.sharedValues(ctx, byEmail, "", 10)
		require.NoError(t, err)
		require.Len(t, values, 10)
		_, err = rows.holders(ctx, all[:20])
		require.NoError(t, err)
		_, err = rows.pairs(ctx, pairQuery{after: pair{Kind: byEmail}}, values, 10)
		require.NoError(t, err)
		mu.Lock()
		queries := sent
		mu.Unlock()
		require.Len(t, queries, 3)
		for _, q := range queries {
			plan := explain(ctx, t, db, q)
			require.NotContains(t, plan, "Seq Scan on contacts_keys")
			require.NotRegexp(t, `SCAN (contacts_keys|k|a|b|s|t|o)\b`, plan)
			require.NotContains(t, strings.ReplaceAll(plan, "USE TEMP B-TREE FOR LAST", ""), "FOR GROUP BY", "the index has the order of values")
		}
	})
}

func explain(ctx context.Context, t *testing.T, db *database.DB, q database.Statement) string {
	t.Helper()
	how := "EXPLAIN QUERY PLAN "
	if db.Dialect() == database.Postgres {
		how = "EXPLAIN "
	}
	text := q.SQL
	for i := len(q.Values); i > 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), "?")
	}
	rows, err := db.Raw(ctx, "a test").Raw(how+text, q.Values...).Rows()
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var plan strings.Builder
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		require.NoError(t, rows.Scan(cells...))
		fmt.Fprintln(&plan, *cells[len(cells)-1].(*any))
	}
	require.NoError(t, rows.Err())

	return plan.String()
}
