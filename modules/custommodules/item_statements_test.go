package custommodules

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

// countReads counts the statements that read.
func countReads(ctx context.Context, t *testing.T, db *database.DB) *atomic.Int64 {
	t.Helper()
	var count atomic.Int64
	require.NoError(t, db.Conn(ctx).Callback().Query().After("*").
		Register("test:count", func(tx *gorm.DB) {
			if companyOf(tx.Statement.Context) == companyOf(ctx) { //nolint:contextcheck // the statement's; jobs run meanwhile
				count.Add(1)
			}
		}))

	return &count
}

// However many records there are, of modules in memory they take one statement.
func TestItems_TakeOneStatementForABatch(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
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
		reads := countReads(ctx, t, s.db)
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

		fresh, err := newDefinitions(defaults(), s.repo)
		require.NoError(t, err)
		s.definitions = fresh
		before = reads.Load()
		_, err = s.describeRecords(ctx, ids)
		require.NoError(t, err)
		require.Equal(t, before+1+2*3, reads.Load(), "two more for each module that is not in memory")
	})
}
