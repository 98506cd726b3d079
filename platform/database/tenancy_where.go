package database

import (
	"reflect"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// addCompanyCondition adds the condition on the company, around all others: an OR among them stays inside.
func addCompanyCondition(s *gorm.Statement) error {
	id, across, err := companyScope(s.Context)
	if err != nil || across {
		return err
	}
	own := ofCompany{clause.Eq{Column: clause.Column{Table: clause.CurrentTable, Name: companyColumn}, Value: id}}
	conditions := []clause.Expression{own}
	if where, ok := s.Clauses["WHERE"].Expression.(clause.Where); ok && len(where.Exprs) > 0 {
		conditions = append(conditions, inParentheses{where})
	}
	s.Clauses["WHERE"] = clause.Clause{Name: "WHERE", Expression: clause.Where{Exprs: conditions}}

	return nil
}

// ofCompany is the condition of the plug-in itself.
type ofCompany struct{ clause.Eq }

// inParentheses are conditions that stay together.
type inParentheses struct{ clause.Where }

// Build implements clause.Expression.
func (p inParentheses) Build(b clause.Builder) {
	_ = b.WriteByte('(')
	p.Where.Build(b)
	_ = b.WriteByte(')')
}

// hasConditions reports whether a statement has conditions of its own. Those of the plug-in and of
// soft deletion are not; they are there if the statement has run before.
func hasConditions(s *gorm.Statement) bool {
	where, ok := s.Clauses["WHERE"].Expression.(clause.Where)

	return ok && slices.ContainsFunc(where.Exprs, func(e clause.Expression) bool { return ownCondition(s, e) })
}

func ownCondition(s *gorm.Statement, condition clause.Expression) bool {
	switch c := condition.(type) {
	case ofCompany:
		return false
	case inParentheses:
		return slices.ContainsFunc(c.Exprs, func(e clause.Expression) bool { return ownCondition(s, e) })
	case clause.Eq:
		column, ok := c.Column.(clause.Column)
		if !ok || column.Table != clause.CurrentTable {
			return true
		}
		field := s.Schema.LookUpField(column.Name)

		return field == nil || field.FieldType != reflect.TypeFor[gorm.DeletedAt]()
	default:
		return true
	}
}

// hasID reports whether a value is a row of the model with an id beside the company, or several such.
func hasID(s *gorm.Statement, value any) bool {
	return allHaveID(s, dereferenced(reflect.ValueOf(value)))
}

func allHaveID(s *gorm.Statement, value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range value.Len() {
			if !allHaveID(s, dereferenced(value.Index(i))) {
				return false
			}
		}

		return value.Len() > 0
	case reflect.Struct:
		return value.Type() == s.Schema.ModelType && slices.ContainsFunc(s.Schema.PrimaryFields, func(f *schema.Field) bool {
			_, zero := f.ValueOf(s.Context, value)

			return f.Name != companyField && !zero
		})
	}

	return false
}

func dereferenced(value reflect.Value) reflect.Value {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		value = value.Elem()
	}

	return value
}
