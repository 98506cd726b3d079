package list_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/list"
)

// walkOf finds pages one after the other, by their next or their previous cursors, as long as there are any, and
// returns the ids of their rows and how many pages there were.
func walkOf(t *testing.T, db *gorm.DB, query url.Values, s list.Stretch, onward func(list.Meta) *string) (found []string, pages int, last list.Meta) {
	t.Helper()
	for {
		page, err := list.Find(db.Where("owner = ?", 1), parse(t, db, query).WalkTail(s), row.key)
		require.NoError(t, err)
		found, last = append(found, ids(page.Data)...), page.Meta
		if pages++; onward(last) == nil {
			return found, pages, last
		}
		query.Set("cursor", *onward(last))
	}
}

func next(m list.Meta) *string     { return m.NextCursor }
func previous(m list.Meta) *string { return m.PrevCursor }

// stretchOf walks over some things at a time.
func stretchOf(t *testing.T, db *gorm.DB, most int) list.Stretch {
	t.Helper()

	return func(from any, descending bool) (any, error) {
		tx := db.Table("things").Where("owner = ?", 1)
		order, after := "id", "id > ?"
		if descending {
			order, after = "id DESC", "id < ?"
		}
		if from != nil {
			tx = tx.Where(after, from)
		}
		var there []string
		err := tx.Order(order).Offset(most-1).Limit(1).Pluck("id", &there).Error
		if err != nil || len(there) == 0 {
			return nil, err
		}

		return there[0], nil
	}
}

func TestWalkTail_ListsTheSameInMorePages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 40) // every third has no price, none has a pickup
		for _, sort := range []string{"price", "-price", "price,-id", "-price,-id", "pickup", "pickup,-id"} {
			query := func() url.Values { return url.Values{"sort": {sort}, "per_page": {"4"}} }
			whole, pages, _ := walkOf(t, db, query(), nil, next)
			require.Len(t, whole, 40)
			for _, most := range []int{1, 3, 7, 100} {
				all, more, end := walkOf(t, db, query(), stretchOf(t, db, most), next)
				require.Equal(t, whole, all, "%s by %d", sort, most)
				require.GreaterOrEqual(t, more, pages)

				back := query()
				if end.PrevCursor == nil {
					continue
				}
				back.Set("cursor", *end.PrevCursor)
				before, _, _ := walkOf(t, db, back, stretchOf(t, db, most), previous)
				require.Subset(t, whole, before)
				require.GreaterOrEqual(t, len(before), 40-4, "%s by %d, backward", sort, most)
			}
		}
	})
}

func TestWalkTail_LooksAtNoMoreRowsThanItMay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 10)
		filtered := url.Values{"sort": {"price"}, "filter[price][null]": {"true"}, "filter[code]": {"c9"}, "per_page": {"5"}}
		found, pages, _ := walkOf(t, db, filtered, stretchOf(t, db, 2), next)
		require.Len(t, found, 1)
		require.Equal(t, 6, pages, "two rows a page, and a look behind the last")
		none := url.Values{"sort": {"price"}, "filter[price][null]": {"false"}}
		_, err := list.Find(db.Where("owner = ?", 1), parse(t, db, none).WalkTail(func(any, bool) (any, error) {
			return nil, errors.New("the tail is not asked for")
		}), row.key)
		require.NoError(t, err)
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
			q, err := in.Parse(t.Context(), s)
			require.NoError(t, err)
			_, err = list.Find(db, q, row.key)
			require.NoError(t, err)
			require.Equal(t, want, told, query)
		}
	})
}

func TestWalkTail_DoesNotHideAFailure(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 3)
		broken := errors.New("no answer")
		query := parse(t, db, url.Values{"sort": {"price"}}).WalkTail(func(any, bool) (any, error) { return nil, broken })
		_, err := list.Find(db.Where("owner = ?", 1), query, row.key)
		require.ErrorIs(t, err, broken)
	})
}
