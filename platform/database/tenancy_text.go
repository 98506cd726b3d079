package database

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"regexp"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// writes recognises SQL by hand that writes. (SQLite's readers could not write anyway.)
var writes = regexp.MustCompile(`(?is)^\s*(?:insert|update|delete|merge|truncate|create|drop|alter)\b` +
	`|^\s*with\b.*\b(?:insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b`)

// checkExec checks Exec, which is a write.
func checkExec(s *gorm.Statement) error {
	if !isRaw(s) {
		return errByHand
	}

	return inTx(s)
}

// checkRows checks Row, Rows and Scan.
func checkRows(s *gorm.Statement) error {
	if !isRaw(s) {
		return errByHand
	}

	return readsOnly(s)
}

// readsOnly refuses SQL by hand that writes outside InTx.
func readsOnly(s *gorm.Statement) error {
	if inTx(s) == nil || !writes.MatchString(s.SQL.String()) {
		return nil
	}

	return errOutsideTx
}

// textInside refuses subqueries of SQL by hand that do not come from DB.Raw.
func textInside(s *gorm.Statement) error {
	for _, c := range s.Clauses {
		if hasText(c.Expression) || hasText(c.BeforeExpression) || hasText(c.AfterExpression) || hasText(c.AfterNameExpression) {
			return errByHand
		}
	}
	if changes, ok := s.Dest.(map[string]any); ok && hasText(changes) {
		return errByHand
	}

	return nil
}

func hasText(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case *gorm.DB:
		return !isRaw(v.Statement) && (v.Statement.SQL.Len() > 0 || textInside(v.Statement) != nil)
	case clause.Expr:
		return anyText(v.Vars)
	case clause.NamedExpr:
		return anyText(v.Vars) || anyNamedText(v.Vars)
	case []any:
		return anyText(v)
	case map[string]any:
		for _, one := range v {
			if hasText(one) {
				return true
			}
		}

		return false
	case sql.NamedArg:
		return hasText(v.Value)
	default:
		return clauseHasText(value)
	}
}

// clauseHasText looks into the clauses that hold other expressions.
func clauseHasText(value any) bool {
	switch v := value.(type) {
	case clause.Where:
		return anyText(v.Exprs)
	case inParentheses:
		return anyText(v.Exprs)
	case clause.AndConditions:
		return anyText(v.Exprs)
	case clause.OrConditions:
		return anyText(v.Exprs)
	case clause.NotConditions:
		return anyText(v.Exprs)
	case clause.Select:
		return hasText(v.Expression)
	case clause.OrderBy:
		return hasText(v.Expression)
	case clause.GroupBy:
		return anyText(v.Having)
	case clause.OnConflict:
		return anyText(v.Where.Exprs) || anyText(v.TargetWhere.Exprs) || hasText(v.DoUpdates)
	case clause.Set:
		for _, assignment := range v {
			if hasText(assignment.Value) {
				return true
			}
		}

		return false
	default:
		return comparesText(value)
	}
}

// comparesText looks at what a comparison compares with.
func comparesText(value any) bool {
	switch v := value.(type) {
	case clause.Eq:
		return hasText(v.Value)
	case clause.Neq:
		return hasText(v.Value)
	case clause.Gt:
		return hasText(v.Value)
	case clause.Gte:
		return hasText(v.Value)
	case clause.Lt:
		return hasText(v.Value)
	case clause.Lte:
		return hasText(v.Value)
	case clause.Like:
		return hasText(v.Value)
	case clause.IN:
		return anyText(v.Values)
	default:
		return false
	}
}

func anyText[T any](values []T) bool {
	for _, value := range values {
		if hasText(value) {
			return true
		}
	}

	return false
}

// anyNamedText looks at the fields of structs, by which named values may be given.
func anyNamedText(values []any) bool {
	for _, value := range values {
		v := reflect.Indirect(reflect.ValueOf(value))
		if v.Kind() != reflect.Struct {
			continue
		}
		for i, field := range v.Fields() {
			if i.IsExported() && hasText(field.Interface()) {
				return true
			}
		}
	}

	return false
}

// failing stands for a subquery that was refused: GORM does not look at the error of one, but a
// value that cannot be bound fails the statement around it.
type failing struct{ err error }

// Value implements driver.Valuer.
func (f failing) Value() (driver.Value, error) { return nil, f.err }
