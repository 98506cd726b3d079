package exchange

import (
	"bufio"
	"bytes"
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

// isSheet reports whether a file is a workbook.
func isSheet(in *Upload, from *bufio.Reader) (bool, error) {
	start, err := from.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	packed := bytes.HasPrefix(start, []byte("PK\x03\x04"))
	if in.Format == asSheet && !packed {
		return false, badFile("The file is no workbook (.xlsx).")
	}

	return packed && (in.Format == "" || in.Format == asSheet), nil
}

// sheetReader reads a sheet of a workbook, which is kept in a file that has no name any more.
type sheetReader struct {
	file  *os.File
	from  *workbook.Reader
	names []string
	last  int
}

// openSheet reads the first row of a sheet: the names of the columns. A workbook cannot be read as it arrives: what is
// in it is said at its end.
func openSheet(from io.Reader, sheet string, s Settings) (_ *sheetReader, err error) {
	file, err := os.CreateTemp("", "import-*.xlsx")
	if err != nil {
		return nil, err
	}
	r := &sheetReader{file: file}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	size, err := io.Copy(file, from)
	if err != nil {
		return nil, err
	}
	limits := workbook.Limits{Sheet: mostSheet, Texts: mostTexts, Row: int(s.MaxRowSize), Columns: s.MaxColumns}
	if r.from, err = workbook.Open(file, size, sheet, limits); err != nil {
		return nil, unreadable(err)
	}
	cells, _, err := r.next()
	if errors.Is(err, io.EOF) {
		return nil, badFile("The sheet has no row with the names of the columns.")
	}
	if err == nil {
		r.names, err = headerOf(cells)
	}

	return r, err
}

// unreadable makes an ErrBadFile or ErrEncoding of what is wrong with a workbook.
func unreadable(err error) error {
	if errors.Is(err, workbook.ErrNoArchive) {
		return ErrEncoding.WithField("file", damagedArchive)
	}
	if problem, is := errors.AsType[workbook.Error](err); is {
		return badFile("%s", problem.Error())
	}

	return err
}

// next implements source. A row has at least as many cells as there are names.
func (r *sheetReader) next() (cells []string, line int, err error) {
	cells, r.last, err = r.from.Next()
	if err != nil {
		return nil, r.last, unreadable(err)
	}
	for len(cells) < len(r.names) {
		cells = append(cells, "")
	}

	return cells, r.last, nil
}

// header implements source.
func (r *sheetReader) header() []string { return r.names }

// row implements source.
func (r *sheetReader) row() int { return r.last }

// size implements source.
func (r *sheetReader) size() int { return r.from.Bytes() }

// Close removes the file.
func (r *sheetReader) Close() error {
	var err error
	if r.from != nil {
		err = r.from.Close()
	}

	return errors.Join(err, r.file.Close(), os.Remove(r.file.Name()))
}
