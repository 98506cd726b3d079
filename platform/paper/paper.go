// Package paper prints invoices and records as PDF.
package paper

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"github.com/dispatchd/dispatchd/platform/qr"
)

// Party is the seller or the customer.
type Party struct{ Name, Address, TaxID, Email string }

// Line is a line with an amount.
type Line struct{ Text, Period, Amount string }

// Fact is a heading with a text, which may have several lines.
type Fact struct{ Name, Text string }

// Columns is a heading with two texts side by side, each of several lines.
type Columns struct{ Name, Left, Right string }

// Signature is what somebody signed. Strokes are the data of an SVG path on a field of 600 by 200, of M and L with whole numbers; "" is for a
// signature that was not drawn.
type Signature struct{ Name, Text, Strokes string }

// Document is what is printed. The same document is printed to the same bytes.
type Document struct {
	Title, Number, Date, Currency string
	Created                       time.Time
	From, To                      Party
	Facts                         []Fact
	Lines, Taxes                  []Line
	Net, Total                    string
	// Columns, Signatures and Last follow the facts.
	Columns    []Columns
	Signatures []Signature
	Last       []Fact
	// Scan is an address that a QR code at the end has, and ScanText what stands beside it; "" for none.
	Scan, ScanText string
}

const (
	font   = "Helvetica"
	height = 6   // of a line, in millimetres
	wide   = 100 // columns
	middle = 55
	narrow = 25
)

// Print returns the document as PDF, on pages in Letter size. Characters that the fonts of PDF do not have are replaced.
func Print(d Document) ([]byte, error) {
	pdf := fpdf.New("P", "mm", "Letter", "")
	text := pdf.UnicodeTranslatorFromDescriptor("cp1252")
	pdf.SetCreationDate(d.Created)
	pdf.SetModificationDate(d.Created)
	pdf.SetCatalogSort(true)
	pdf.SetTitle(d.Title+" "+d.Number, true)
	pdf.SetAuthor(d.From.Name, true)
	pdf.SetMargins(18, 18, 18) //nolint:mnd // millimetres
	pdf.AddPage()

	pdf.SetFont(font, "B", 16)
	pdf.CellFormat(0, 2*height, text(d.Title+" "+d.Number), "", 1, "L", false, 0, "")
	pdf.SetFont(font, "", 10)
	pdf.CellFormat(0, height, text("Date: "+d.Date), "", 1, "L", false, 0, "")
	pdf.Ln(height)
	printParty(pdf, text, "From", d.From)
	printParty(pdf, text, "To", d.To)
	for _, f := range d.Facts {
		printParty(pdf, text, f.Name, Party{Address: f.Text})
	}
	for _, c := range d.Columns {
		printColumns(pdf, text, c)
	}
	for _, s := range d.Signatures {
		printSignature(pdf, text, s)
	}
	for _, f := range d.Last {
		printParty(pdf, text, f.Name, Party{Address: f.Text})
	}
	if d.Total != "" {
		printLines(pdf, text, d)
	}
	if d.Scan != "" {
		if err := printCode(pdf, text, d.Scan, d.ScanText); err != nil {
			return nil, err
		}
	}

	var file bytes.Buffer
	if err := pdf.Output(&file); err != nil {
		return nil, fmt.Errorf("printing %s: %w", d.Number, err)
	}

	return file.Bytes(), nil
}

// codeSide is how long a side of a QR code is, in millimetres.
const codeSide = 30

// printCode draws the QR code of an address, with a text beside it.
func printCode(pdf *fpdf.Fpdf, text func(string) string, address, beside string) error {
	code, err := qr.Of(address)
	if err != nil {
		return err
	}
	_, page := pdf.GetPageSize()
	_, _, _, bottom := pdf.GetMargins()
	if pdf.GetY()+codeSide > page-bottom {
		pdf.AddPage()
	}
	x, y, side := pdf.GetX(), pdf.GetY(), codeSide/float64(len(code))
	pdf.SetFillColor(0, 0, 0)
	for row, modules := range code {
		for column, dark := range modules {
			if dark {
				pdf.Rect(x+float64(column)*side, y+float64(row)*side, side, side, "F")
			}
		}
	}
	pdf.SetXY(x+codeSide+height, y)
	pdf.MultiCell(0, height, text(beside), "", "L", false)
	pdf.SetXY(x, y+codeSide+height)

	return nil
}

func printLines(pdf *fpdf.Fpdf, text func(string) string, d Document) {
	pdf.SetFont(font, "B", 10)
	row(pdf, text, Line{"Description", "Period", d.Currency}, "B")
	pdf.SetFont(font, "", 10)
	for _, l := range d.Lines {
		row(pdf, text, l, "")
	}
	row(pdf, text, Line{Text: "Net", Amount: d.Net}, "T")
	for _, t := range d.Taxes {
		row(pdf, text, t, "")
	}
	pdf.SetFont(font, "B", 10)
	row(pdf, text, Line{Text: "Total", Amount: d.Total}, "T")
}

func printParty(pdf *fpdf.Fpdf, text func(string) string, title string, p Party) {
	if p == (Party{}) {
		return
	}
	pdf.SetFont(font, "B", 10)
	pdf.CellFormat(0, height, title, "", 1, "L", false, 0, "")
	pdf.SetFont(font, "", 10)
	tax := ""
	if p.TaxID != "" {
		tax = "Tax ID " + p.TaxID
	}
	for _, part := range []string{p.Name, p.Address, tax, p.Email} {
		if part = strings.TrimSpace(part); part != "" {
			pdf.MultiCell(0, height, text(part), "", "L", false)
		}
	}
	pdf.Ln(height)
}

// half is the width of one of two columns, in millimetres; drawn is that of a signature, whose field is fieldWide.
const (
	half      = 88
	drawn     = 60.0
	fieldWide = 600.0
	fieldHigh = 200.0
	bottom    = 260
)

// printColumns prints two texts side by side, line by line, so that they go on together on the next page.
func printColumns(pdf *fpdf.Fpdf, text func(string) string, c Columns) {
	pdf.SetFont(font, "B", 10)
	pdf.MultiCell(0, height, text(c.Name), "", "L", false)
	pdf.SetFont(font, "", 10)
	left, right := pdf.SplitLines([]byte(text(c.Left)), half), pdf.SplitLines([]byte(text(c.Right)), half)
	for i := range max(len(left), len(right)) {
		for side, lines := range [][][]byte{left, right} {
			line := ""
			if i < len(lines) {
				line = string(lines[i])
			}
			pdf.CellFormat(half, height, line, "", side, "L", false, 0, "")
		}
	}
	pdf.Ln(height)
}

// printSignature prints a signature as it was drawn, and who it is of.
func printSignature(pdf *fpdf.Fpdf, text func(string) string, s Signature) {
	const scale = drawn / fieldWide
	if pdf.GetY() > bottom-scale*fieldHigh {
		pdf.AddPage()
	}
	printParty(pdf, text, s.Name, Party{Address: s.Text})
	if s.Strokes == "" {
		return
	}
	x, y := pdf.GetX(), pdf.GetY()
	var from [2]float64
	for _, step := range strings.FieldsFunc(strings.NewReplacer("M", "|M", "L", "|L").Replace(s.Strokes), func(r rune) bool { return r == '|' }) {
		var to [2]float64
		if _, err := fmt.Sscanf(step[1:], "%g %g", &to[0], &to[1]); err != nil {
			continue
		}
		if step[0] == 'L' {
			pdf.Line(x+from[0]*scale, y+from[1]*scale, x+to[0]*scale, y+to[1]*scale)
		}
		from = to
	}
	pdf.SetY(y + scale*fieldHigh + height)
}

// row prints a line; a text that is too long for its column is cut.
func row(pdf *fpdf.Fpdf, text func(string) string, l Line, border string) {
	pdf.CellFormat(wide, height, fit(pdf, text(l.Text)), border, 0, "L", false, 0, "")
	pdf.CellFormat(middle, height, text(l.Period), border, 0, "L", false, 0, "")
	pdf.CellFormat(narrow, height, text(l.Amount), border, 1, "R", false, 0, "")
}

func fit(pdf *fpdf.Fpdf, text string) string {
	for len(text) > 0 && pdf.GetStringWidth(text) > wide-2 {
		text = text[:len(text)-1]
	}

	return text
}
