// Package legacy prints papers as a column of headings. Package paper replaces it.
package legacy

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
	size   = 10  // of the text, in points
	height = 5   // of a line, in millimetres
	gap    = 3   // below a part
	margin = 18  // at each side, in millimetres
	wide   = 100 // columns
	middle = 55
	narrow = 25
)

// sheet is a document that is being printed.
type sheet struct {
	pdf     *fpdf.Fpdf
	letters letters
}

// Print returns the document as PDF, on pages in Letter size. The foot of each page has the title, the number, and "Page 1 of 2". Letters that no font
// here has are spelled in Latin letters, with their codes.
func Print(d Document) ([]byte, error) {
	pdf := fpdf.New("P", "mm", "Letter", "")
	with, err := lettersOf(pdf, d)
	if err != nil {
		return nil, fmt.Errorf("printing %s: %w", d.Number, err)
	}
	s := sheet{pdf, with}
	pdf.SetCreationDate(d.Created)
	pdf.SetModificationDate(d.Created)
	pdf.SetCatalogSort(true)
	pdf.SetTitle(d.Title+" "+d.Number, true)
	pdf.SetAuthor(d.From.Name, true)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, margin+height)
	pdf.AliasNbPages("")
	pdf.SetFooterFunc(func() { s.foot(d.Title + " " + d.Number) })
	pdf.AddPage()

	pdf.SetFont(with.font, "B", 16)
	pdf.MultiCell(0, 1.5*height, with.encode(d.Title+" "+d.Number), "", "L", false)
	s.regular()
	s.write("Date: " + d.Date)
	pdf.Ln(gap)
	s.parties(d.From, d.To)
	s.facts(d.Facts)
	for _, c := range d.Columns {
		s.columns(c)
	}
	for _, one := range d.Signatures {
		s.signature(one)
	}
	s.facts(d.Last)
	if d.Total != "" {
		s.lines(d)
	}
	if d.Scan != "" {
		if err := s.code(d.Scan, d.ScanText); err != nil {
			return nil, err
		}
	}

	var file bytes.Buffer
	if err := pdf.Output(&file); err != nil {
		return nil, fmt.Errorf("printing %s: %w", d.Number, err)
	}

	return file.Bytes(), nil
}

func (s sheet) bold()    { s.pdf.SetFont(s.letters.font, "B", size) }
func (s sheet) regular() { s.pdf.SetFont(s.letters.font, "", size) }

// write prints a paragraph over the whole width.
func (s sheet) write(text string) { s.pdf.MultiCell(0, height, s.letters.encode(text), "", "L", false) }

// heading prints a heading in bold, on the page of what follows it.
func (s sheet) heading(text string) {
	s.room(2 * height)
	s.bold()
	s.write(text)
	s.regular()
}

// room begins a page if less is left of this one.
func (s sheet) room(millimetres float64) {
	_, page := s.pdf.GetPageSize()
	if s.pdf.GetY()+millimetres > page-margin-height {
		s.pdf.AddPage()
	}
}

// foot prints what stands at the foot of a page.
func (s sheet) foot(title string) {
	const up, small = -15, 8 // millimetres, points
	s.pdf.SetY(up)
	s.pdf.SetFont(s.letters.font, "", small)
	across, high := s.pdf.GetPageSize()
	s.pdf.Line(margin, high+up, across-margin, high+up)
	s.pdf.CellFormat(0, height, s.letters.encode(title), "", 0, "L", false, 0, "")
	s.pdf.SetX(margin)
	s.pdf.CellFormat(0, height, fmt.Sprintf("Page %d of {nb}", s.pdf.PageNo()), "", 0, "R", false, 0, "")
	s.regular()
}

// split breaks a text into lines of a width.
func (s sheet) split(text string, width float64) []string {
	text = s.letters.encode(text)
	if s.letters.font == embedded {
		return s.pdf.SplitText(text, width)
	}
	var all []string
	for _, line := range s.pdf.SplitLines([]byte(text), width) {
		all = append(all, string(line))
	}

	return all
}

func (s sheet) facts(all []Fact) {
	for _, f := range all {
		s.party(f.Name, Party{Address: f.Text})
	}
}

// parties prints the seller and the customer side by side.
func (s sheet) parties(from, to Party) {
	if from == (Party{}) || to == (Party{}) {
		s.party("From", from)
		s.party("To", to)

		return
	}
	s.bold()
	s.pdf.CellFormat(half, height, "From", "", 0, "L", false, 0, "")
	s.pdf.CellFormat(half, height, "To", "", 1, "L", false, 0, "")
	s.regular()
	s.beside(from.text(), to.text())
}

// together is how many lines of a part stay on one page.
const together = 12

func (s sheet) party(title string, p Party) {
	if p == (Party{}) {
		return
	}
	text := p.text()
	across, _ := s.pdf.GetPageSize()
	if n := len(s.split(text, across-2*margin)); n < together { //nolint:mnd // two margins
		s.room(float64(n+1) * height)
	}
	s.heading(title)
	if text != "" {
		s.write(text)
	}
	s.pdf.Ln(gap)
}

// text is a party as its lines.
func (p Party) text() string {
	tax := ""
	if p.TaxID != "" {
		tax = "Tax ID " + p.TaxID
	}
	var lines []string
	for _, part := range []string{p.Name, p.Address, tax, p.Email} {
		if part = strings.TrimSpace(part); part != "" {
			lines = append(lines, part)
		}
	}

	return strings.Join(lines, "\n")
}

// codeSide is how long a side of a QR code is, in millimetres.
const codeSide = 30

// code draws the QR code of an address, with a text beside it.
func (s sheet) code(address, beside string) error {
	code, err := qr.Of(address)
	if err != nil {
		return err
	}
	s.room(codeSide)
	x, y, side := s.pdf.GetX(), s.pdf.GetY(), codeSide/float64(len(code))
	s.pdf.SetFillColor(0, 0, 0)
	for row, modules := range code {
		for column, dark := range modules {
			if dark {
				s.pdf.Rect(x+float64(column)*side, y+float64(row)*side, side, side, "F")
			}
		}
	}
	s.pdf.SetXY(x+codeSide+height, y)
	s.write(beside)
	s.pdf.SetXY(x, y+codeSide+height)

	return nil
}

func (s sheet) lines(d Document) {
	s.room(3 * height) //nolint:mnd // the headings, and a line below them
	s.bold()
	s.row(Line{"Description", "Period", d.Currency}, "B")
	s.regular()
	for _, l := range d.Lines {
		s.row(l, "")
	}
	s.row(Line{Text: "Net", Amount: d.Net}, "T")
	for _, t := range d.Taxes {
		s.row(t, "")
	}
	s.bold()
	s.row(Line{Text: "Total", Amount: d.Total}, "T")
	s.regular()
}

// row prints a line; a text that is too long for its column goes on below.
func (s sheet) row(l Line, border string) {
	texts := s.split(l.Text, wide)
	if len(texts) == 0 {
		texts = []string{""}
	}
	s.room(float64(min(len(texts), 2)) * height) //nolint:mnd // two lines stay together
	for i, text := range texts {
		first := i == 0
		s.pdf.CellFormat(wide, height, text, border, 0, "L", false, 0, "")
		if first {
			s.pdf.CellFormat(middle, height, s.letters.encode(l.Period), border, 0, "L", false, 0, "")
			s.pdf.CellFormat(narrow, height, s.letters.encode(l.Amount), border, 0, "R", false, 0, "")
		}
		s.pdf.Ln(height)
		border = ""
	}
}

// half is the width of one of two columns, in millimetres; drawn is that of a signature, whose field is fieldWide.
const (
	half      = 88
	drawn     = 60.0
	fieldWide = 600.0
	fieldHigh = 200.0
)

// columns prints two texts side by side, line by line, so that they go on together on the next page.
func (s sheet) columns(c Columns) {
	s.heading(c.Name)
	s.beside(c.Left, c.Right)
}

// beside prints two texts side by side, line by line.
func (s sheet) beside(leftText, rightText string) {
	left, right := s.split(leftText, half), s.split(rightText, half)
	for i := range max(len(left), len(right)) {
		for side, lines := range [][]string{left, right} {
			line := ""
			if i < len(lines) {
				line = lines[i]
			}
			s.pdf.CellFormat(half, height, line, "", side, "L", false, 0, "")
		}
	}
	s.pdf.Ln(gap)
}

// signature prints a signature as it was drawn, and who it is of.
func (s sheet) signature(of Signature) {
	const scale = drawn / fieldWide
	s.room(scale*fieldHigh + 3*height) //nolint:mnd // with the texts above it
	s.party(of.Name, Party{Address: of.Text})
	if of.Strokes == "" {
		return
	}
	s.room(scale * fieldHigh)
	x, y := s.pdf.GetX(), s.pdf.GetY()
	var from [2]float64
	for _, step := range strings.FieldsFunc(strings.NewReplacer("M", "|M", "L", "|L").Replace(of.Strokes), func(r rune) bool { return r == '|' }) {
		var to [2]float64
		if _, err := fmt.Sscanf(step[1:], "%g %g", &to[0], &to[1]); err != nil {
			continue
		}
		if step[0] == 'L' {
			s.pdf.Line(x+from[0]*scale, y+from[1]*scale, x+to[0]*scale, y+to[1]*scale)
		}
		from = to
	}
	s.pdf.SetY(y + scale*fieldHigh + height)
}
