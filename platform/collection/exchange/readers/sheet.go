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
	last  int
}

// OpenSheet reads the first row of a sheet: the names of the columns. A workbook cannot be read as it arrives: what is
// in it is said at its end.
func OpenSheet(from io.Reader, sheet string, l Limits) (_ *Sheet, err error) {
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
	cells, _, err := r.Next()
	if errors.Is(err, io.EOF) {
		return nil, BadFile("The sheet has no row with the names of the columns.")
	}
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
	cells, r.last, err = r.from.Next()
	if err != nil {
		return nil, r.last, readError(err)
	}
	for len(cells) < len(r.names) {
		cells = append(cells, "")
	}

	return cells, r.last, nil
}

// Header implements Source.
func (r *Sheet) Header() []string { return r.names }

// Row implements Source.
func (r *Sheet) Row() int { return r.last }

// Size implements Source.
func (r *Sheet) Size() int { return r.from.Bytes() }

// Close removes the file.
func (r *Sheet) Close() error {
	var err error
	if r.from != nil {
		err = r.from.Close()
	}

	return errors.Join(err, r.file.Close(), os.Remove(r.file.Name()))
}
