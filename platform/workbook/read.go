package workbook

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Reader reads a sheet.
type Reader struct {
	limits Limits
	part   io.ReadCloser
	from   *budget
	xml    *xml.Decoder
	texts  []string
	styles []style
	// days1904 says that days are counted from 1904.
	days1904 bool
	row      int
	bytes    int
}

// Open reads what a workbook has around a sheet: the first one, or that of a name. Close the reader. What is wrong with
// the file is an Error.
func Open(from io.ReaderAt, size int64, sheet string, l Limits) (*Reader, error) {
	archive, err := zip.NewReader(from, size)
	if err != nil {
		return nil, ErrNoArchive
	}
	r := &Reader{limits: l}
	name, err := r.find(archive, sheet)
	if err != nil {
		return nil, err
	}
	if err := r.readStyles(archive); err != nil {
		return nil, err
	}
	if err := r.readTexts(archive); err != nil {
		return nil, err
	}
	r.part, r.from, err = openPart(archive, name, l.Sheet)
	if err != nil {
		return nil, err
	}
	r.from.most = int64(l.Row)
	r.xml = xml.NewDecoder(r.from)

	return r, nil
}

// Close closes the sheet.
func (r *Reader) Close() error { return r.part.Close() }

// Bytes is about how many bytes the last row had.
func (r *Reader) Bytes() int { return r.bytes }

// budget bounds how much is read of a part, in all and between two calls of renew.
type budget struct {
	io.Reader

	left, most, since int64
}

var (
	errTooLarge = errors.New("too large")
	errLongRow  = errors.New("a long row")
)

// ahead is how much of a part a decoder may have read ahead.
const ahead = 64 << 10

// Read implements io.Reader.
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	if b.most > 0 && b.since > b.most+ahead {
		return 0, errLongRow
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left, ahead)])
	b.left -= int64(n)
	b.since += int64(n)

	return n, err
}

// small is how many bytes the parts have that say what there is.
const small = 8 << 20

// openPart opens a part that has at most so many bytes, whatever the archive says.
func openPart(archive *zip.Reader, name string, most int64) (io.ReadCloser, *budget, error) {
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	if i < 0 {
		return nil, nil, errorf("The file is not a workbook: %s is missing.", name)
	}
	if archive.File[i].UncompressedSize64 > uint64(most) { //nolint:gosec // limits are positive
		return nil, nil, tooLarge(name, most)
	}
	part, err := archive.File[i].Open()
	if err != nil {
		return nil, nil, errorf("The workbook cannot be read: %s is damaged.", name)
	}

	return part, &budget{Reader: part, left: most}, nil
}

func tooLarge(name string, most int64) error {
	return errorf("%s of the workbook is larger than %d MiB when unpacked. Save the sheet as CSV.", name, most>>20)
}

// decodePart reads a part as a whole.
func decodePart(archive *zip.Reader, name string, into any) error {
	part, from, err := openPart(archive, name, small)
	if err != nil {
		return err
	}
	defer part.Close() //nolint:errcheck // it was read

	err = xml.NewDecoder(from).Decode(into)
	if errors.Is(err, errTooLarge) {
		return tooLarge(name, small)
	}
	if err != nil {
		return errorf("The workbook cannot be read: %s is damaged.", name)
	}

	return nil
}

const folder = "xl/"

// find returns the part of a sheet.
func (r *Reader) find(archive *zip.Reader, sheet string) (string, error) {
	var book struct {
		Properties struct {
			Days1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := decodePart(archive, folder+"workbook.xml", &book); err != nil {
		return "", err
	}
	if err := decodePart(archive, folder+"_rels/workbook.xml.rels", &relations); err != nil {
		return "", err
	}
	r.days1904 = book.Properties.Days1904 == "1" || book.Properties.Days1904 == "true"
	var names []string
	for _, one := range book.Sheets {
		names = append(names, one.Name)
		if sheet != "" && !strings.EqualFold(one.Name, sheet) {
			continue
		}
		for _, relation := range relations.All {
			if relation.ID == one.ID {
				if target, whole := strings.CutPrefix(relation.Target, "/"); whole {
					return target, nil
				}

				return path.Join(folder, relation.Target), nil
			}
		}
	}
	if sheet == "" {
		return "", errorf("The workbook has no sheet.")
	}

	return "", errorf("The workbook has no sheet %q; it has %s.", sheet, strings.Join(names[:min(len(names), 30)], ", "))
}

func hasPart(archive *zip.Reader, name string) bool {
	return slices.ContainsFunc(archive.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
}

// readStyles finds out which styles make dates of numbers.
func (r *Reader) readStyles(archive *zip.Reader) error {
	if !hasPart(archive, folder+"styles.xml") {
		return nil
	}
	var sheet struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := decodePart(archive, folder+"styles.xml", &sheet); err != nil {
		return err
	}
	codes := map[int]string{}
	for _, f := range sheet.Formats {
		codes[f.ID] = f.Code
	}
	for _, c := range sheet.Cells {
		r.styles = append(r.styles, styleOf(c.Format, codes[c.Format]))
	}

	return nil
}

// readTexts reads the texts that cells share.
func (r *Reader) readTexts(archive *zip.Reader) error {
	const name = folder + "sharedStrings.xml"
	if !hasPart(archive, name) {
		return nil
	}
	part, from, err := openPart(archive, name, r.limits.Texts)
	if err != nil {
		return err
	}
	defer part.Close() //nolint:errcheck // it was read

	decoder := xml.NewDecoder(from)
	for {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errTooLarge):
			return tooLarge(name, r.limits.Texts)
		case err != nil:
			return errorf("The workbook cannot be read: %s is damaged.", name)
		}
		start, is := token.(xml.StartElement)
		if !is || start.Name.Local != "si" {
			continue
		}
		var text richText
		if err := decoder.DecodeElement(&text, &start); err != nil {
			if errors.Is(err, errTooLarge) {
				return tooLarge(name, r.limits.Texts)
			}

			return errorf("The workbook cannot be read: %s is damaged.", name)
		}
		r.texts = append(r.texts, text.String())
	}
}

// richText is a text, or parts of one that look different.
type richText struct {
	Text  string   `xml:"t"`
	Parts []string `xml:"r>t"`
}

// String returns the text alone.
func (t richText) String() string { return unescapeXML(t.Text + strings.Join(t.Parts, "")) }

// Next returns the cells of the next row in which there is something, and its number from 1; io.EOF after the last. What
// is wrong with the file is an Error.
func (r *Reader) Next() (cells []string, number int, err error) {
	for {
		token, err := r.xml.Token()
		if errors.Is(err, io.EOF) {
			return nil, 0, io.EOF
		}
		if err != nil {
			return nil, 0, r.damaged(err)
		}
		start, is := token.(xml.StartElement)
		if !is || start.Name.Local != "row" {
			continue
		}
		r.row++
		for _, a := range start.Attr {
			if n, err := strconv.Atoi(a.Value); a.Name.Local == "r" && err == nil && n >= r.row {
				r.row = n
			}
		}
		r.from.since = 0
		if cells, err = r.cells(); err != nil {
			return nil, 0, r.damaged(err)
		}
		if slices.ContainsFunc(cells, func(c string) bool { return c != "" }) {
			return cells, r.row, nil
		}
	}
}

func (r *Reader) damaged(err error) error {
	known, is := errors.AsType[Error](err)
	switch {
	case is:
		return known
	case errors.Is(err, errTooLarge):
		return tooLarge("the sheet", r.limits.Sheet)
	case errors.Is(err, errLongRow):
		return errorf("The row after row %d has more than %d bytes.", r.row, r.limits.Row)
	default:
		return errorf("The workbook cannot be read after row %d: it is damaged.", r.row)
	}
}

// cells reads up to the end of a row.
func (r *Reader) cells() ([]string, error) {
	var cells []string
	r.bytes = 0
	for {
		token, err := r.xml.Token()
		if err != nil {
			return nil, err
		}
		switch element := token.(type) {
		case xml.EndElement:
			if element.Name.Local == "row" {
				return cells, nil
			}
		case xml.StartElement:
			if element.Name.Local != "c" {
				continue
			}
			var c cell
			if err := r.xml.DecodeElement(&c, &element); err != nil {
				return nil, err
			}
			at, ok := columnOf(c.At)
			if !ok {
				at = len(cells)
			}
			text := r.text(c)
			if r.bytes += len(text); r.bytes > r.limits.Row {
				return nil, errLongRow
			}
			if text == "" {
				continue
			}
			if at >= r.limits.Columns {
				return nil, errorf("The row %d has more than %d columns.", r.row, r.limits.Columns)
			}
			for len(cells) <= at {
				cells = append(cells, "")
			}
			cells[at] = text
		}
	}
}

// cell is a cell of a sheet.
type cell struct {
	At     string   `xml:"r,attr"`
	Type   string   `xml:"t,attr"`
	Style  int      `xml:"s,attr"`
	Value  string   `xml:"v"`
	Inline richText `xml:"is"`
}

// columnOf returns the place of the column of a cell: AB14 is in column 27.
func columnOf(at string) (int, bool) {
	column := 0
	for _, letter := range at {
		if letter < 'A' || letter > 'Z' || column > 1<<20 {
			break
		}
		column = column*26 + int(letter-'A') + 1
	}

	return column - 1, column > 0
}

// text is what a cell shows, with dates as ISO 8601 has them.
func (r *Reader) text(c cell) string {
	switch c.Type {
	case "s":
		if i, err := strconv.Atoi(c.Value); err == nil && i >= 0 && i < len(r.texts) {
			return r.texts[i]
		}

		return ""
	case "inlineStr":
		return c.Inline.String()
	case "b":
		if c.Value == "1" {
			return "true"
		}

		return "false"
	case "str", "e":
		return unescapeXML(c.Value)
	case "d":
		return strings.TrimSuffix(strings.Replace(c.Value, "T", " ", 1), " 00:00:00")
	}
	if c.Value == "" {
		return ""
	}
	s := general
	if c.Style > 0 && c.Style < len(r.styles) {
		s = r.styles[c.Style]
	}

	return numberText(c.Value, s, r.days1904)
}
