package custommodules

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// countReads counts the statements that read.
func countReads(t *testing.T, db *database.DB) *atomic.Int64 {
	t.Helper()
	var count atomic.Int64
	require.NoError(t, db.Conn(t.Context()).Callback().Query().After("*").
		Register("test:count", func(*gorm.DB) { count.Add(1) }))

	return &count
}

func newTestService(t *testing.T, url string) (*service, context.Context) {
	t.Helper()
	db := databasetest.Open(t, url)
	sources, err := migrate.Sources(migrations.FS, []module.Module{Module})
	require.NoError(t, err)
	require.NoError(t, migrate.Up(t.Context(), db, sources, slog.New(slog.DiscardHandler)))
	repo, now := newRepository(db), clock.System{}.Now()
	d, err := newDefinitions(defaults(), repo)
	require.NoError(t, err)
	company := database.NewID()
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		return db.Raw(ctx, "test").Exec(`INSERT INTO identity_companies (id, name, created_at, updated_at) VALUES (?, 'A', ?, ?)`,
			company, now, now).Error
	}))

	return newService(db, repo, d, defaults(), clock.System{}), principal.With(t.Context(), principal.ForCompany(company))
}

// However many records there are, of modules in memory they take one statement.
func TestItems_TakeOneStatementForABatch(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		s, ctx := newTestService(t, url)
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
		reads := countReads(t, s.db)
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
