package custommodules

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// rows counts the rows of a table, of all companies.
func (s *service) rows(ctx context.Context, t *testing.T, table string) int {
	t.Helper()
	var n int
	require.NoError(t, s.db.Raw(ctx, "test").Raw("SELECT count(*) FROM "+table).Scan(&n).Error)

	return n
}

func TestPurge_RemovesForGoodWhatWasDeletedLongAgo(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		now, _ := s.clock.(*clock.Fake)
		make := func(module uuid.UUID, payload string) uuid.UUID {
			made, err := s.createRecord(ctx, uuid.New(), module, []byte(payload))
			require.NoError(t, err)
			_, err = s.updateRecord(ctx, made.ID, []byte(`{"size": 2}`), always{})
			require.NoError(t, err)

			return made.ID
		}
		spec := newModule{Name: "Parts", Fields: []newField{{Key: "code", Type: "text", Unique: true}, {Key: "size", Type: "integer"}}}
		kept, _, err := s.createModule(ctx, spec)
		require.NoError(t, err)
		spec.Name = "Old parts"
		gone, _, err := s.createModule(ctx, spec)
		require.NoError(t, err)
		stays, old, fresh := make(kept.ID, `{"code": "a"}`), make(kept.ID, `{"code": "b"}`), make(kept.ID, `{"code": "c"}`)
		make(gone.ID, `{"code": "d"}`)
		require.NoError(t, s.deleteRecord(ctx, old, always{}))
		require.NoError(t, s.deleteModule(ctx, gone.ID, always{}))

		now.Advance(s.settings.Retention - time.Minute)
		require.NoError(t, s.deleteRecord(ctx, fresh, always{}))
		require.NoError(t, s.purgeDeleted(ctx, purge{}))
		require.Equal(t, 4, s.rows(ctx, t, "custom_modules_records"), "not yet")

		now.Advance(2 * time.Minute)
		require.NoError(t, s.purgeDeleted(ctx, purge{}))
		require.Equal(t, 2, s.rows(ctx, t, "custom_modules_records"))
		require.Equal(t, 3, s.rows(ctx, t, "custom_modules_history"), "two changes and a deletion")
		require.Equal(t, 1, s.rows(ctx, t, "custom_modules_unique"))
		require.Equal(t, 1, s.rows(ctx, t, "custom_modules_modules"))
		require.Equal(t, 2, s.rows(ctx, t, "custom_modules_fields"))
		_, err = s.readRecord(ctx, stays)
		require.NoError(t, err)
		_, err = s.restoreRecord(ctx, fresh, always{})
		require.NoError(t, err)
	}, moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock {
		return clock.NewFake(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	})))
}
