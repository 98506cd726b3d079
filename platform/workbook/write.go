package workbook

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Kind is what a cell is to a spreadsheet.
type Kind int

// The kinds. A Date is YYYY-MM-DD, a Moment YYYY-MM-DD HH:MM:SS, a Truth true or false; what is none is written as text.
const (
	Text Kind = iota
	Head
	Number
	Date
	Moment
	Truth
)

// Cell is a cell that is written.
type Cell struct {
	Text string
	Kind Kind
}

const (
	// mostRows and mostText are those of a sheet of Excel, and of a cell.
	mostRows = 1_048_576
	mostText = 32_767

	header = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	main   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packed = "http://schemas.openxmlformats.org/package/2006/"
	kinds  = "application/vnd.openxmlformats-officedocument.spreadsheetml."

	// Styles by their places: all, dates, moments, heads.
	styleParts = header + `<styleSheet xmlns="` + main + `"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/>` +
		`<numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/>` +
		`<xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`
	rootParts = header + `<Relationships xmlns="` + packed + `relationships"><Relationship Id="rId1" Type="` + office +
		`/officeDocument" Target="xl/workbook.xml"/></Relationships>`
)

// Writer writes a workbook as its rows come. Behind as many rows as a sheet has, it goes on in another one.
type Writer struct {
	archive *zip.Writer
	to      *bufio.Writer
	title   string
	heads   []Cell
	sheets  int
	rows    int
}

// NewWriter begins a workbook whose sheets have a title and begin with a row of heads. Close it, or it is none.
func NewWriter(w io.Writer, title string, heads []string) (*Writer, error) {
	out := &Writer{archive: zip.NewWriter(w), title: title}
	for _, h := range heads {
		out.heads = append(out.heads, Cell{Text: h, Kind: Head})
	}

	return out, out.begin()
}

// begin begins a sheet.
func (w *Writer) begin() error {
	if err := w.end(); err != nil {
		return err
	}
	w.sheets++
	w.rows = 0
	part, err := w.archive.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", w.sheets))
	if err != nil {
		return err
	}
	w.to = bufio.NewWriter(part)
	_, err = w.to.WriteString(header + `<worksheet xmlns="` + main + `"><sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`)
	if err != nil {
		return err
	}

	return w.row(w.heads)
}

// end ends a sheet, if there is one.
func (w *Writer) end() error {
	if w.to == nil {
		return nil
	}
	if _, err := w.to.WriteString(`</sheetData></worksheet>`); err != nil {
		return err
	}

	return w.to.Flush()
}

// Row writes a row. A text that is too long for a cell is cut.
func (w *Writer) Row(cells []Cell) error {
	if w.rows >= mostRows {
		if err := w.begin(); err != nil {
			return err
		}
	}

	return w.row(cells)
}

func (w *Writer) row(cells []Cell) error {
	w.rows++
	var row strings.Builder
	row.WriteString(`<row r="` + strconv.Itoa(w.rows) + `">`)
	for i, c := range cells {
		if c.Text == "" {
			continue
		}
		at := ` r="` + columnName(i) + strconv.Itoa(w.rows) + `"`
		switch serial, isTime := serialOf(c); {
		case c.Kind == Number && isNumber(c.Text):
			row.WriteString(`<c` + at + `><v>` + c.Text + `</v></c>`)
		case c.Kind == Truth && (c.Text == "true" || c.Text == "false"):
			row.WriteString(`<c` + at + ` t="b"><v>` + map[string]string{"true": "1", "false": "0"}[c.Text] + `</v></c>`)
		case isTime:
			row.WriteString(`<c` + at + ` s="` + strconv.Itoa(int(c.Kind-Date)+1) + `"><v>` + serial + `</v></c>`)
		default:
			look := ""
			if c.Kind == Head {
				look = ` s="3"`
			}
			row.WriteString(`<c` + at + look + ` t="inlineStr"><is><t xml:space="preserve">`)
			if err := xml.EscapeText(&row, []byte(escapeXML(cutText(c.Text)))); err != nil {
				return err
			}
			row.WriteString(`</t></is></c>`)
		}
	}
	row.WriteString(`</row>`)
	_, err := w.to.WriteString(row.String())

	return err
}

func cutText(text string) string {
	if len(text) <= mostText {
		return text
	}
	runes := []rune(text)

	return string(runes[:min(len(runes), mostText)])
}

// isNumber reports whether a spreadsheet keeps every digit of a number.
func isNumber(text string) bool {
	number, err := strconv.ParseFloat(text, 64)
	significant := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(text), "0")

	return err == nil && len(significant) <= digits && strings.Trim(text, "-.0123456789") == "" && number == number
}

// serialOf returns a time as the number of its day.
func serialOf(c Cell) (string, bool) {
	layout := map[Kind]string{Date: time.DateOnly, Moment: time.DateTime}[c.Kind]
	if layout == "" {
		return "", false
	}
	at, err := time.Parse(layout, c.Text)
	days := at.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24
	// Excel takes 1900 for a leap year: its days agree with the calendar from March on.
	if err != nil || days < 61 || at.Year() > 9999 {
		return "", false
	}

	return strconv.FormatFloat(days, 'f', -1, 64), true
}

func columnName(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}

	return name
}

// Close ends the workbook.
func (w *Writer) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	var sheets, relations, overrides strings.Builder
	for n := range w.sheets {
		id := strconv.Itoa(n + 1)
		var name strings.Builder
		if err := xml.EscapeText(&name, []byte(sheetName(w.title, n))); err != nil {
			return err
		}
		sheets.WriteString(`<sheet name="` + name.String() + `" sheetId="` + id + `" r:id="rId` + id + `"/>`)
		relations.WriteString(`<Relationship Id="rId` + id + `" Type="` + office + `/worksheet" Target="worksheets/sheet` + id + `.xml"/>`)
		overrides.WriteString(`<Override PartName="/xl/worksheets/sheet` + id + `.xml" ContentType="` + kinds + `worksheet+xml"/>`)
	}
	for _, part := range []struct{ name, text string }{
		{"xl/styles.xml", styleParts},
		{"xl/workbook.xml", header + `<workbook xmlns="` + main + `" xmlns:r="` + office + `"><sheets>` + sheets.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", header + `<Relationships xmlns="` + packed + `relationships">` + relations.String() +
			`<Relationship Id="styles" Type="` + office + `/styles" Target="styles.xml"/></Relationships>`},
		{"_rels/.rels", rootParts},
		{"[Content_Types].xml", header + `<Types xmlns="` + packed + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="` + kinds + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + kinds + `styles+xml"/>` + overrides.String() + `</Types>`},
	} {
		to, err := w.archive.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, part.text); err != nil {
			return err
		}
	}

	return w.archive.Close()
}

// sheetName is a title without what the name of a sheet may not have.
func sheetName(title string, n int) string {
	title = strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\`, r) || r < ' ' {
			return '_'
		}

		return r
	}, title), "' ")
	suffix := ""
	if n > 0 {
		suffix = " " + strconv.Itoa(n+1)
	}
	const most = 31
	runes := []rune(title)
	if title = string(runes[:min(len(runes), most-len(suffix))]); title == "" {
		title = "Sheet"
	}

	return title + suffix
}
