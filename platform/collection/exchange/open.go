package exchange

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/guess"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// open begins to read a file.
func (m *Importer) open(ctx context.Context, in *Upload, from io.Reader, t described) (readers.Source, importRow, error) {
	buffered := bufio.NewReaderSize(from, 64<<10)
	source, row, err := m.begin(in, buffered, t)
	if err != nil {
		return nil, row, err
	}
	if caller, _ := principal.From(ctx); caller.User != uuid.Nil {
		row.CreatedBy = &caller.User
	}

	return source, row, nil
}

// begin reads up to the first row of a file.
func (m *Importer) begin(in *Upload, from *bufio.Reader, t described) (readers.Source, importRow, error) {
	now := m.clock.Now()
	row := importRow{
		ID: database.NewID(), Area: t.Area, Collection: t.Name, Part: t.Part, FileName: in.fileName(), State: ready, Encoding: readers.UTF8, Format: asCSV, Header: []string{}, Mode: creates, Rules: []rule{}, Seen: []guess.Seen{},
		Beat: now, Mapping: []target{}, Samples: [][]string{}, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if sheet, err := isSheet(in, from); err != nil {
		return nil, row, err
	} else if sheet {
		row.Format = asSheet
		source, err := readers.OpenSheet(from, in.Sheet, in.HeaderRow, m.settings.limits())

		return source, row, err
	}
	text, kind, err := readers.Decode(from, in.Encoding, in.format() == asCSV)
	if err != nil {
		return nil, row, err
	}
	row.Encoding = kind
	if in.format() == asLines {
		row.Format = asLines

		return readers.NewLines(text, t.Under, m.settings.limits()), row, nil
	}
	source, err := readers.OpenTable(text, in.Delimiter, in.HeaderRow, m.settings.limits())
	if err == nil {
		row.Delimiter = string(rune(source.Delimiter))
	}

	return source, row, err
}

// isSheet reports whether a file is a workbook.
func isSheet(in *Upload, from *bufio.Reader) (bool, error) {
	start, err := from.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	packed := bytes.HasPrefix(start, []byte("PK\x03\x04"))
	if in.Format == asSheet && !packed {
		return false, readers.BadFile("The file is no workbook (.xlsx).")
	}

	return packed && (in.Format == "" || in.Format == asSheet), nil
}
