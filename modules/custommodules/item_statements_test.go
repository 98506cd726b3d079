package custommodules

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// countReads counts the statements of the company in ctx that read, from now on.
func countReads(ctx context.Context, a *moduletest.App) *atomic.Int64 {
	var count atomic.Int64
	a.OnStatement(func(of context.Context, s database.Statement) {
		if companyOf(of) == companyOf(ctx) && strings.HasPrefix(s.SQL, "SELECT") {
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
			made, _, err := s.createModule(ctx, newModule{Name: strconv.Itoa(m), Fields: []newField{{Key: "name", Type: "text"}}})
			require.NoError(t, err)
			parts = append(parts, made.ID.String())
			for range item.Batch/4 + 1 {
				record, err := s.createRecord(ctx, database.NewID(), made.ID, []byte(`{"name":"x"}`))
				require.NoError(t, err)
				ids = append(ids, record.ID)
			}
		}
		reads := countReads(ctx, a)
		for range 2 {
			before := reads.Load()
			described, err := s.describeRecords(ctx, ids)
			require.NoError(t, err)
			require.Len(t, described, len(ids))
			values, err := s.recordValues(ctx, ids, []string{"name"})
			require.NoError(t, err)
			require.Len(t, values, len(ids))
			require.Equal(t, before+2, reads.Load(), "one for each question")
		}
		before := reads.Load()
		fields, err := s.recordFields(ctx, parts)
		require.NoError(t, err)
		require.Len(t, fields, 3)
		require.Equal(t, before+2, reads.Load(), "modules and fields")

		fresh, err := newDefinitions(defaults(), s.repo, s.others.resources)
		require.NoError(t, err)
		s.definitions = fresh
		before = reads.Load()
		_, err = s.describeRecords(ctx, ids)
		require.NoError(t, err)
		require.Equal(t, before+1+3*3, reads.Load(), "three more for each module that is not in memory: itself, its fields, and what is made of its records")
	})
}
