package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// thing is a row of a company.
type thing struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	Name      string
	Amount    int
	At        *time.Time
	Doc       database.JSON
	DeletedAt gorm.DeletedAt
}

// assembly is a thing with its parts.
type assembly struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	Name      string
	Amount    int
	DeletedAt gorm.DeletedAt
	Parts     []part `gorm:"foreignKey:ThingID"`
}

// TableName implements gorm's Tabler.
func (assembly) TableName() string { return "things" }

type part struct {
	database.Tenant

	ID      uuid.UUID `gorm:"primaryKey"`
	ThingID uuid.UUID
	Name    string
}

// setting belongs to nobody, stray to nobody knows whom.
type setting struct {
	database.Global

	ID   uuid.UUID `gorm:"primaryKey"`
	Name string
}

type withoutTenant struct {
	ID   uuid.UUID `gorm:"primaryKey"`
	Name string
}

// nested embeds what embeds neither Tenant nor Global.
type nested struct{ withoutTenant }

// TableName implements gorm's Tabler.
func (nested) TableName() string { return "strays" }

var errBoom = errors.New("boom")

func tables(dialect database.Dialect) []string {
	id, moment, document := "uuid", "timestamptz", "jsonb"
	if dialect == database.SQLite {
		id, moment, document = "text", "datetime", "text"
	}

	return []string{
		"CREATE TABLE things (company_id " + id + " NOT NULL, id " + id + " NOT NULL, name text NOT NULL, amount integer NOT NULL, at " +
			moment + ", doc " + document + ", deleted_at " + moment + ", PRIMARY KEY (company_id, id), UNIQUE (company_id, name))",
		"CREATE TABLE parts (company_id " + id + " NOT NULL, id " + id + " NOT NULL, thing_id " + id + " NOT NULL, name text NOT NULL, " +
			"PRIMARY KEY (company_id, id), FOREIGN KEY (company_id, thing_id) REFERENCES things (company_id, id))",
		"CREATE TABLE settings (id " + id + " PRIMARY KEY, name text NOT NULL)",
		"CREATE TABLE strays (id " + id + " PRIMARY KEY, name text NOT NULL)",
	}
}

// fixture is a database with tables, and two companies that call.
type fixture struct {
	*database.DB

	ctx, other context.Context
}

func setUp(t testing.TB, url string) fixture {
	t.Helper()
	db := databasetest.Open(t, url)
	for _, statement := range tables(db.Dialect()) {
		_, err := db.SQL().ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}

	return fixture{DB: db, ctx: companyScope(t.Context()), other: companyScope(t.Context())}
}

func companyScope(ctx context.Context) context.Context {
	return principal.With(ctx, principal.ForCompany(uuid.New()))
}

func each(t *testing.T, test func(t *testing.T, f fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		test(t, setUp(t, url))
	})
}

// write runs one statement in a transaction.
func (f fixture) write(ctx context.Context, statement func(tx *gorm.DB) *gorm.DB) error {
	return f.InTx(ctx, func(ctx context.Context) error { return statement(f.Conn(ctx)).Error })
}

// add stores a thing of the company in ctx.
func (f fixture) add(t testing.TB, ctx context.Context, name string) thing {
	t.Helper()
	row := thing{ID: database.NewID(), Name: name}
	require.NoError(t, f.write(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&row) }))

	return row
}

// count returns how many things the company in ctx has.
func (f fixture) count(t testing.TB, ctx context.Context) int {
	t.Helper()
	var n int64
	require.NoError(t, f.Conn(ctx).Model(&thing{}).Count(&n).Error)

	return int(n)
}

// names returns the names of all things of all companies.
func (f fixture) names(t testing.TB) []string {
	t.Helper()
	var names []string
	ctx := database.AcrossCompanies(context.WithoutCancel(t.Context()), "test")
	require.NoError(t, f.Conn(ctx).Model(&thing{}).Order("name").Pluck("name", &names).Error)

	return names
}
