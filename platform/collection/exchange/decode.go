package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// encoding is how the characters of a file are written.
type encoding string

const (
	utf8Text    encoding = "utf-8"
	utf16Text   encoding = "utf-16"
	windows1252 encoding = "windows-1252"
)

// damagedArchive is said of an archive that cannot be read as a workbook.
const damagedArchive = "The file is a ZIP archive, as Excel's workbooks are. Save the sheet as CSV."

// marks are how files of other kinds begin.
func marks() []struct{ mark, kind string } {
	return []struct{ mark, kind string }{
		{"PK\x03\x04", damagedArchive},
		{"\xd0\xcf\x11\xe0", "The file is a workbook of an old Excel. Save the sheet as CSV."},
		{"%PDF", "The file is a PDF."},
		{"\x1f\x8b", "The file is compressed. Send it unpacked."},
		{"\xff\xfe\x00\x00", "The file is UTF-32. Save it as UTF-8."},
		{"\x00\x00\xfe\xff", "The file is UTF-32. Save it as UTF-8."},
	}
}

// decode returns a file as UTF-8 without its byte order mark, and what it was: what the mark says, or else
// what the caller declared ("" is UTF-8). Its errors are ErrEncoding, and those of reading.
func decode(file io.Reader, declared encoding) (io.Reader, encoding, error) {
	from := bufio.NewReaderSize(file, 64<<10)
	start, err := from.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	if len(start) == 0 {
		return nil, "", ErrEncoding.WithField("file", "The file is empty.")
	}
	for _, m := range marks() {
		if bytes.HasPrefix(start, []byte(m.mark)) {
			return nil, "", ErrEncoding.WithField("file", m.kind)
		}
	}
	marked := markOf(start)
	if marked != "" && declared != "" && marked != declared {
		return nil, "", ErrEncoding.WithField("encoding", "The file begins with the mark of "+string(marked)+"; it is not "+string(declared)+".")
	}
	switch {
	case marked == utf8Text:
		_, err := from.Discard(len(byteOrderMark))

		return from, marked, err
	case marked == utf16Text:
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(from), marked, nil
	case declared == utf16Text:
		return nil, "", ErrEncoding.WithField("encoding", "A file in UTF-16 begins with a byte order mark; this one has none.")
	case declared == windows1252:
		return charmap.Windows1252.NewDecoder().Reader(from), declared, nil
	default:
		return from, utf8Text, nil
	}
}

// markOf returns the encoding whose byte order mark a file begins with, "" for none.
func markOf(start []byte) encoding {
	switch {
	case bytes.HasPrefix(start, []byte(byteOrderMark)):
		return utf8Text
	case bytes.HasPrefix(start, []byte{0xff, 0xfe}), bytes.HasPrefix(start, []byte{0xfe, 0xff}):
		return utf16Text
	}

	return ""
}
