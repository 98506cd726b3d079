package database

import (
	"database/sql"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
)

// Bound ends the reading of rows when what was read has more than so many bytes.
type Bound struct {
	// Bytes is how many may be read; the row that goes beyond is still read. Rows is how many are read in any case.
	Bytes int64
	Rows  int
	// Read is how many bytes were read, and Cut says that there are more rows.
	Read int64
	Cut  bool

	rows int
}

// boundKey is where a statement has its *Bound.
const boundKey = "dispatchd:bound"

// Of returns a statement whose Find reads within the bound. Further statements with the same bound go on counting.
func (b *Bound) Of(tx *gorm.DB) *gorm.DB { return tx.Set(boundKey, b) }

// boundedQuery is GORM's own callback, with bounds.
func boundedQuery(db *gorm.DB) {
	kept, bounded := db.Get(boundKey)
	bound, ok := kept.(*Bound)
	if !bounded || !ok {
		callbacks.Query(db)

		return
	}
	if db.Error == nil {
		callbacks.BuildQuerySQL(db)
	}
	if db.Error != nil || db.DryRun {
		return
	}
	rows, err := db.Statement.ConnPool.QueryContext(db.Statement.Context, db.Statement.SQL.String(), db.Statement.Vars...) //nolint:rowserrcheck // gorm.Scan does
	if err != nil {
		_ = db.AddError(err) // kept in db

		return
	}
	defer func() { _ = db.AddError(rows.Close()) }()
	gorm.Scan(boundRows{rows, bound}, db, 0)
}

// boundRows counts what is read.
type boundRows struct {
	*sql.Rows

	bound *Bound
}

// Next implements gorm.Rows.
func (r boundRows) Next() bool {
	if !r.Rows.Next() {
		return false
	}
	r.bound.Cut = r.bound.rows >= r.bound.Rows && r.bound.Read > r.bound.Bytes

	return !r.bound.Cut
}

// Scan implements gorm.Rows.
func (r boundRows) Scan(to ...any) error {
	err := r.Rows.Scan(to...)
	r.bound.rows++
	for _, value := range to {
		r.bound.Read += sizeOf(value)
	}

	return err
}

// sizeOf is about how many bytes a value takes that was read.
func sizeOf(value any) int64 {
	const word = 8
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return word
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String, reflect.Slice:
		return int64(v.Len()) + 2*word
	default:
		return word
	}
}
