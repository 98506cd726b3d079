package list

import (
	"slices"

	"gorm.io/gorm"
)

// Beside is where a field is kept that is no part of the list's own table: in a row of another table
// for each row of the list that has a value. Expr then names a column of that table.
type Beside struct {
	// Join adds the other table to a statement of the list: with JOIN where rows without a value are left
	// out, else with LEFT JOIN.
	Join func(tx *gorm.DB, how string) *gorm.DB
	// ID is the expression, in the other table, for the id of the list's row. An index on the column and
	// the id gives the order of a list by the field.
	ID string
}

// joined adds the tables in which fields of the conditions and of the keys are kept, each once.
func (q Query) joined(tx *gorm.DB, order []key) *gorm.DB {
	seen := map[string]bool{}
	join := func(f Field) {
		if f.Beside == nil || seen[f.Name] {
			return
		}
		seen[f.Name] = true
		how := "LEFT JOIN"
		if q.requires(f.Name) {
			how = "JOIN"
		}
		tx = f.Beside.Join(tx, how)
	}
	for _, k := range order {
		join(k.Field)
	}
	for _, c := range q.filters {
		join(c.field)
	}

	return tx
}

// requires reports whether rows without a value for a field are left out.
func (q Query) requires(name string) bool {
	if q.part == valued && q.order[0].Name == name {
		return true
	}

	return slices.ContainsFunc(q.filters, func(c Condition) bool {
		return c.Group == noGroup && c.Field == name && !c.MatchesNull()
	})
}

// led returns the query with the id taken from the table whose index gives the order, if that is another
// one than the list's own.
func (q Query) led() Query {
	beside := q.leader()
	if beside == nil {
		return q
	}
	q.order = slices.Clone(q.order)
	q.order[len(q.order)-1].Expr = beside.ID

	return q
}

// leader is where the first key is kept; in the order of the ids alone, where the values are kept that rows
// must have, unless the list's own table has some of them.
func (q Query) leader() *Beside {
	order, _ := q.remainingKeys()
	if len(order) > 1 {
		if q.requires(order[0].Name) {
			return order[0].Beside
		}

		return nil
	}
	var beside *Beside
	for _, c := range q.filters {
		if c.Group != noGroup || c.Operator != Equal {
			continue
		}
		if beside = c.field.Beside; beside == nil {
			return nil
		}
	}

	return beside
}

// leads reports whether the index of another table gives the order, and nothing else can help.
func (q Query) leads() bool {
	return q.leader() != nil && !slices.ContainsFunc(q.filters, func(c Condition) bool {
		return c.Group == noGroup && c.field.Beside == nil && !c.MatchesNull()
	})
}
