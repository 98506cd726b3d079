package custommodules

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// countReads counts the statements of the company in ctx that read, from now on.
func countReads(ctx context.Context, a *moduletest.App) *atomic.Int64 {
	var count atomic.Int64
	a.OnStatement(func(of context.Context, s database.Statement) {
		if principal.CompanyOf(of) == principal.CompanyOf(ctx) && strings.HasPrefix(s.SQL, "SELECT") {
			count.Add(1)
		}
	})

	return &count
}

// However many records there are, of modules in memory they take one statement.
func TestItems_TakeOneStatementForABatch(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App, s *service, ctx context.Context) {
		t.Helper()
		var ids []uuid.UUID
		var parts []string
		for m := range 3 {
			made, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: strconv.Itoa(m), Fields: []definition.NewField{{Key: "name", Type: "text"}}})
			require.NoError(t, err)
			parts = append(parts, made.ID.String())
			for range item.Batch/4 + 1 {
				record, err := s.records.CreateRecord(ctx, database.NewID(), made.ID, []byte(`{"name":"x"}`))
				require.NoError(t, err)
				ids = append(ids, record.ID)
			}
		}
		reads := countReads(ctx, a)
		for range 2 {
			before := reads.Load()
			described, err := s.records.DescribeRecords(ctx, ids)
			require.NoError(t, err)
			require.Len(t, described, len(ids))
			values, err := s.records.RecordValues(ctx, ids, []string{"name"})
			require.NoError(t, err)
			require.Len(t, values, len(ids))
			require.Equal(t, before+2, reads.Load(), "one for each question")
		}
		before := reads.Load()
		fields, err := s.records.RecordFields(ctx, parts)
		require.NoError(t, err)
		require.Len(t, fields, 3)
		require.Equal(t, before+2, reads.Load(), "modules and fields")

		for m := range 3 { // which take the places of the first three in memory
			other, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "other " + strconv.Itoa(m)})
			require.NoError(t, err)
			_, err = s.records.CreateRecord(ctx, database.NewID(), other.ID, []byte(`{}`))
			require.NoError(t, err)
		}
		before = reads.Load()
		_, err = s.records.DescribeRecords(ctx, ids)
		require.NoError(t, err)
		require.Equal(t, before+1+3*3, reads.Load(), "three more for each module that is not in memory: itself, its fields, and what is made of its records")
	}, moduletest.Set("modules.custom_modules.definition_cache=3"))
}
