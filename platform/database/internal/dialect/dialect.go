// Package dialect writes SQL for the two databases, where GORM's own way is not ours.
package dialect

import (
	"strconv"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
)

// SQLiteName is the name of the dialect of SQLite; that of PostgreSQL is GORM's.
const SQLiteName = "sqlite"

// ByValue is a pool whose statements are planned for the values that are bound.
type ByValue interface{ PlansByValue() }

// SQLite writes SQL for SQLite. It is ours because those to be had bring another driver
// along: mattn/go-sqlite3, which needs C, or glebarez/go-sqlite, an old copy of modernc.org/sqlite
// that compiles a prepared statement again at every execution and cannot be in one binary with the
// original, since both register the same name.
type SQLite struct {
	conn gorm.ConnPool
	// standard quotes names as standard SQL does.
	standard postgres.Dialector
}

// NewSQLite returns the dialect of a connection pool.
func NewSQLite(conn gorm.ConnPool) SQLite {
	return SQLite{conn: conn, standard: postgres.Dialector{Config: &postgres.Config{}}}
}

// Postgres is GORM's own but for the limit, and for Explain, which writes the values into the statement. GORM
// calls it at each Scan, and nobody is to read them: what is logged has placeholders.
type Postgres struct{ *postgres.Dialector }

// NewPostgres returns the dialect of a connection pool.
func NewPostgres(conn gorm.ConnPool) Postgres {
	return Postgres{&postgres.Dialector{Config: &postgres.Config{Conn: conn}}}
}

// Initialize implements gorm.Dialector.
func (d Postgres) Initialize(db *gorm.DB) error {
	if err := d.Dialector.Initialize(db); err != nil {
		return err
	}
	db.ClauseBuilders["LIMIT"] = buildLimit

	return nil
}

// Explain implements gorm.Dialector.
func (Postgres) Explain(sql string, _ ...any) string { return sql }

// Name implements gorm.Dialector.
func (SQLite) Name() string { return SQLiteName }

// Initialize implements gorm.Dialector.
func (d SQLite) Initialize(db *gorm.DB) error {
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses:        []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses:        []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses:        []string{"DELETE", "FROM", "WHERE", "RETURNING"},
		LastInsertIDReversed: true,
	})
	db.ConnPool = d.conn
	db.ClauseBuilders["LIMIT"] = buildLimitSQLite
	db.ClauseBuilders["FOR"] = buildFor

	return nil
}

// buildLimit writes LIMIT with its number. With a placeholder, PostgreSQL takes a tenth of the rows for what is asked for,
// so that a plan for any values looks dear and it plans each page anew.
func buildLimit(c clause.Clause, b clause.Builder) {
	if limit, ok := c.Expression.(clause.Limit); ok {
		if limit.Limit != nil && *limit.Limit >= 0 {
			writeSQL(b, "LIMIT "+strconv.Itoa(*limit.Limit)+" ")
		}
		if limit.Offset > 0 {
			writeSQL(b, "OFFSET "+strconv.Itoa(limit.Offset))
		}
	}
}

// buildLimitSQLite is buildLimit for SQLite, which knows no OFFSET without LIMIT.
func buildLimitSQLite(c clause.Clause, b clause.Builder) {
	if limit, ok := c.Expression.(clause.Limit); ok && limit.Offset > 0 && (limit.Limit == nil || *limit.Limit < 0) {
		writeSQL(b, "LIMIT -1 ")
	}
	buildLimit(c, b)
}

// buildFor leaves FOR UPDATE and its like out: there is one writer.
func buildFor(c clause.Clause, b clause.Builder) {
	if _, locking := c.Expression.(clause.Locking); !locking {
		c.Build(b)
	}
}

// writeSQL writes SQL. Builders write into memory, which does not fail.
func writeSQL(b clause.Builder, sql string) {
	if _, err := b.WriteString(sql); err != nil && b.AddError(err) != nil {
		return
	}
}

// Migrator implements gorm.Dialector. Tables are made by package migrate.
func (d SQLite) Migrator(db *gorm.DB) gorm.Migrator {
	return migrator.Migrator{Config: migrator.Config{DB: db, Dialector: d}}
}

// DataTypeOf implements gorm.Dialector.
func (SQLite) DataTypeOf(f *schema.Field) string { return string(f.DataType) }

// DefaultValueOf implements gorm.Dialector. SQLite has no DEFAULT in VALUES; a number that it hands
// out itself is asked for with NULL.
func (SQLite) DefaultValueOf(*schema.Field) clause.Expression {
	return clause.Expr{SQL: "NULL"}
}

// BindVarTo implements gorm.Dialector. Where statistics are, SQLite plans a statement anew whenever a value is bound that
// it could look up in them, which takes longer than most statements. It looks up a value, not a term: the plus,
// which does nothing else (SQLite, "The Query Optimizer Overview"), lets it plan once, but for Dynamic.
func (SQLite) BindVarTo(w clause.Writer, stmt *gorm.Statement, _ any) {
	mark := "+?"
	if _, ok := stmt.ConnPool.(ByValue); ok {
		mark = "?"
	}
	if _, err := w.WriteString(mark); err != nil && stmt.AddError(err) != nil {
		return
	}
}

// QuoteTo implements gorm.Dialector.
func (d SQLite) QuoteTo(w clause.Writer, name string) { d.standard.QuoteTo(w, name) }

// Explain implements gorm.Dialector, see Postgres.
func (SQLite) Explain(sql string, _ ...any) string { return sql }
