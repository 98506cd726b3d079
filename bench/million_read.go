package main

import "strings"

// recordsIn is the table of records, for those of another module.
func (t recordTable) recordsIn(at place) recordTable {
	t.companyID, t.moduleID = at.company, at.module

	return t
}

// wanted are the expressions that reads compare with: the id, the VIN, and of a page that follows another
// one the id before it.
type wanted struct{ id, vin, after string }

// errand is the statement that an errand of the product needs at the least. A search is a query for the
// record_id of those that have words, or a condition for the words of a record.
func (t recordTable) errand(what task, w wanted, search string) string {
	where := []string{"r." + t.company + " = '" + t.companyID + "'", "r." + t.module + " = '" + t.moduleID + "'"}
	from, rest := t.table+" AS r", " ORDER BY r."+t.id+" LIMIT 21"
	switch what {
	case taskGet:
		where, rest = []string{where[0], "r." + t.id + " = " + w.id}, ""
	case taskFilter:
		where = append(where, "r."+t.vin+" = "+w.vin)
	case taskRange:
		where = append(where, "r."+t.price+" IS NOT NULL", "r."+t.price+" >= "+w.after)
		rest = " ORDER BY r." + t.price + ", r." + t.id + " LIMIT 21"
	case taskSort:
		where = append(where, "r."+t.price+" IS NOT NULL")
		rest = " ORDER BY r." + t.price + " DESC, r." + t.id + " DESC LIMIT 21"
	case taskDeep:
		where = append(where, "r."+t.id+" > "+w.after)
	case taskSearch:
		// The words first: left alone, the planners may read the module and look for the words.
		from = "(" + search + " LIMIT 1001) AS s CROSS JOIN " + from
		where = append(where, "r."+t.id+" = s.record_id")
	case taskCommon:
		where = append(where, search)
	case taskPage, taskPatch, taskCreate, taskBulk:
	}
	if t.soft {
		where = append(where, "r.deleted_at IS NULL")
	}

	return "SELECT " + t.answers("r") + " FROM " + from + " WHERE " + strings.Join(where, " AND ") + rest
}

// answers are the columns that answers are made of.
func (recordTable) answers(of string) string {
	return of + "." + strings.ReplaceAll(answerColumns, ", ", ", "+of+".")
}

// patch is the statement that stores a new version of a record: all that may change, whether it does or
// not.
func (t recordTable) patch(record row, company, id string, render func(cell) string) string {
	sets := []string{"version = version + 1"}
	for _, c := range t.patched(record) {
		value := "NULL"
		if !c.null {
			value = render(c)
		}
		sets = append(sets, quoteName(c.column)+" = "+value)
	}

	return "UPDATE " + t.table + " SET " + strings.Join(sets, ", ") + " WHERE " + t.company + " = " + company + " AND " + t.id + " = " + id
}

// patched are the cells that a patch sets.
func (t recordTable) patched(record row) []cell {
	var cells []cell
	for _, c := range record.cells {
		switch {
		case c.key, c.column == "version", c.column == t.module, strings.HasPrefix(c.column, "created_"):
		default:
			cells = append(cells, c)
		}
	}

	return cells
}

// held reads a record that is to be patched.
func (t recordTable) held(id, lock string) string {
	return "SELECT " + answerColumns + " FROM " + t.table + " WHERE " + t.company + " = '" + t.companyID + "' AND " + t.id + " = " + id + lock
}

// rowOf is the row of a table among those that a create writes.
func rowOf(rows []row, table string) row {
	for _, r := range rows {
		if r.table == table {
			return r
		}
	}

	return row{table: table}
}
