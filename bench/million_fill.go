package main

import (
	"fmt"
	"slices"
	"strings"
)

// The records of a plot are made in SQL after the one that it has: the rows of that one are read, and
// what differs from record to record is put in its place. Their order is that in which all modules take
// turns, as it is where many work at the same time.

// areaPrefix begins the tables whose rows are made for each record. The logs of what happened, events and
// audit, are not: they are only added to.
const areaPrefix = "custom_modules_"

const (
	plotTable   = "bench_plots"   // number, company_id, module_id, record_id, records
	numberTable = "bench_numbers" // plot, n
)

// spelling is how a database writes the values of the n-th record of a plot.
type spelling struct {
	text    string // the type
	value   func(mark) string
	literal func(string) string
}

// plotStatements make the table of plots.
func (s *scene) plotStatements(uuid string) []string {
	values := make([]string, len(s.plots))
	for i, p := range s.plots {
		values[i] = fmt.Sprintf("(%d, '%s', '%s', '%s', %d)", p.number, p.company, p.module, p.record, p.records)
	}

	return []string{
		fmt.Sprintf("CREATE TEMP TABLE %s (number integer PRIMARY KEY, company_id %[2]s, module_id %[2]s, record_id %[2]s, records integer)", plotTable, uuid),
		"INSERT INTO " + plotTable + " VALUES " + strings.Join(values, ", "),
	}
}

// countStatement counts what is filled in, as the product counts what it writes.
const countStatement = `UPDATE custom_modules_usage SET records = custom_modules_usage.records + p.records FROM ` + plotTable + ` AS p
	WHERE custom_modules_usage.company_id = p.company_id AND custom_modules_usage.module_id = p.module_id`

// column is a column of a table that is filled, and what differs in it from record to record.
type column struct {
	name, kind string
	marks      []mark
	whole      bool // it is nothing but the mark
}

// filling is a table that is filled.
type filling struct {
	table   string
	columns []column
	id      string // the column that has the id of the record
}

// fillings are the tables of the area in which a create leaves rows.
func fillings(rows []row) []filling {
	var list []filling
	for _, r := range rows {
		if !strings.HasPrefix(r.table, areaPrefix) {
			continue
		}
		at := slices.IndexFunc(list, func(f filling) bool { return f.table == r.table })
		if at < 0 {
			list = append(list, newFilling(r))
		} else {
			list[at].add(r)
		}
	}

	return list
}

func newFilling(r row) filling {
	f := filling{table: r.table}
	for _, c := range r.cells {
		f.columns = append(f.columns, column{name: c.column, kind: c.kind, whole: true})
		if f.id == "" && c.is(markID) {
			f.id = c.column
		}
	}
	f.add(r)

	return f
}

// add notes what differs in another row of the table.
func (f *filling) add(r row) {
	for i, c := range r.cells {
		column := &f.columns[i]
		column.whole = column.whole && len(c.pieces) == 1
		for _, p := range c.pieces {
			if p.mark != fixed && !slices.Contains(column.marks, p.mark) {
				column.marks = append(column.marks, p.mark)
			}
		}
		column.whole = column.whole && len(column.marks) == 1
		if !c.null {
			column.kind = c.kind
		}
	}
}

// statements fill the table: the rows of the records that are there are put aside, and read for each
// number.
func (f filling) statements(s sample, in spelling) []string {
	aside := "bench_" + f.table
	names, values := make([]string, len(f.columns)), make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i], values[i] = quoteName(c.name), f.expression(c, s, in)
	}

	return []string{
		fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT p.number AS bench_plot, t.* FROM %s AS p JOIN %s AS t ON t.company_id = p.company_id AND t.%s = p.record_id",
			aside, plotTable, quoteName(f.table), quoteName(f.id)),
		fmt.Sprintf("CREATE INDEX %s_plot ON %[1]s (bench_plot)", aside),
		fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s AS n CROSS JOIN %s AS t WHERE t.bench_plot = n.plot",
			quoteName(f.table), strings.Join(names, ", "), strings.Join(values, ", "), numberTable, aside),
	}
}

func (f filling) expression(c column, s sample, in spelling) string {
	stored := "t." + quoteName(c.name)
	if len(c.marks) == 0 {
		return stored
	}
	if c.whole {
		return "CAST(" + in.value(c.marks[0]) + " AS " + c.kind + ")"
	}
	marks := slices.Clone(c.marks)
	slices.Sort(marks) // longer words come before the ends of them
	text := "CAST(" + stored + " AS " + in.text + ")"
	for _, m := range marks {
		old := in.literal(s.marks()[m])
		if m == markID {
			old = "CAST(t." + quoteName(f.id) + " AS " + in.text + ")"
		}
		text = fmt.Sprintf("replace(%s, %s, %s)", text, old, in.value(m))
	}

	return "CAST(" + text + " AS " + c.kind + ")"
}
