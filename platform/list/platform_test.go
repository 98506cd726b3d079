package list_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// note is a row of a company, on the platform's own database.
type note struct {
	database.Tenant

	ID   uuid.UUID
	At   time.Time
	Done *bool
}

func (note) TableName() string { return "notes" }

func (n note) key(field string) any {
	switch field {
	case "at":
		return n.At
	case "done":
		return n.Done
	default:
		return n.ID
	}
}

func noteSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "at", Expr: "at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "done", Expr: "done", Kind: kind.Boolean, Nullable: true, Sortable: true, Filterable: true},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		DefaultSort: []string{"-at"},
	}
}

// openNotes returns a database with a table of notes.
func openNotes(t *testing.T, at string) *database.DB {
	t.Helper()
	db := databasetest.Open(t, at)
	table := `CREATE TABLE notes (company_id uuid NOT NULL, id uuid PRIMARY KEY, at timestamptz NOT NULL, done boolean)`
	if db.Dialect() == database.SQLite {
		table = `CREATE TABLE notes (company_id TEXT NOT NULL, id TEXT PRIMARY KEY, at datetime NOT NULL, done boolean)`
	}
	_, err := db.SQL().ExecContext(t.Context(), table)
	require.NoError(t, err)

	return db
}

func TestFind_OnThePlatformsDatabaseKeepsToTheCompany(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, at string) {
		t.Helper()
		db := openNotes(t, at)
		start, yes := time.Date(2026, 9, 22, 10, 0, 0, 0, time.UTC), true
		ours := principal.With(t.Context(), principal.ForCompany(uuid.Max))
		theirs := principal.With(t.Context(), principal.ForCompany(uuid.New()))
		var want []uuid.UUID
		require.NoError(t, db.InTx(ours, func(ctx context.Context) error {
			for i := range 7 {
				n := note{ID: database.NewID(), At: start.Add(time.Duration(i) * time.Microsecond)}
				if i%2 == 0 {
					n.Done = &yes
				}
				want = append([]uuid.UUID{n.ID}, want...)
				if err := db.Conn(ctx).Create(&n).Error; err != nil {
					return err
				}
			}

			return nil
		}))
		require.NoError(t, db.InTx(theirs, func(ctx context.Context) error {
			return db.Conn(ctx).Create(&note{ID: database.NewID(), At: start}).Error
		}))

		require.Equal(t, want, walkNotes(t, db.Conn(ours), url.Values{}))
		require.Equal(t, want, walkNotes(t, db.Conn(ours).Select("id, at, done, (SELECT max(at) FROM notes) AS latest"), url.Values{}))
		require.Equal(t, want[:6], walkNotes(t, db.Dynamic(ours), url.Values{"filter[at][gt]": {"2026-09-22T10:00:00Z"}}))
		require.Len(t, walkNotes(t, db.Dynamic(ours), url.Values{"filter[or][0][done]": {"true"}, "filter[or][1][at][lt]": {"2100-01-01T00:00:00Z"}}), 7)
		require.Equal(t, []uuid.UUID{want[0], want[2], want[4], want[6], want[1], want[3], want[5]}, walkNotes(t, db.Dynamic(ours), url.Values{"sort": {"-done,-at"}}))
		require.Len(t, walkNotes(t, db.Dynamic(theirs), url.Values{}), 1)

		in := list.FromQuery("/notes", nil)
		q, err := in.Parse(t.Context(), noteSchema())
		require.NoError(t, err)
		_, err = list.Find(db.Conn(t.Context()), q, note.key)
		require.Error(t, err, "nobody is calling")
	})
}

// walkNotes returns the notes of all pages.
func walkNotes(t *testing.T, tx *gorm.DB, query url.Values) []uuid.UUID {
	t.Helper()
	query.Set("per_page", "2")
	query.Del("cursor")
	var all []uuid.UUID
	for {
		query.Set("count", []string{"exact", "estimate"}[len(all)/2%2])
		in := list.FromQuery("/notes", query)
		q, err := in.Parse(t.Context(), noteSchema())
		require.NoError(t, err)
		page, err := list.Find(tx, q, note.key)
		require.NoError(t, err)
		for _, n := range page.Data {
			all = append(all, n.ID)
		}
		if page.Meta.NextCursor == nil {
			require.EqualValues(t, len(all), *page.Meta.Total)
			require.Equal(t, list.TotalExact, page.Meta.TotalKind)

			return all
		}
		query.Set("cursor", *page.Meta.NextCursor)
	}
}
