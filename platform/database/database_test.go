package database_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// load is a row of a company.
type load struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	Number    string
	Price     int64
	DeletedAt gorm.DeletedAt
}

func (load) TableName() string { return "test_loads" }

// plan is a row of nobody.
type plan struct {
	database.Global

	ID   uuid.UUID `gorm:"primaryKey"`
	Name string
}

func (plan) TableName() string { return "test_plans" }

const tables = `
CREATE TABLE test_loads (
	company_id uuid NOT NULL, id uuid PRIMARY KEY, number text NOT NULL, price bigint NOT NULL, deleted_at timestamptz,
	UNIQUE (company_id, number)
);
CREATE TABLE test_plans (id uuid PRIMARY KEY, name text NOT NULL);
CREATE TABLE test_stops (
	company_id uuid NOT NULL, id uuid PRIMARY KEY, load_id uuid NOT NULL REFERENCES test_loads (id)
);`

// fixture is a database with the test tables, and two companies.
type fixture struct {
	*database.DB

	url         string
	ours, other uuid.UUID
}

func each(t *testing.T, test func(t *testing.T, f fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := fixture{DB: open(t, url), url: url, ours: uuid.New(), other: uuid.New()}
		_, err := f.SQL().ExecContext(t.Context(), f.sql(tables))
		require.NoError(t, err)
		test(t, f)
	})
}

func open(t testing.TB, url string) *database.DB {
	t.Helper()
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, t.TempDir(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, db.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })

	return db
}

// sql returns the statements in the dialect of the database.
func (f fixture) sql(statements string) string {
	if f.Dialect() == database.Postgres {
		return statements
	}

	return replaceTypes.Replace(statements)
}

// as returns a context in which somebody of the company is calling.
func as(ctx context.Context, company uuid.UUID) context.Context {
	return principal.With(ctx, principal.ForCompany(company))
}

// insert stores a load of a company.
func (f fixture) insert(t testing.TB, company uuid.UUID, number string) load {
	t.Helper()
	row := load{ID: database.NewID(), Number: number}
	require.NoError(t, f.InTx(as(t.Context(), company), func(ctx context.Context) error {
		return f.Conn(ctx).Create(&row).Error
	}))

	return row
}

// numbers lists what a company has.
func (f fixture) numbers(t testing.TB, company uuid.UUID) []string {
	t.Helper()
	var list []string
	require.NoError(t, f.Conn(as(t.Context(), company)).Model(&load{}).Order("number").Pluck("number", &list).Error)

	return list
}
