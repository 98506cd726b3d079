package custommodules

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
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
		createRecord := func(module uuid.UUID, payload string) uuid.UUID {
			made, err := s.records.CreateRecord(ctx, uuid.New(), module, []byte(payload))
			require.NoError(t, err)
			_, err = s.records.UpdateRecord(ctx, made.ID, []byte(`{"size": 2}`), records.Always{})
			require.NoError(t, err)

			return made.ID
		}
		spec := modeling.NewModule{Name: "Parts", Fields: []definition.NewField{{Key: "code", Type: "text", Unique: true}, {Key: "size", Type: "integer"}}}
		kept, _, err := s.modeling.CreateModule(ctx, spec)
		require.NoError(t, err)
		spec.Name = "Old parts"
		gone, _, err := s.modeling.CreateModule(ctx, spec)
		require.NoError(t, err)
		stays, old, fresh := createRecord(kept.ID, `{"code": "a"}`), createRecord(kept.ID, `{"code": "b"}`), createRecord(kept.ID, `{"code": "c"}`)
		createRecord(gone.ID, `{"code": "d"}`)
		require.NoError(t, s.records.DeleteRecord(ctx, old, records.Always{}))
		require.NoError(t, s.modeling.DeleteModule(ctx, gone.ID, records.Always{}))

		now.Advance(s.settings.Retention - time.Minute)
		require.NoError(t, s.records.DeleteRecord(ctx, fresh, records.Always{}))
		require.NoError(t, s.records.PurgeDeleted(ctx, records.Purge{}))
		require.Equal(t, 4, s.rows(ctx, t, "custom_modules_records"), "not yet")

		now.Advance(2 * time.Minute)
		require.NoError(t, s.records.PurgeDeleted(ctx, records.Purge{}))
		require.Equal(t, 2, s.rows(ctx, t, "custom_modules_records"))
		require.Equal(t, 3, s.rows(ctx, t, "custom_modules_history"), "two changes and a deletion")
		require.Equal(t, 1, s.rows(ctx, t, "custom_modules_unique"))
		require.Equal(t, 1, s.rows(ctx, t, "custom_modules_modules"))
		require.Equal(t, 2, s.rows(ctx, t, "custom_modules_fields"))
		_, err = s.records.ReadRecord(ctx, stays)
		require.NoError(t, err)
		_, err = s.records.RestoreRecord(ctx, fresh, records.Always{})
		require.NoError(t, err)
	}, moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock {
		return clock.NewFake(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	})))
}
