package list_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
)

var errTail = errs.New(errs.Invalid, "test.tail", "Here the rows without a value begin.")

// findUpTo reads a page whose tail may be refused.
func findUpTo(t *testing.T, db *gorm.DB, query url.Values, may func() error) (list.Page[row], error) {
	t.Helper()

	return list.Find(db.Where("owner = ?", 1), parse(t, db, query).BeforeTail(may), row.key)
}

func TestBeforeTail_ListsAllWithAValueAndThenSaysWhyNotMore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 10) // of which 7 have a price
		refused := func() error { return errTail }
		for _, sort := range []string{"price", "-price"} {
			query := url.Values{"sort": {sort}, "per_page": {"5"}}
			first, err := findUpTo(t, db, query, refused)
			require.NoError(t, err)
			require.Len(t, first.Data, 5)
			query.Set("cursor", *first.Meta.NextCursor)
			second, err := findUpTo(t, db, query, refused)
			require.NoError(t, err)
			require.Len(t, second.Data, 2)

			whole, err := findUpTo(t, db, query, func() error { return nil })
			require.NoError(t, err)
			require.Len(t, whole.Data, 5)
			require.Equal(t, ids(second.Data), ids(whole.Data)[:2])

			query.Set("cursor", *second.Meta.PrevCursor)
			back, err := findUpTo(t, db, query, refused)
			require.NoError(t, err)
			require.Equal(t, ids(first.Data), ids(back.Data))

			query.Set("cursor", *second.Meta.NextCursor)
			_, err = findUpTo(t, db, query, refused)
			require.ErrorIs(t, err, errTail)
		}

		query := url.Values{"sort": {"price"}, "per_page": {"6"}}
		first, err := findUpTo(t, db, query, refused)
		require.NoError(t, err)
		query.Set("cursor", *first.Meta.NextCursor)
		last, err := findUpTo(t, db, query, refused)
		require.NoError(t, err)
		require.Len(t, last.Data, 1)
		remove(t, db, last.Data[0].ID)
		query.Set("cursor", *last.Meta.PrevCursor)
		back, err := findUpTo(t, db, query, refused)
		require.NoError(t, err)
		require.NotNil(t, back.Meta.NextCursor, "nobody looked whether there is more")

		_, err = findUpTo(t, db, url.Values{"sort": {"name"}}, refused)
		require.ErrorIs(t, err, errTail, "nothing has a name")
		_, err = findUpTo(t, db, url.Values{"sort": {"price"}, "filter[price][null]": {"false"}}, refused)
		require.NoError(t, err, "the tail is not asked for")
	})
}

func TestWithin_IsToldWhoLeads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 3)
		for query, want := range map[string][]bool{
			"": {false}, "sort=price": {false, false}, "sort=pickup": {true, false}, "sort=pickup&filter[pickup][null]=false": {true},
			"sort=pickup&filter[code]=c1": {false, false}, "sort=pickup&filter[code][ne]=c1": {true, false},
			"filter[pickup]=2026-09-22 09:00:00": {true}, "filter[pickup][gte]=2026-09-22 09:00:00": {false},
			"filter[pickup]=2026-09-22 09:00:00&filter[code]=c1": {false}, "sort=pickup&count=exact": {true, false, false},
		} {
			var told []bool
			s := schema(db)
			s.Within = func(tx *gorm.DB, led bool) *gorm.DB {
				told = append(told, led)

				return tx.Where("owner = ?", 1)
			}
			in := list.FromQuery("/things", values(t, query))
			q, err := in.Parse(s)
			require.NoError(t, err)
			_, err = list.Find(db, q, row.key)
			require.NoError(t, err)
			require.Equal(t, want, told, query)
		}
	})
}

func TestBeforeTail_DoesNotHideAFailure(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 3)
		broken := errors.New("no answer")
		_, err := findUpTo(t, db, url.Values{"sort": {"price"}}, func() error { return broken })
		require.ErrorIs(t, err, broken)
	})
}
