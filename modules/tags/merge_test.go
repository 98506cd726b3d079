package tags_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMerge_IsOfSoManyItemsAtMost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		from, into := newTag(t, a, "From"), newTag(t, a, "Into")
		tagMany(t, a, from, 50_001)
		require.Equal(t, int64(50_001), get(t, a, "/tags/"+from+"/usage").Get("total").Int())
		post(t, a, "/tags/"+from+"/merge", object{"into_uuid": into}).Refused(t, http.StatusConflict, "tags.too_many_items")
		require.Equal(t, "From", get(t, a, "/tags/"+from).Get("name").String())
		require.Empty(t, a.EventNames(t, a.Owner, "tags.tag.merged"))
	})
}

// tagMany puts a tag on n items, which need not be there.
func tagMany(t *testing.T, a *moduletest.App, tag string, n int) {
	t.Helper()
	id := map[database.Dialect]string{
		database.SQLite:   "printf('00000000-0000-4000-8000-%012d', i)",
		database.Postgres: "CAST('00000000-0000-4000-8000-' || lpad(CAST(i AS text), 12, '0') AS uuid)",
	}[a.DB.Dialect()]
	_, err := a.DB.SQL().ExecContext(t.Context(), `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < $1)
		INSERT INTO tags_assignments (company_id, id, tag_id, item_type, item_id, item_part, version, created_at, updated_at)
		SELECT company_id, `+id+`, tags_tags.id, 'tags.tag', `+id+`, '', 1, created_at, updated_at FROM tags_tags, numbers WHERE tags_tags.id = $2`, n, tag)
	require.NoError(t, err)
}
