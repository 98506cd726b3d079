package list_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/list"
)

func TestFind_CountsAllPagesWhenAsked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 3*list.MaxEstimated)
		require.NoError(t, db.Exec("ANALYZE").Error)

		page := find(t, db, values(t, "per_page=2"))
		require.Nil(t, page.Meta.Total)
		require.Empty(t, page.Meta.TotalKind)

		page = find(t, db, values(t, "per_page=2&count=exact&cursor="+*page.Meta.NextCursor))
		require.EqualValues(t, 3*list.MaxEstimated, *page.Meta.Total)
		require.Equal(t, list.TotalExact, page.Meta.TotalKind)

		page = find(t, db, values(t, "per_page=2&count=estimate&filter[qty]=7"))
		require.EqualValues(t, 600, *page.Meta.Total)
		require.Equal(t, list.TotalExact, page.Meta.TotalKind)

		page = find(t, db, values(t, "per_page=2&count=estimate&filter[price][null]=false"))
		if db.Name() == "postgres" {
			require.InDelta(t, 2*list.MaxEstimated, *page.Meta.Total, list.MaxEstimated/2)
			require.Equal(t, list.TotalEstimate, page.Meta.TotalKind)
		} else {
			require.EqualValues(t, list.MaxEstimated, *page.Meta.Total)
			require.Equal(t, list.TotalAtLeast, page.Meta.TotalKind)
		}
	})
}
