package exchange

import (
	"context"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/field"
)

// withdraw takes back what was proposed for columns none of whose first cells is a value of the field: "Customer" is who has ordered, and not whether
// somebody is a customer. A column that is called by the key of the field stays.
func (m *Importer) withdraw(ctx context.Context, row *importRow, t described) error {
	for i, to := range row.Mapping {
		c := t.column(to)
		if c == nil || row.lines() || i >= len(row.Seen) || len(row.Seen[i].First) == 0 || row.Header[i] == c.Key {
			continue
		}
		fits, err := m.anyFits(ctx, row, i, c, t)
		if err != nil {
			return err
		}
		if !fits {
			row.Mapping[i], row.Rules[i].Format = "", ""
			row.Rules[i].Doubt = fmt.Sprintf("None of its first cells is a value of %s: %q. Say where the column goes.", c.Key, readers.Shorten(row.Seen[i].First[0]))
		}
	}

	return nil
}

// anyFits reports whether a field takes one of the first cells of a column.
func (m *Importer) anyFits(ctx context.Context, row *importRow, i int, c *collection.Field, t described) (bool, error) {
	cells := row.Seen[i].First
	if !c.User && c.Refers == "" {
		reader := readerOf(c, row.rule(i).Format, t.locale)

		return slices.ContainsFunc(cells, func(text string) bool { return row.sample(text, c, reader).Problem == "" }), nil
	}
	if slices.ContainsFunc(cells, func(text string) bool { _, err := field.ParseUUID(text); return err == nil }) {
		return true, nil
	}
	l := lookup{collections: m.collections, people: m.people}
	if c.User {
		named, err := l.users(ctx, cells)

		return len(named) > 0, err
	}
	named, err := l.rows(ctx, c.Refers, cells)

	return len(named) > 0, err
}
