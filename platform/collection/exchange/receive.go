package exchange

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/guess"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
)

const (
	// chunkRows and chunkBytes bound what is done in one transaction.
	chunkRows  = 200
	chunkBytes = 512 << 10
	// sampleRows is of how many rows the samples are.
	sampleRows = 3
	// dropTime is how long removing a file that did not arrive may take.
	dropTime = time.Minute
)

// Receive stores a file as it arrives, and proposes what goes where. Errors: those of a collection that is not there
// or not the caller's to write, collection.too_many_imports, collection.import_file, collection.import_encoding.
func (m *Importer) Receive(ctx context.Context, name collection.Name, in *Upload) (Import, error) {
	into, err := m.openToWrite(ctx, name)
	if err != nil {
		return Import{}, err
	}
	d, err := into.Describe(ctx)
	if err != nil {
		return Import{}, err
	}
	if err := m.checkImportLimit(ctx); err != nil {
		return Import{}, err
	}
	table, err := m.describeIn(ctx, d)
	if err != nil {
		return Import{}, err
	}
	counted := &countingReader{from: &in.Upload}
	source, row, err := m.open(ctx, in, counted, table)
	if err != nil {
		return Import{}, err
	}
	if c, is := source.(io.Closer); is {
		defer c.Close() //nolint:errcheck // it was read
	}
	if err := m.arrive(ctx, source, counted, &row, in, table); err != nil {
		drop, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
		defer cancel()

		return Import{}, errors.Join(err, m.discard(drop, row.ID))
	}

	return row.shown(table), nil
}

// checkImportLimit returns ErrTooManyImports if the company has too many.
func (m *Importer) checkImportLimit(ctx context.Context) error {
	n, err := m.repo.count(ctx)
	if err == nil && n >= int64(m.settings.MaxOpen) {
		err = ErrTooManyImports.
			WithMessage("The company has %d imports, and %d are allowed. Delete some that are done.", n, m.settings.MaxOpen).
			WithDetail("used", n).WithDetail("limit", m.settings.MaxOpen)
	}

	return err
}

// arrive stores the rows of a file.
func (m *Importer) arrive(
	ctx context.Context, source readers.Source, counted *countingReader, row *importRow, in *Upload, table described,
) error {
	stored := bookkeepingContext(ctx)
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
		cells, line, err := source.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if row.Rows++; row.Rows > int64(m.settings.MaxRows) {
			return readers.BadFile("The file has more than %d rows. Split it.", m.settings.MaxRows)
		}
		if len(row.Samples) < sampleRows {
			row.Samples = append(row.Samples, sampleOf(cells))
		}
		chunk.Rows = append(chunk.Rows, sourceRow{Line: line, Row: source.Row(), Cells: cells})
		row.count(cells, table)
		if size += source.Size(); len(chunk.Rows) >= chunkRows || size >= chunkBytes {
			if err := store(); err != nil {
				return err
			}
		}
	}
	if err := store(); err != nil {
		return err
	}
	if row.Rows == 0 && row.lines() {
		return readers.BadFile("The file has no line with a record.")
	}
	row.Header = source.Header()
	row.Mapping = make([]target, len(row.Header))
	row.Bytes, row.Whole, row.UpdatedAt = counted.bytes, true, m.clock.Now()
	if name := in.fileName(); name != "" {
		row.FileName = name
	}
	row.propose(table)
	row.proposeFormats(table)
	if err := m.withdraw(ctx, row, table); err != nil {
		return err
	}
	row.proposeWithin(table)
	row.proposeFormats(table)
	if err := m.withdraw(ctx, row, table); err != nil {
		return err
	}

	return m.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.repo.save(ctx, row); err != nil {
			return err
		}

		return m.record(ctx, actionSent, *row, row.sent())
	})
}

// count counts how cells write their values. Those of JSON Lines are values already.
func (row *importRow) count(cells []string, t described) {
	if row.lines() {
		return
	}
	for i, text := range cells {
		if i == len(row.Seen) {
			row.Seen = append(row.Seen, guess.Seen{})
		}
		text, _ = unshield(text)
		row.Seen[i].Add(text)
		row.Seen[i].Look(text)
		if t.FreeKey != nil {
			row.Seen[i].Guess.Add(text, t.locale)
		}
	}
}

func sampleOf(cells []string) []string {
	sample := make([]string, len(cells))
	for i, cell := range cells {
		sample[i] = readers.Truncate(cell, guess.LongestSample)
	}

	return sample
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
