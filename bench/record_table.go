package main

import (
	"errors"
	"strings"
)

// recordTable is where the records are, and the columns that reads go by.
type recordTable struct {
	table, company, companyID, module, moduleID, id, vin, price string
	soft                                                        bool // has deleted_at
}

// findRecordTable recognises, among the rows that a create writes, that of the record itself: it has
// the module, and the values of the indexed fields in columns of their own.
func findRecordTable(rows []row, s sample) (recordTable, error) {
	for _, r := range rows {
		found := recordTable{table: r.table, moduleID: s.module}
		for _, c := range r.cells {
			switch {
			case c.column == "company_id":
				found.company, found.companyID = c.column, join(c.pieces, func(mark) string { return "" })
			case c.column == "deleted_at":
				found.soft = true
			case c.key && c.is(markID):
				found.id = c.column
			case c.says(s.module):
				found.module = c.column
			case c.is(markVIN):
				found.vin = c.column
			case c.price():
				found.price = c.column
			}
		}
		if found.complete() {
			return found, nil
		}
	}

	return recordTable{}, errors.New("a create left no row with company_id, the module, the id as its key and the values of both indexed fields in columns: bench/clone.go does not know this schema")
}

// price reports whether the cell holds the price and nothing else but zeros around it.
func (c cell) price() bool {
	priced := false
	for _, p := range c.pieces {
		switch p.mark {
		case markPrice, markDigits:
			priced = true
		case fixed:
			if strings.Trim(p.text, "01.") != "" {
				return false
			}
		case markID, markVIN, markFreshID, markFreshNumber, markWord, markWordEnd, markWordTail:
			return false
		}
	}

	return priced
}

func (t recordTable) complete() bool {
	return t.company != "" && t.module != "" && t.id != "" && t.vin != "" && t.price != ""
}

// answerColumns are the columns that the answers of the API are made of.
const answerColumns = "id, module_id, version, data, created_at, updated_at"

// read returns the statement that a read of the product needs at the least, for the id and VIN
// given as expressions.
func (t recordTable) read(what operation, id, vin string) string {
	where := []string{
		t.company + " = '" + t.companyID + "'",
		t.module + " = '" + t.moduleID + "'",
	}
	rest := " ORDER BY " + t.id + " LIMIT 21"
	switch what {
	case opGet:
		where, rest = []string{where[0], t.id + " = " + id}, ""
	case opFilter:
		where = append(where, t.vin+" = "+vin)
	case opSort:
		where = append(where, t.price+" IS NOT NULL")
		rest = " ORDER BY " + t.price + " DESC, " + t.id + " DESC LIMIT 21"
	case opDeep:
		where = append(where, t.id+" > "+id)
	case opPage, opCreate, opPatch:
	}
	if t.soft {
		where = append(where, "deleted_at IS NULL")
	}

	return "SELECT " + answerColumns + " FROM " + t.table + " WHERE " + strings.Join(where, " AND ") + rest
}
