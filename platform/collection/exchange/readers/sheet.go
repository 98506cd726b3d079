package readers

import (
	"errors"
	"io"
	"os"

	"github.com/dispatchd/dispatchd/platform/workbook"
)

const (
	// mostSheet and mostTexts are how many bytes a sheet, and the texts that its cells share, have when they are unpacked.
	mostSheet = 1 << 30
	mostTexts = 64 << 20
)

// Sheet reads a sheet of a workbook, which is kept in a file that has no name any more.
type Sheet struct {
	file  *os.File
	from  *workbook.Reader
	names []string
	ahead lookahead
}

// OpenSheet reads a sheet up to the row with the names of the columns, as OpenTable does. A workbook cannot be read as it arrives: what is
// in it is said at its end.
func OpenSheet(from io.Reader, sheet string, header int, l Limits) (_ *Sheet, err error) {
	file, err := os.CreateTemp("", "import-*.xlsx")
	if err != nil {
		return nil, err
	}
	r := &Sheet{file: file}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	size, err := io.Copy(file, from)
	if err != nil {
		return nil, err
	}
	limits := workbook.Limits{Sheet: mostSheet, Texts: mostTexts, Row: l.RowSize, Columns: l.Columns}
	if r.from, err = workbook.Open(file, size, sheet, limits); err != nil {
		return nil, readError(err)
	}
	cells, err := r.ahead.header(r.read, header, "sheet")
	if err == nil {
		r.names, err = headerOf(cells)
	}

	return r, err
}

// readError makes an ErrBadFile or ErrEncoding of what is wrong with a workbook.
func readError(err error) error {
	if errors.Is(err, workbook.ErrNoArchive) {
		return ErrEncoding.WithField("file", damagedArchive)
	}
	if problem, is := errors.AsType[workbook.Error](err); is {
		return BadFile("%s", problem.Error())
	}

	return err
}

// Next implements Source. A row has at least as many cells as there are names.
func (r *Sheet) Next() (cells []string, line int, err error) {
	cells, line, err = r.ahead.next(r.read)
	for err == nil && len(cells) < len(r.names) {
		cells = append(cells, "")
	}

	return cells, line, err
}

func (r *Sheet) read() (row, error) {
	cells, number, err := r.from.Next()
	if err != nil {
		err = readError(err)
	}

	return row{cells, number, number, r.from.Bytes()}, err
}

// Header implements Source.
func (r *Sheet) Header() []string { return r.names }

// Row implements Source.
func (r *Sheet) Row() int { return r.ahead.last.number }

// Size implements Source.
func (r *Sheet) Size() int { return r.ahead.last.bytes }

// Close removes the file.
func (r *Sheet) Close() error {
	var err error
	if r.from != nil {
		err = r.from.Close()
	}

	return errors.Join(err, r.file.Close(), os.Remove(r.file.Name()))
}
