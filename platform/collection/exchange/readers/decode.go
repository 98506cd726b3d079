package readers

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Encoding is how the characters of a file are written.
type Encoding string

// The encodings that are told apart; UTF8 is what is written.
const (
	UTF8        Encoding = "utf-8"
	utf16Text   Encoding = "utf-16"
	windows1252 Encoding = "windows-1252"
)

// damagedArchive is said of an archive that cannot be read as a workbook.
const damagedArchive = "The file is a ZIP archive, as Excel's workbooks are. Save the sheet as CSV."

// marks are how files of other kinds begin.
var marks = []struct{ mark, kind string }{
	{"PK\x03\x04", damagedArchive},
	{"\xd0\xcf\x11\xe0", "The file is a workbook of an old Excel. Save the sheet as CSV."},
	{"%PDF", "The file is a PDF."},
	{"\x1f\x8b", "The file is compressed. Send it unpacked."},
	{"\xff\xfe\x00\x00", "The file is UTF-32. Save it as UTF-8."},
	{"\x00\x00\xfe\xff", "The file is UTF-32. Save it as UTF-8."},
}

// Decode returns a file as UTF-8 without its byte order mark, and what it was: what the mark says, or else
// what the caller declared ("" is UTF-8 or, to guess and if its beginning is none, Windows-1252). Its errors are ErrEncoding, and those of reading.
func Decode(file io.Reader, declared Encoding, guess bool) (io.Reader, Encoding, error) {
	from := bufio.NewReaderSize(file, 64<<10)
	start, err := from.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	if len(start) == 0 {
		return nil, "", ErrEncoding.WithField("file", "The file is empty.")
	}
	for _, m := range marks {
		if bytes.HasPrefix(start, []byte(m.mark)) {
			return nil, "", ErrEncoding.WithField("file", m.kind)
		}
	}
	marked := markOf(start)
	if marked != "" && declared != "" && marked != declared {
		return nil, "", ErrEncoding.WithField("encoding", "The file begins with the mark of "+string(marked)+"; it is not "+string(declared)+".")
	}
	switch {
	case marked == UTF8:
		_, err := from.Discard(len(ByteOrderMark))

		return from, marked, err
	case marked == utf16Text:
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(from), marked, nil
	case declared == utf16Text:
		return nil, "", ErrEncoding.WithField("encoding", "A file in UTF-16 begins with a byte order mark; this one has none.")
	case declared == windows1252:
		return charmap.Windows1252.NewDecoder().Reader(from), declared, nil
	case declared == "" && guess && !seemsUTF8(from):
		return charmap.Windows1252.NewDecoder().Reader(from), windows1252, nil
	default:
		return from, UTF8, nil
	}
}

// seemsUTF8 reports whether the beginning of a file is UTF-8, or nothing that anybody wrote.
func seemsUTF8(from *bufio.Reader) bool {
	start, _ := from.Peek(from.Size()) //nolint:errcheck // what there is
	for len(start) > 0 {
		r, size := utf8.DecodeRune(start)
		if r == utf8.RuneError && size == 1 {
			return !utf8.FullRune(start) || slices.ContainsFunc(start, func(b byte) bool {
				return b == 0 || b == 0x81 || b == 0x8d || b == 0x8f || b == 0x90 || b == 0x9d // that Windows-1252 does not have
			})
		}
		start = start[size:]
	}

	return true
}

// markOf returns the encoding whose byte order mark a file begins with, "" for none.
func markOf(start []byte) Encoding {
	switch {
	case bytes.HasPrefix(start, []byte(ByteOrderMark)):
		return UTF8
	case bytes.HasPrefix(start, []byte{0xff, 0xfe}), bytes.HasPrefix(start, []byte{0xfe, 0xff}):
		return utf16Text
	}

	return ""
}

// ByteOrderMark tells Excel that a file is UTF-8.
const ByteOrderMark = "\ufeff"
