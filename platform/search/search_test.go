package search

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	trucks  = "trucks.truck"
	drivers = "drivers.driver"
)

// yard is an index of two companies.
type yard struct {
	*Index

	ours, theirs uuid.UUID
}

func each(t *testing.T, test func(t *testing.T, y yard)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		require.NoError(t, migrate.Up(t.Context(), db, platform(t), slog.New(slog.DiscardHandler)))
		test(t, yard{New(db), database.NewID(), database.NewID()})
	})
}

// platform are the migrations of the platform.
func platform(t *testing.T) []migrate.Source {
	t.Helper()
	files, err := fs.Sub(migrations.FS, "platform")
	require.NoError(t, err)

	return []migrate.Source{{Area: "platform", FS: files}}
}

// put keeps entries.
func (y yard) put(t *testing.T, entries ...Entry) {
	t.Helper()
	require.NoError(t, y.db.InTx(t.Context(), func(ctx context.Context) error { return y.Put(ctx, entries...) }))
}

// as is a context of a company.
func as(t *testing.T, company uuid.UUID) context.Context {
	t.Helper()

	return principal.AsCompany(t.Context(), company)
}

// find returns the trucks of our company that a query finds.
func (y yard) find(t *testing.T, query string) []uuid.UUID {
	t.Helper()
	ids, err := y.Find(as(t, y.ours), Rows{Type: trucks}, Parse(query), 10_000)
	require.NoError(t, err)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })

	return ids
}

// titled is a truck of our company with a title and more texts.
func (y yard) titled(title string, more ...string) Entry {
	e := Entry{Company: y.ours, Type: trucks, ID: database.NewID(), Lines: []Line{{Text: title}}}
	for _, text := range more {
		e.Lines = append(e.Lines, Line{Text: text})
	}

	return e
}

func TestFind_FindsAPartOfATextWithoutCaseAndAccents(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		t.Helper()
		e := y.titled("Camión Azul", "1XPWD40X1ED215307", "50% off, a_b\\c 'x' \"y\" (z)\nsecond STRASSE 北京市 é")
		e.Lines = append(e.Lines, Line{Text: "+12025550143", More: "(202) 555-0143 202-555-0143"})
		y.put(t, e, y.titled("Other"))
		for _, query := range []string{
			"camion", "AZÚL", "mión az", "zul", "215307", "xpwd40", "azul 1xpw second", "50%", "a_b", `b\c`, "'x'", `"y"`, "(z)", "straße", "北京", "北京市",
			"é", "e", "z", "c", "(202) 555-0143", "202-555-0143", "2025550143", "nd s",
		} {
			require.Equal(t, []uuid.UUID{e.ID}, y.find(t, query+" mi"), query)
		}
		for _, query := range []string{"a%b", "a%f", "axb", "%%%", "___", "camionx", "azul other", "camiones"} {
			require.Empty(t, y.find(t, query+" mi"), query)
		}
		require.Len(t, y.find(t, "o"), 2)
		require.Empty(t, Parse(" \u0301\u00a0\ue000 "), "nothing to search for")
	})
}

func TestFind_KeepsCompaniesTypesAndTheDeletedApart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		t.Helper()
		ours, theirs, driver := y.titled("Blue"), y.titled("Blue"), y.titled("Blue")
		theirs.Company, driver.Type = y.theirs, drivers
		y.put(t, ours, theirs, driver)
		require.Equal(t, []uuid.UUID{ours.ID}, y.find(t, "blue"))
		require.Equal(t, []uuid.UUID{ours.ID}, y.find(t, "bl"))

		ours.Deleted = true
		y.put(t, ours)
		require.Empty(t, y.find(t, "blue"))
		deleted, err := y.Find(as(t, y.ours), Rows{Type: trucks, Deleted: true}, Parse("blue"), 10)
		require.NoError(t, err)
		require.Equal(t, []uuid.UUID{ours.ID}, deleted)

		ours.Deleted, ours.Lines = false, []Line{{Text: "Green"}}
		y.put(t, ours)
		require.Empty(t, y.find(t, "blue"), "its former text")
		require.Equal(t, []uuid.UUID{ours.ID}, y.find(t, "green"))
		require.NoError(t, y.db.InTx(t.Context(), func(ctx context.Context) error {
			return y.Remove(ctx, trucks, []database.Place{{CompanyID: y.ours, ID: ours.ID}})
		}))
		require.Empty(t, y.find(t, "green"))

		require.NoError(t, y.db.InTx(as(t, y.theirs), func(ctx context.Context) error {
			return y.RemoveAll(ctx, trucks, "SELECT item_id FROM resource_search WHERE folded = ?", "blue\n")
		}))
		found, err := y.Find(as(t, y.theirs), Rows{Type: trucks}, Parse("blue"), 10)
		require.NoError(t, err)
		require.Empty(t, found)
		hits, err := y.Hits(as(t, y.ours), Scope{Types: []string{trucks, drivers}}, Parse("blue"), 10)
		require.NoError(t, err)
		require.Len(t, hits, 1, "the driver stays")
	})
}

// TestFind_FindsWhatContainsAllTerms compares the indexes with looking through all texts.
func TestFind_FindsWhatContainsAllTerms(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		t.Helper()
		random := rand.New(rand.NewPCG(7, 11))
		text := func(most int) string {
			var made strings.Builder
			for range 1 + random.IntN(most) {
				made.WriteString([]string{"a", "B", "é", "1", "%", "_", `\`, `"`, "'", "-", " ", "ab", "北"}[random.IntN(13)])
			}

			return made.String()
		}
		entries := make([]Entry, 200)
		for i := range entries {
			entries[i] = y.titled(text(8), text(12))
		}
		y.put(t, entries...)
		for range 150 {
			terms, want := Parse(text(6)), []uuid.UUID(nil)
			if len(terms) == 0 {
				continue
			}
			for _, e := range entries {
				if !slices.ContainsFunc(terms, func(term string) bool { return !strings.Contains(e.folded(), term) }) {
					want = append(want, e.ID)
				}
			}
			require.ElementsMatch(t, want, y.find(t, strings.Join(terms, " ")), "%q", terms)
		}
	})
}

func TestHits_ComeByTheirTitlesAndSayWhatWasFound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		t.Helper()
		text, inside, begins, is := y.titled("", "one two three four five six seven eight Blue Rídge nine"), y.titled("North of Ridge, blue"), y.titled("BLUE ridge yard"),
			y.titled("Blue Ridge")
		later, phone, hidden := y.titled("Blue Ridge yard"), y.titled("Ann", "+12025550143"), y.titled("Blue Ridge")
		later.Type, hidden.Part, phone.Lines[1].More = drivers, "vaults", "202-555-0143"
		y.put(t, is, text, begins, inside, later, phone, hidden)
		in := Scope{Types: []string{trucks, drivers}, Hidden: []string{"vaults"}}
		hits, err := y.Hits(as(t, y.ours), in, Parse("blue ridge"), 10)
		require.NoError(t, err)
		require.Equal(t, []Hit{
			{Type: trucks, ID: is.ID, Rank: TitleIs, Title: "Blue Ridge", Snippet: "Blue Ridge"},
			{Type: drivers, ID: later.ID, Rank: TitleBegins, Title: "Blue Ridge yard", Snippet: "Blue Ridge yard"},
			{Type: trucks, ID: begins.ID, Rank: TitleBegins, Title: "BLUE ridge yard", Snippet: "BLUE ridge yard"},
			{Type: trucks, ID: inside.ID, Rank: TitleContains, Title: "North of Ridge, blue", Snippet: "North of Ridge, blue"},
			{Type: trucks, ID: text.ID, Rank: TextContains, Line: 1, Snippet: "… three four five six seven eight Blue Rídge nine"},
		}, hits)
		for _, hit := range hits {
			require.Equal(t, Parse("blue ridge").Rank(hit.Title), hit.Rank, hit.Title)
		}
		hits, err = y.Hits(as(t, y.ours), in, Parse("555-0143"), 10)
		require.NoError(t, err)
		require.Equal(t, []Hit{{Type: trucks, ID: phone.ID, Rank: TextContains, Title: "Ann", Line: 1, Snippet: "+12025550143"}}, hits)
		few, err := y.Hits(as(t, y.ours), in, Parse("blue"), 2)
		require.NoError(t, err)
		require.Len(t, few, 2)
		none, err := y.Hits(as(t, y.ours), Scope{}, Parse("blue"), 2)
		require.NoError(t, err)
		require.Empty(t, none, "of no types")
	})
}

func TestFind_UsesTheIndexOfTrigrams(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, y yard) {
		t.Helper()
		entries := make([]Entry, 6_000)
		for i := range entries {
			entries[i] = y.titled(fmt.Sprintf("Truck %d", i), fmt.Sprintf("1XPWD40X1ED%06d", i*7), "Peterbilt 389, in Dallas", strings.Repeat("Has new tyres. ", 10))
		}
		y.put(t, entries...)
		statistics := "ANALYZE"
		if y.db.Dialect() == database.Postgres {
			statistics = "VACUUM ANALYZE resource_search"
		}
		_, err := y.db.SQL().ExecContext(t.Context(), statistics)
		require.NoError(t, err)
		require.Equal(t, []uuid.UUID{entries[5123].ID}, y.find(t, "truck ed035861"))
		query, args := y.findSQL(y.ours, Rows{Type: trucks}, Parse("truck ed035861"), 1_001)
		y.requireIndex(t, query, args)
		query, args = y.hitsSQL(y.ours, Scope{Types: []string{trucks, drivers}}, Parse("ed035861"), 20)
		y.requireIndex(t, query, args)
	})
}

// requireIndex wants a statement to find its rows by trigrams.
func (y yard) requireIndex(t *testing.T, query string, args []any) {
	t.Helper()
	explain, index := "EXPLAIN ", "Bitmap Index Scan on resource_search_folded"
	if y.db.Dialect() == database.SQLite {
		explain, index = "EXPLAIN QUERY PLAN ", "SCAN g VIRTUAL TABLE INDEX"
	}
	var lines []map[string]any
	require.NoError(t, y.read(as(t, y.ours)).Raw(explain+query, args...).Scan(&lines).Error)
	plan := fmt.Sprint(lines)
	require.Contains(t, plan, index)
	require.NotContains(t, plan, "Seq Scan")
	require.NotContains(t, plan, "SCAN s")
}
