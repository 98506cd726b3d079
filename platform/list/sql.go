package list

import (
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
)

// statement is a piece of SQL: strings go in as they are, bound values are bound. It is not a
// clause.Expr, which takes a question mark in a field's expression for a value.
type statement []any

type bound struct{ value any }

// Build implements clause.Expression.
func (s statement) Build(builder clause.Builder) {
	for _, piece := range s {
		switch piece := piece.(type) {
		case string:
			if _, err := builder.WriteString(piece); err != nil && builder.AddError(err) != nil {
				return
			}
		case bound:
			builder.AddVar(builder, piece.value)
		}
	}
}

// joinStatements puts the statements together in parentheses.
func joinStatements(statements []statement, between string) statement {
	joined := statement{"("}
	for i, s := range statements {
		if i > 0 {
			joined = append(joined, between)
		}
		joined = append(joined, s...)
	}

	return append(joined, ")")
}

// dialect writes what the databases spell differently.
type dialect struct{ postgres bool }

func (d dialect) operand(f Field) string { return operand(f.Expr, d.postgres && f.Kind == kind.Text) }

// value binds a value of a field. An integer is cast, because PostgreSQL would refuse one that
// does not fit a narrower column instead of finding no row.
func (d dialect) value(f Field, value any) statement {
	if d.postgres && f.Kind == kind.Integer && f.Encode == nil {
		return statement{"CAST(", bound{value}, " AS bigint)"}
	}

	return statement{bound{value}}
}

func (d dialect) compare(f Field, operator string, value any) statement {
	return append(statement{d.operand(f), " ", operator, " "}, d.value(f, value)...)
}

// finds compares as a search does: without case and accents.
func (d dialect) finds(expr, word string) statement {
	on := database.SQLite
	if d.postgres {
		on = database.Postgres
	}

	return statement{on.FoldedColumn(expr), " LIKE ", bound{"%" + escapeLike(database.FoldText(word)) + "%"}, " ESCAPE '!'"}
}

// contains compares as Like does: the letters A to Z match in either case, on both databases.
func (d dialect) contains(expr, text string) statement {
	like := " LIKE "
	if d.postgres {
		like = " ILIKE "
	}

	return statement{operand(expr, d.postgres), like, bound{"%" + escapeLike(text) + "%"}, " ESCAPE '!'"}
}
