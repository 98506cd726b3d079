package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	// chunkRows and chunkBytes bound what is done in one transaction.
	chunkRows  = 200
	chunkBytes = 512 << 10
	// sampleRows is of how many rows the samples are.
	sampleRows = 3
	// longestHeader is how many bytes the name of a column has.
	longestHeader = 500
	// dropTime is how long removing a file that did not arrive may take.
	dropTime = time.Minute
)

// receive stores a file as it arrives, and proposes what goes where.
func (m *Importer) receive(ctx context.Context, in *uploadInput) (*web.Resource[importBody], error) {
	if err := m.reader.MayWrite(ctx, in.UUID); err != nil {
		return nil, err
	}
	table, err := m.reader.Table(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if err := m.room(ctx); err != nil {
		return nil, err
	}
	counted := &countingReader{from: &in.Upload}
	source, row, err := m.open(ctx, in, counted)
	if err != nil {
		return nil, err
	}
	if err := m.arrive(ctx, source, counted, &row, in, table); err != nil {
		drop, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
		defer cancel()

		return nil, errors.Join(err, m.discard(drop, row.ID))
	}

	return row.resource(table), nil
}

// room returns errTooManyImports if the company has too many.
func (m *Importer) room(ctx context.Context) error {
	n, err := m.repo.count(ctx)
	if err == nil && n >= int64(m.settings.MaxOpen) {
		err = errTooManyImports.
			WithMessage("The company has %d imports, and %d are allowed. Delete some that are done.", n, m.settings.MaxOpen).
			WithDetail("used", n).WithDetail("limit", m.settings.MaxOpen)
	}

	return err
}

// source is the rows of a file.
type source interface {
	// next returns the cells of a row and the line on which it begins; io.EOF after the last. What is wrong with the
	// file is errBadFile or errEncoding.
	next() (cells []string, line int, err error)
	// header is the names of the columns. It is whole when the last row was read.
	header() []string
	// size is how many bytes the last row had.
	size() int
}

// open begins to read a file.
func (m *Importer) open(ctx context.Context, in *uploadInput, from io.Reader) (source, importRow, error) {
	text, kind, err := decode(from, in.Encoding)
	if err != nil {
		return nil, importRow{}, err
	}
	now := m.clock.Now()
	row := importRow{
		ID: database.NewID(), ModuleID: in.UUID, FileName: in.fileName(), State: ready, Encoding: kind, Header: []string{}, Mode: creates,
		Beat: now, Mapping: []target{}, Samples: [][]string{}, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if caller, _ := principal.From(ctx); caller.User != uuid.Nil {
		row.CreatedBy = &caller.User
	}
	if in.format() == asLines {
		return newLineReader(text, m.settings), row, nil
	}
	source, err := m.openTable(text, in.Delimiter)
	if err == nil {
		row.Delimiter = string(rune(source.delimiter))
	}

	return source, row, err
}

// openTable reads the first row of a CSV file: the names of the columns.
func (m *Importer) openTable(text io.Reader, delimiter separator) (*tableReader, error) {
	source := newTableReader(text, m.settings)
	if err := source.sniff(); err != nil {
		return nil, err
	}
	if delimiter != "" {
		source.delimiter = delimiter.char()
	}
	cells, _, err := source.next()
	if errors.Is(err, io.EOF) {
		return nil, badFile("The file has no row with the names of the columns.")
	}
	if err == nil {
		source.names, err = headerOf(cells)
	}

	return source, err
}

// headerOf makes the names of columns of the first row.
func headerOf(cells []string) ([]string, error) {
	header, places := make([]string, len(cells)), map[string]int{}
	for i, cell := range cells {
		name := norm.NFC.String(strings.TrimSpace(cell))
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		if len(name) > longestHeader {
			return nil, badFile("The name of column %d has more than %d bytes. Is the first row the names of the columns?", i+1, longestHeader)
		}
		if first, taken := places[name]; taken {
			return nil, badFile("The columns %d and %d are both called %q. Give each a name of its own.", first+1, i+1, shorten(name))
		}
		header[i], places[name] = name, i
	}

	return header, nil
}

// arrive stores the rows of a file.
func (m *Importer) arrive(
	ctx context.Context, source source, counted *countingReader, row *importRow, in *uploadInput, table Table,
) error {
	stored := bookkeeping(ctx)
	if err := m.db.InTx(stored, func(ctx context.Context) error { return m.repo.insert(ctx, row) }); err != nil {
		return err
	}
	chunk, size := chunkRow{ImportID: row.ID, FirstRow: 1, Rows: []sourceRow{}}, 0
	store := func() error {
		if len(chunk.Rows) == 0 {
			return nil
		}
		if err := m.db.InTx(stored, func(ctx context.Context) error { return m.repo.insertChunk(ctx, new(chunk)) }); err != nil {
			return err
		}
		row.Chunks++
		chunk, size = chunkRow{ImportID: row.ID, Seq: row.Chunks, FirstRow: row.Rows + 1, Rows: []sourceRow{}}, 0

		return nil
	}
	for {
		cells, line, err := source.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if row.Rows++; row.Rows > int64(m.settings.MaxRows) {
			return badFile("The file has more than %d rows. Split it.", m.settings.MaxRows)
		}
		if len(row.Samples) < sampleRows {
			row.Samples = append(row.Samples, sampleOf(cells))
		}
		chunk.Rows = append(chunk.Rows, sourceRow{Line: line, Cells: cells})
		if size += source.size(); len(chunk.Rows) >= chunkRows || size >= chunkBytes {
			if err := store(); err != nil {
				return err
			}
		}
	}
	if err := store(); err != nil {
		return err
	}
	if row.Rows == 0 && row.lines() {
		return badFile("The file has no line with a record.")
	}
	row.Header = source.header()
	row.Mapping = make([]target, len(row.Header))
	row.Bytes, row.Whole, row.UpdatedAt = counted.bytes, true, m.clock.Now()
	if name := in.fileName(); name != "" {
		row.FileName = name
	}
	row.propose(table)

	return m.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.repo.save(ctx, row); err != nil {
			return err
		}

		return m.record(ctx, actionSent, *row, row.sent())
	})
}

// longestSample is how many characters of a cell a sample has.
const longestSample = 200

func sampleOf(cells []string) []string {
	sample := make([]string, len(cells))
	for i, cell := range cells {
		sample[i] = cut(cell, longestSample)
	}

	return sample
}

// cut returns the first characters of a text.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)

	return string(runes[:min(most, len(runes))])
}

// shorten cuts a name of the caller's to what an answer may repeat.
func shorten(name string) string {
	if short := cut(name, 60); short != name {
		return short + "…"
	}

	return name
}

// countingReader counts the bytes of a file.
type countingReader struct {
	from  io.Reader
	bytes int64
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += int64(n)

	return n, err
}
