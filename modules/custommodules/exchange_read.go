package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/exchange"
	"github.com/dispatchd/dispatchd/platform/list"
)

// exchanged is the records of the area as exports and imports know them.
type exchanged struct{ *service }

func newExchangeReader(s *service) exchange.Reader { return exchanged{s} }

// Table implements exchange.Reader.
func (x exchanged) Table(ctx context.Context, module uuid.UUID) (exchange.Table, error) {
	var t exchange.Table
	err := x.definitions.use(ctx, module, func(ctx context.Context, d *definition) error {
		revision, err := x.repo.revision(ctx, module)
		if err == nil && revision != d.revision {
			err = errMovedOn
		}
		t = d.table()

		return err
	})

	return t, err
}

// MayWrite implements exchange.Reader.
func (x exchanged) MayWrite(ctx context.Context, module uuid.UUID) error {
	return x.definitions.follow(ctx, module, mayWrite, func(_ context.Context, d *definition) error {
		if d.archived {
			return errModuleArchived
		}

		return nil
	})
}

// Page implements exchange.Reader.
func (x exchanged) Page(ctx context.Context, module, view uuid.UUID, in *list.Input) (exchange.Page, error) {
	found, err := x.findRecords(ctx, module, view, in)
	if err != nil {
		return exchange.Page{}, err
	}
	page := exchange.Page{Table: found.definition.table(), Fields: found.query.Fields()}
	if found.Meta.NextCursor != nil {
		page.Next = *found.Meta.NextCursor
	}
	page.Rows = make([]exchange.Row, len(found.Data))
	for i, row := range found.Data {
		page.Rows[i] = exchange.Row{
			UUID: row.ID, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
			Values: found.definition.values(row.Data),
		}
	}

	return page, nil
}

// table describes the fields of a definition.
func (d *definition) table() exchange.Table {
	t := exchange.Table{Module: d.module, Name: d.name, Columns: make([]exchange.Column, len(d.fields)), Hidden: d.hidden}
	for i, f := range d.fields {
		t.Columns[i] = f.column()
	}

	return t
}

func (f *field) column() exchange.Column {
	return exchange.Column{
		Field: f.id, Key: f.key, Label: f.label, Type: string(f.typ.name), About: f.typ.about,
		Required: f.required, Unique: f.unique && !f.checking, Settable: !f.readOnly && !f.computes(),
		Cell: f.values.csv, Append: appendCompact, Read: f.fromCell,
		Check: func(raw []byte) ([]byte, error) {
			if raw[0] == 'n' {
				return raw, nil
			}
			parsed, err := f.values.parse(raw)

			return parsed.json, err
		},
	}
}

// fromCell reads a cell that is a value: an empty one is an empty text, or an empty list.
func (f *field) fromCell(cell string) ([]byte, error) {
	switch _, many := f.values.(*choicesOf); {
	case cell != "":
		return f.values.fromCSV(cell)
	case many:
		return []byte("[]"), nil
	default:
		return validText(cell, quote(cell))
	}
}
