package list_test

import (
	"flag"
	"maps"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// TestMain sets the number of checks of a property, each of which fills a table; -rapid.checks asks
// for more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "50"); err != nil {
		panic(err)
	}
	m.Run()
}

func TestFind_VisitsTheRowsOfTheModelOnceForwardAndBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			things := drawThings(t, db)
			q := drawQuery(t)
			want := q.rows(things)
			forward, backward := walk(t, db, q)
			require.Equal(t, thingIDs(want), forward)
			slices.Reverse(backward)
			require.Equal(t, thingIDs(want), backward)
		})
	})
}

func drawThings(t *rapid.T, db *gorm.DB) []thing {
	require.NoError(t, db.Exec("DELETE FROM things").Error)
	things := make([]thing, rapid.IntRange(0, 12).Draw(t, "rows"))
	for i := range things {
		things[i] = drawThing(t, i)
	}
	insert(t, db, things...)

	return things
}

// walk follows next to the end and prev back to the beginning, and returns the rows of both ways;
// those of the way back are the last first.
func walk(t *rapid.T, db *gorm.DB, q query) (forward, backward []string) {
	page := find(t, db, q.at(nil))
	require.Nil(t, page.Meta.PrevCursor)
	forward = ids(page.Data)
	for page.Meta.NextCursor != nil {
		page = find(t, db, q.at(page.Meta.NextCursor))
		require.NotEmpty(t, page.Data)
		require.NotNil(t, page.Meta.PrevCursor)
		forward = append(forward, ids(page.Data)...)
	}
	backward = reversed(page)
	for page.Meta.PrevCursor != nil {
		page = find(t, db, q.at(page.Meta.PrevCursor))
		require.Len(t, page.Data, q.perPage)
		require.NotNil(t, page.Meta.NextCursor)
		backward = append(backward, reversed(page)...)
	}

	return forward, backward
}

func reversed(page list.Page[row]) []string {
	all := ids(page.Data)
	slices.Reverse(all)

	return all
}

// at returns the query as a request for the page at a cursor.
func (q query) at(cursor *string) url.Values {
	values := maps.Clone(q.values)
	if cursor != nil {
		values.Set("cursor", *cursor)
	}

	return values
}

func thingIDs(things []thing) []string {
	all := make([]string, len(things))
	for i, one := range things {
		all[i] = one.id()
	}

	return all
}

// place is where a page of the model starts: at a row as it was when its cursor was made.
type place struct {
	one              thing
	backward, closed bool
}

// split divides rows at the place into those the page is taken from, nearest first, and the others.
func (p place) split(q query, rows []thing) (ahead, behind []thing) {
	for _, one := range rows {
		order := q.compare(one, p.one)
		if p.backward {
			order = -order
		}
		if order > 0 || (order == 0 && p.closed) {
			ahead = append(ahead, one)
		} else {
			behind = append(behind, one)
		}
	}
	if p.backward {
		slices.Reverse(ahead)
	}

	return ahead, behind
}

func TestFind_CursorsAreRightWhileRowsComeAndGo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			m := &machine{db: db, q: drawQuery(t), things: drawThings(t, db)}
			m.turn(t, nil, nil)
			t.Repeat(map[string]func(*rapid.T){
				"insert": m.insert, "delete": m.remove, "next": m.next, "prev": m.prev, "first": m.first,
			})
		})
	})
}

// machine turns pages of a list that changes.
type machine struct {
	db     *gorm.DB
	q      query
	things []thing

	page list.Page[row]
	rows []thing // of the page, by the model
	here *place  // where the page starts
}

func (m *machine) insert(t *rapid.T) {
	one := drawThing(t, rapid.IntRange(0, 30).Draw(t, "id"))
	m.drop(t, one.id())
	insert(t, m.db, one)
	m.things = append(m.things, one)
}

func (m *machine) remove(t *rapid.T) {
	if len(m.things) > 0 {
		m.drop(t, rapid.SampledFrom(m.things).Draw(t, "deleted").id())
	}
}

func (m *machine) drop(t *rapid.T, id string) {
	remove(t, m.db, id)
	m.things = slices.DeleteFunc(m.things, func(one thing) bool { return one.id() == id })
}

func (m *machine) first(t *rapid.T) { m.turn(t, nil, nil) }

func (m *machine) next(t *rapid.T) {
	if m.page.Meta.NextCursor != nil {
		m.turn(t, m.page.Meta.NextCursor, m.from(false))
	}
}

func (m *machine) prev(t *rapid.T) {
	if m.page.Meta.PrevCursor != nil {
		m.turn(t, m.page.Meta.PrevCursor, m.from(true))
	}
}

// from returns where the page in a direction starts: beside the outermost row, or, if the page has
// none, where it started itself.
func (m *machine) from(backward bool) *place {
	switch {
	case len(m.rows) == 0:
		return &place{one: m.here.one, backward: !m.here.backward, closed: !m.here.closed}
	case backward:
		return &place{one: m.rows[0], backward: true}
	default:
		return &place{one: m.rows[len(m.rows)-1]}
	}
}

// turn reads a page and compares it with the model's.
func (m *machine) turn(t *rapid.T, cursor *string, at *place) {
	m.page, m.here = find(t, m.db, m.q.at(cursor)), at
	ahead, behind := m.q.rows(m.things), []thing(nil)
	if at != nil {
		ahead, behind = at.split(m.q, ahead)
	}
	more := len(ahead) > m.q.perPage
	m.rows = slices.Clone(ahead[:min(len(ahead), m.q.perPage)])
	hasNext, hasPrev := more, len(behind) > 0
	if at != nil && at.backward {
		slices.Reverse(m.rows)
		hasNext, hasPrev = hasPrev, hasNext
	}
	require.Equal(t, thingIDs(m.rows), ids(m.page.Data))
	require.Equal(t, hasNext, m.page.Meta.NextCursor != nil, "next_cursor")
	require.Equal(t, hasPrev, m.page.Meta.PrevCursor != nil, "prev_cursor")
}
