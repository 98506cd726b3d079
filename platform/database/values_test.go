package database_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

func TestTimes_ComeBackInUTCWithMicroseconds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		at := time.Date(2026, 7, 1, 10, 30, 0, 123456789, time.FixedZone("CEST", 7200))
		require.NoError(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB {
			return tx.Create(&thing{ID: uuid.New(), Name: "a", At: &at})
		}))
		var row thing
		require.NoError(t, f.Conn(f.ctx).First(&row, "at = ?", at).Error)
		require.Equal(t, time.Date(2026, 7, 1, 8, 30, 0, 123456000, time.UTC), *row.At)
	})
}

func TestTimes_CompareAndSortAsTheyAre(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		west := time.FixedZone("west", -8*3600)
		for name, at := range map[string]time.Time{
			"1": start, "2": start.Add(time.Microsecond).In(west), "3": start.Add(100 * time.Millisecond), "4": start.Add(time.Hour).In(west),
		} {
			require.NoError(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB {
				return tx.Create(&thing{ID: uuid.New(), Name: name, At: &at})
			}))
		}
		var names []string
		require.NoError(t, f.Conn(f.ctx).Model(&thing{}).Order("at").Pluck("name", &names).Error)
		require.Equal(t, []string{"1", "2", "3", "4"}, names)
		if f.Dialect() == database.SQLite { // text, which sorts because it is of one width and in UTC
			var texts []string
			require.NoError(t, f.Raw(f.ctx, "test").Raw("SELECT CAST(at AS text) FROM things ORDER BY at").Scan(&texts).Error)
			require.Equal(t, []string{
				"2026-01-01 00:00:00.000000+00:00", "2026-01-01 00:00:00.000001+00:00",
				"2026-01-01 00:00:00.100000+00:00", "2026-01-01 01:00:00.000000+00:00",
			}, texts)
		}
		names = nil
		require.NoError(t, f.Conn(f.ctx).Model(&thing{}).Where("at > ?", start.In(west)).Order("at").Pluck("name", &names).Error)
		require.Equal(t, []string{"2", "3", "4"}, names)
	})
}

func TestUUIDsAndDocuments_AreKeptAsText(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := uuid.MustParse("ABCDEF00-0000-7000-8000-00000000000A")
		require.NoError(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB {
			return tx.Create(&thing{ID: id, Name: "a", Doc: database.JSON(`{"a": [1, "b"]}`)})
		}))
		var row thing
		require.NoError(t, f.Conn(f.ctx).First(&row, "id = ?", id).Error)
		require.JSONEq(t, `{"a": [1, "b"]}`, string(row.Doc))
		var text, part string
		query := "SELECT CAST(id AS text), CAST(doc AS text) FROM things"
		require.NoError(t, f.SQL().QueryRowContext(t.Context(), query).Scan(&text, &part))
		require.Equal(t, "abcdef00-0000-7000-8000-00000000000a", text)
		require.JSONEq(t, `{"a": [1, "b"]}`, part)

		require.NoError(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&thing{ID: uuid.New(), Name: "b"}) }))
		row = thing{}
		require.NoError(t, f.Conn(f.ctx).First(&row, "doc IS NULL").Error)
		require.Nil(t, row.Doc)
	})
}

func TestNewID_Grows(t *testing.T) {
	t.Parallel()
	first, second := database.NewID(), database.NewID()
	require.Less(t, first.String(), second.String())
	require.EqualValues(t, 7, first.Version())
}
