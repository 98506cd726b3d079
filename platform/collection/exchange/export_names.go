package exchange

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/workbook"
)

// names finds what people call what values name.
type names struct {
	items *item.Registry
	users *identity.Service
}

// known is what the values of a page name; nil maps where nothing is written for people.
type known struct {
	titles map[item.Ref]string
	users  map[uuid.UUID]string
}

// load reads the titles of all references of a page, and the names of its users, together.
func (n names) load(ctx context.Context, rows []collection.Row, columns []picked, places []int) (known, error) {
	found := known{titles: map[item.Ref]string{}, users: map[uuid.UUID]string{}}
	for i, c := range columns {
		for _, row := range rows {
			if c.field == nil {
				if id := userIn(c.name, row); id != nil {
					found.users[*id] = ""
				}

				continue
			}
			raw := row.Values[places[i]]
			if isNull(raw) {
				continue
			}
			if id, err := uuid.Parse(rawjson.Text(raw)); c.field.User && err == nil {
				found.users[id] = ""
			}
			if c.field.Names != nil {
				if ref, ok := c.field.Names(raw); ok {
					found.titles[ref] = ""
				}
			}
		}
	}

	return found, n.fill(ctx, found)
}

func (n names) fill(ctx context.Context, found known) error {
	refs := make([]item.Ref, 0, len(found.titles))
	for ref := range found.titles {
		refs = append(refs, ref)
	}
	if len(refs) > 0 {
		titled, err := n.items.Titles(ctx, refs)
		if err != nil {
			return fmt.Errorf("titles: %w", err)
		}
		for _, t := range titled {
			found.titles[t.Ref] = t.Title
		}
	}
	ids := make([]uuid.UUID, 0, len(found.users))
	for id := range found.users {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	called, err := n.users.UserNames(ctx, ids)
	if err != nil {
		return fmt.Errorf("names of users: %w", err)
	}
	for id, user := range called {
		found.users[id] = user.Name
	}

	return nil
}

// userIn returns the user in a column that every row has, nil for none.
func userIn(name string, row collection.Row) *uuid.UUID {
	switch name {
	case nameCreator:
		return row.CreatedBy
	case nameUpdater:
		return row.UpdatedBy
	}

	return nil
}

// cell writes a value: for people, if what they call it is known, and else as an import reads it.
func (k known) cell(f *collection.Field, raw []byte) string {
	if k.titles == nil {
		return f.Cell(raw)
	}
	text := ""
	if f.User {
		if id, err := uuid.Parse(rawjson.Text(raw)); err == nil {
			text = k.users[id]
		}
	} else if f.Names != nil {
		if ref, ok := f.Names(raw); ok {
			text = k.titles[ref]
		}
	} else if f.Show != nil {
		text = f.Show(raw)
	}
	if text == "" {
		return f.Cell(raw)
	}

	return text
}

// shieldName writes the cell of a column that every row has: the name of a user for an id, where it is known.
func shieldName(k known, column, cell string) string {
	if column != nameCreator && column != nameUpdater {
		return cell
	}
	if id, err := uuid.Parse(cell); err == nil && k.users[id] != "" {
		return Shield(k.users[id])
	}

	return cell
}

// heads are the names of columns as an export has them.
func (in *Export) heads(columns []picked) []string {
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.name
		if in.Labels && c.label != "" {
			heads[i] = Shield(c.label)
		}
	}

	return heads
}

// sheetWriter writes a workbook.
type sheetWriter struct {
	to      *workbook.Writer
	columns []picked
	of      collection.Description
	cells   []workbook.Cell
}

func (in *Export) sheetWriter(w io.Writer, columns []picked, of collection.Description) (rowWriter, error) {
	to, err := workbook.NewWriter(w, of.Title, in.heads(columns))

	return &sheetWriter{to: to, columns: columns, of: of, cells: make([]workbook.Cell, len(columns))}, err
}

func (s *sheetWriter) write(row collection.Row, places []int, named known) error {
	for i, c := range s.columns {
		switch {
		case c.field == nil:
			s.cells[i] = workbook.Cell{Text: shieldName(named, c.name, systemCell(c.name, row, s.of))}
		case isNull(row.Values[places[i]]):
			s.cells[i] = workbook.Cell{}
		default:
			s.cells[i] = workbook.Cell{Text: escapeEmpty(named.cell(c.field, row.Values[places[i]])), Kind: kindOf(c.field.Type)}
		}
	}

	return s.to.Row(s.cells)
}

func (s *sheetWriter) flush() error { return s.to.Close() }

// escapeEmpty writes what an import would take for no value, or for a shielded one, so that it comes back. A workbook says
// which of its cells are formulas: nothing else needs to be shielded.
func escapeEmpty(cell string) string {
	if cell == "" || cell[0] == '\'' {
		return Shield(cell)
	}

	return cell
}

// kindOf is what cells of a type are to a spreadsheet.
func kindOf(kind string) workbook.Kind {
	switch kind {
	case "integer", "decimal":
		return workbook.Number
	case "boolean":
		return workbook.Truth
	case "date":
		return workbook.Date
	case "local_datetime":
		return workbook.Moment
	}

	return workbook.Text
}
