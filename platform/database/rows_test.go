package database_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestPipelineRows_WritesAnyNumberOfRowsInTheirOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		who, _ := principal.From(f.ctx)
		const insert = "INSERT INTO things (company_id, id, name, amount)"
		var names []string
		put := func(into database.Rows, n int) {
			rows := make([][]any, n)
			for i := range rows {
				name := string(rune('a'+len(names)/26)) + string(rune('a'+len(names)%26))
				names = append(names, name)
				rows[i] = []any{who.Company, database.NewID(), name, int64(i)}
			}
			require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error { return f.PipelineRows(ctx, "test", into, rows, nil) }))
		}
		for _, n := range []int{0, 1, 2, 77} {
			put(database.NewRows(insert, database.PlainValues("uuid", "uuid", "text", "bigint"), ""), n)
			put(database.NewUntypedRows(insert, 4, ""), n)
			put(database.NewCopiedRows("things", "company_id", "id", "name", "amount"), n)
		}
		require.Equal(t, names, f.names(t))
	})
}

// insertParts inserts parts of things, which must be there.
func insertParts() database.Rows {
	return database.NewRows("INSERT INTO parts (company_id, id, thing_id, name)", append(database.PlainValues("uuid", "uuid"),
		database.Value{SQL: "(SELECT id FROM things WHERE company_id = ? AND id = ?)", Types: []string{"uuid", "uuid"}},
		database.Value{Types: []string{"text"}}), "")
}

func TestPipelineRows_IsUndoneAsAWholeAndSaysWhy(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		who, _ := principal.From(f.ctx)
		there := f.add(t, f.ctx, "there")
		into := insertParts()
		put := func(things ...uuid.UUID) error {
			rows := make([][]any, len(things))
			for i, id := range things {
				rows[i] = []any{who.Company, database.NewID(), who.Company, id, "wheel"}
			}

			return f.InTx(f.ctx, func(ctx context.Context) error {
				return f.PipelineRows(ctx, "test", into, rows, func(err error) error {
					if database.IsNullViolation(err) {
						return errNoSuchThing
					}

					return err
				})
			})
		}
		require.NoError(t, put(there.ID, there.ID, there.ID))
		require.ErrorIs(t, put(there.ID, uuid.New(), there.ID), errNoSuchThing)
	})
}

func TestTransposed_WritesValuesAsPostgreSQLReadsThem(t *testing.T) {
	t.Parallel()
	id, at := uuid.New(), time.Date(2026, 1, 2, 3, 4, 5, 6_789_999, time.FixedZone("", 3600))
	columns, err := database.Transpose([][]any{{id, &id, at, &at, int64(7), true, "x", database.JSON(`{}`)}, make([]any, 8)})
	require.NoError(t, err)
	want := []string{id.String(), id.String(), "2026-01-02T02:04:05.006789Z", "2026-01-02T02:04:05.006789Z", "7", "true", "x", "{}"}
	for i, text := range want {
		require.Equal(t, []*string{&text, nil}, columns[i])
	}
	_, err = database.Transpose([][]any{{struct{}{}}})
	require.ErrorContains(t, err, "no value of a row")
}

func TestPipelineRows_AddsUpSums(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		_, err := f.SQL().ExecContext(t.Context(), "CREATE TABLE sums (name text, part bigint, total bigint, PRIMARY KEY (name, part))")
		require.NoError(t, err)
		into := database.NewSums("sums", []string{"name", "part"}, []database.Value{{Types: []string{"text"}}, {SQL: "1 + 1"}}, "total")
		for range 2 {
			require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
				return f.PipelineRows(ctx, "test", into, [][]any{{"a", int64(1)}, {"b", int64(10)}, {"a", int64(-3)}}, nil)
			}))
		}
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			return f.PipelineRows(ctx, "test", into, [][]any{{"b", int64(100)}}, nil)
		}))
		var totals []int64
		require.NoError(t, f.Raw(f.ctx, "test").Raw("SELECT total FROM sums WHERE part = 2 ORDER BY name").Scan(&totals).Error)
		require.Equal(t, []int64{-4, 120}, totals)
	})
}
