package list

import (
	"strings"
)

// Held is where a field is kept of which a row of the list has any number of values: in rows of another table, which name it.
// Expr is then a column of that table.
type Held struct {
	// ID is the expression for the id of the list's row.
	ID string
	// Rows selects the ids of the list's rows that have a value, with a condition at its end and a question mark for each
	// of Args: "SELECT item_id FROM tags_assignments WHERE company_id = ?".
	Rows string
	Args []any
}

// heldBy are the operators of a field that is Held: a row has one of the values, none of them, or no value.
var heldBy = []Operator{Equal, NotEqual, In, NotIn, Null}

// held asks whether a row has one of the values of a condition, or any value.
func (d dialect) held(c Condition) statement {
	of := c.field.Held
	within := " IN ("
	if c.Operator == NotEqual || c.Operator == NotIn || c.Operator == Null && c.values[0] == true {
		within = " NOT IN ("
	}
	made := statement{of.ID, within}
	for i, text := range strings.Split(of.Rows, "?") {
		if i > 0 {
			made = append(made, bound{of.Args[i-1]})
		}
		made = append(made, text)
	}
	if c.Operator != Null {
		made = append(append(made, " AND "), d.in(c, " IN ")...)
	}

	return append(made, ")")
}
