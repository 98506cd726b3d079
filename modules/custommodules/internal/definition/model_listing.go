package definition

import (
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// scale is how many digits after the point the values of the field have.
func (f *ModuleField) scale() int {
	if f.Typ.Filter != kind.Decimal {
		return 0
	}
	switch v := f.Values.(type) {
	case *field.DecimalOptions:
		return v.Scale
	case *formula.Options:
		return v.Scale
	case *Rollup:
		return v.Scale
	case *Lookup:
		return v.Scale
	}

	return 0
}

// shownKey turns what the database has of the field to compare into what answers show.
func (f *ModuleField) shownKey(text string) string {
	if f.Typ.Index == field.NumericIndex {
		return field.ReadableNumber(text, f.scale())
	}

	return text
}

// sumParts are what SQLite adds up of a number that an expression has; nil where the database adds the values up as they are.
func (f *ModuleField) sumParts(on database.Dialect, expression string) []list.SumPart {
	switch {
	case on != database.SQLite || f.Typ.Index != field.NumericIndex:
		return nil
	case !f.Indexed && f.Typ.Filter == kind.Integer:
		return nil
	}

	return field.SumParts("(" + expression + ")")
}

// WhyIndex is the reason for statements by hand on custom_modules_index.
const WhyIndex = "an index beside the records; the company is bound"

// beside says how lists reach the values of the field, nil if these are in the records themselves.
func (f *ModuleField) beside() *list.Beside {
	if !f.Overflow || !f.Indexed {
		return nil
	}
	x := f.alias()

	return &list.Beside{ID: x + ".record_id", Join: func(tx *gorm.DB, how string) *gorm.DB {
		company := principal.CompanyOf(tx.Statement.Context)

		return database.UncheckedRaw(tx, WhyIndex).
			Joins(how+" custom_modules_index AS "+x+" ON "+x+".company_id = ? AND "+x+".field_id = ? AND "+
				x+".record_id = custom_modules_records.id", company, f.ID).
			Where("custom_modules_records.company_id = ?", company)
	}}
}

// within adds the conditions of all lists of records. Where the order is led by the rows of a field, these are
// all of the module: if PostgreSQL could tell that from the condition it would expect next to none of the
// records to be of it, take that for few, and sort all.
func (d *Definition) within(tx *gorm.DB, led bool) *gorm.DB {
	if led {
		return tx.Where("CASE WHEN custom_modules_records.module_id = ? THEN deleted_at IS NULL ELSE FALSE END", d.Module)
	}

	return tx.Where("custom_modules_records.module_id = ? AND deleted_at IS NULL", d.Module)
}

// KindColumn is the column of custom_modules_index for values of a kind.
func KindColumn(kind field.Index) string { return string(kind) + "_value" }

// BesideItems is a field as lists of the items filter and sort by it. Its values are in a table of their own, from which
// nothing but the id of the item and the value is joined: its other columns have the names of theirs.
func (d *Definition) BesideItems(f *ModuleField, table string) list.Field {
	alias := "own" + f.Number + "_" + f.Typ.Inside
	from, of, where := "custom_modules_records", "id", "module_id = ? AND deleted_at IS NULL"
	id := d.Module
	value := f.Expression(d.dialect)
	if f.beside() != nil {
		from, of, where, id = "custom_modules_index", "record_id", "field_id = ?", f.ID
		value = KindColumn(f.Slot.Kind())
	}
	made := f.listField(d.dialect)
	made.Expr = alias + ".own_value"
	made.SumParts = f.sumParts(d.dialect, made.Expr)
	made.Beside = &list.Beside{ID: alias + ".own_id", Join: func(tx *gorm.DB, how string) *gorm.DB {
		company := principal.CompanyOf(tx.Statement.Context)

		return database.UncheckedRaw(tx, WhyIndex).
			Joins(how+" (SELECT "+of+" AS own_id, "+value+" AS own_value FROM "+from+" WHERE company_id = ? AND "+where+") AS "+alias+
				" ON "+alias+".own_id = "+table+".id", company, id).
			Where(table+".company_id = ?", company)
	}}

	return made
}
