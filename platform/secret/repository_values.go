package secret

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// why is the reason for SQL by hand: the tables are those of areas.
const why = "values of all companies are sealed again under another key"

// columnRow is a column in which sealed values are, or were once.
type columnRow struct {
	database.Global

	Table  string `gorm:"column:table_name;primaryKey"`
	Column string `gorm:"column:column_name;primaryKey"`
}

// TableName implements the naming that GORM asks for.
func (columnRow) TableName() string { return "secret_columns" }

// valueRow is a sealed value.
type valueRow struct {
	CompanyID, ID uuid.UUID
	Sealed        []byte
}

// columns returns the columns that any process has declared and whose table is there.
func (r repository) columns(ctx context.Context) ([]column, error) {
	var rows []columnRow
	if err := r.db.Conn(ctx).Order("table_name, column_name").Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	var all []column
	for _, row := range rows {
		c := column{table: row.Table, name: row.Column}
		there, err := r.tableExists(ctx, c.table)
		if err != nil {
			return nil, err
		}
		// The names become part of statements.
		if there && c.valid() {
			all = append(all, c)
		}
	}

	return all, nil
}

// tableExists reports whether there is a table.
func (r repository) tableExists(ctx context.Context, table string) (bool, error) {
	query := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
	if r.db.Dialect() == database.Postgres {
		query = "SELECT count(*) FROM pg_class WHERE oid = to_regclass(?)"
	}
	var n int64
	err := r.db.Raw(ctx, why).Raw(query, table).Scan(&n).Error

	return n > 0, database.Translate(err)
}

func (r repository) noteColumns(ctx context.Context, columns []column) error {
	rows := make([]columnRow, 0, len(columns))
	for _, c := range columns {
		rows = append(rows, columnRow{Table: c.table, Column: c.name})
	}

	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error)
}

// isSealed is the condition that a column holds a sealed value: it may hold others, as that of kept
// answers does.
func (c column) isSealed() string { return "substr(" + c.name + ", 1, 1) = ?" }

// outdated returns values after a row that are not under the key with a header.
func (r repository) outdated(ctx context.Context, c column, current []byte, after valueRow, limit int) ([]valueRow, error) {
	var rows []valueRow
	err := r.db.Raw(ctx, why).Raw("SELECT company_id, id, "+c.name+" AS sealed FROM "+c.table+
		" WHERE "+c.isSealed()+" AND substr("+c.name+", 1, 5) <> ? AND (company_id, id) > (?, ?) ORDER BY company_id, id LIMIT ?",
		[]byte{version}, current, after.CompanyID, after.ID, limit).Scan(&rows).Error

	return rows, database.Translate(err)
}

// replace stores a value that was sealed again, unless the old one has changed.
func (r repository) replace(ctx context.Context, c column, old valueRow, sealed []byte) error {
	return database.Translate(r.db.Raw(ctx, why).Exec("UPDATE "+c.table+" SET "+c.name+" = ? WHERE company_id = ? AND id = ? AND "+c.name+" = ?",
		sealed, old.CompanyID, old.ID, old.Sealed).Error)
}

// count returns how many values there are under each key, by its header.
func (r repository) count(ctx context.Context, c column) (map[string]int64, error) {
	var rows []struct {
		Head []byte
		N    int64
	}
	err := r.db.Raw(ctx, why).Raw("SELECT substr("+c.name+", 1, 5) AS head, count(*) AS n FROM "+c.table+
		" WHERE "+c.isSealed()+" GROUP BY 1", []byte{version}).Scan(&rows).Error
	counts := map[string]int64{}
	for _, row := range rows {
		counts[string(row.Head)] += row.N
	}

	return counts, database.Translate(err)
}
