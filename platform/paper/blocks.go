package paper

import (
	"context"
	"io"
)

// Block is a part of a paper. The types of this package that have a method block are all there are.
type Block interface{ block() }

// Heading begins a section. It stays on the page of what follows it.
type Heading struct{ Text string }

// Text is running text. An empty line begins a paragraph.
type Text struct {
	Text string
	// Small is for the fine print: terms, notices.
	Small, Bold bool
	// Align is Left if it is empty. A paragraph whose first letter is read from right to left begins at the right.
	Align Align
}

// Rich is running text with a little markup: **bold**, *italic*, [label](https://example.com), and lists, whose lines begin with "- " or "1. ". A
// backslash takes its meaning from a sign; Escape does so for a value. Links of other schemes than http, https, mailto and tel are printed as text.
type Rich struct {
	Text  string
	Small bool
}

// Fact is a label with a value, which may have several lines.
type Fact struct{ Name, Text string }

// Facts are labels with values.
type Facts struct {
	// Title is a heading above them; "" for none.
	Title string
	Items []Fact
	// Columns is 1 or 2; the first half of the items stands in the first column. 0 is for two columns if all values are short, and one otherwise.
	Columns int
}

// Party is one of those whom the paper is about.
type Party struct {
	// Label is its role: "Carrier".
	Label, Name string
	Lines       []string
}

// Parties stand side by side, three in a row.
type Parties []Party

// Columns are blocks side by side. Columns that are too high for a page go on together on the next.
type Columns struct {
	Cells [][]Block
	// Weights are the shares of the width, one for each cell; none are for equal ones.
	Weights []float64
}

// Align is where a text stands in its column.
type Align string

// The ways to align a text. Left is that of an empty Align.
const (
	Left   Align = "left"
	Center Align = "center"
	Right  Align = "right"
)

// Column is a column of a table.
type Column struct {
	Title string
	// Weight is its share of the width, 1 if it is 0.
	Weight float64
	Align  Align
}

// Row is a row of a table.
type Row struct {
	// Cells are its texts, one for each column; missing ones are empty.
	Cells []string
	// Note is a text below the row, over the whole width; "" for none.
	Note string
	// Strong is for a row in bold: a sum in between.
	Strong bool
}

// Table is a table. Its head is repeated on each page that it reaches, and a row stays whole unless it is higher than half a page.
type Table struct {
	// Title is a heading above it; "" for none.
	Title   string
	Columns []Column
	Rows    []Row
	// Totals stand below a rule at the end, on the page of the last row.
	Totals []Row
	// Empty is what stands in a table without rows; "" prints nothing of such a table, not even its title.
	Empty string
}

// Amount is a line of Amounts.
type Amount struct {
	Label, Value string
	// Strong is for what counts: the total, the balance.
	Strong bool
}

// Amounts are sums below each other at the right: net, tax, total, balance. They stay together.
type Amounts []Amount

// Picture is an image, PNG or JPEG. It is opened when it is drawn, closed at once, and printed as small as it may be for its size on the paper, turned as
// its Exif data say: many pictures take hardly more memory than one.
type Picture struct {
	// Open returns the file; nil is for no picture.
	Open func(ctx context.Context) (io.ReadCloser, error)
	// Address is where the HTML finds the picture; "" writes the picture itself into the HTML.
	Address string
	// Alt says what it shows, for those who do not see it.
	Alt string
}

// Photo is a picture with a text below it.
type Photo struct {
	Picture Picture
	// Caption may have several lines: what it shows, when it was taken.
	Caption string
}

// Photos are photos in a grid.
type Photos struct {
	// Title is a heading above them; "" for none.
	Title string
	Items []Photo
	// Columns is 2 to 5, 3 if it is 0.
	Columns int
}

// Image is a single picture.
type Image struct {
	Picture Picture
	// Width is the most that it takes, in millimetres; 0 is for the whole width. It is not made larger than at 100 dots per inch.
	Width   float64
	Caption string
	Align   Align
}

// Mark is a damage on the outline of a vehicle.
type Mark struct {
	// Side is left, right, top, front or rear. Marks of other sides are listed without a place.
	Side string
	// X and Y are where it is on the side, 0 to 1000 from the left and from the top.
	X, Y int64
	// Label is what it is: "SC: Scratched, hood".
	Label string
	// New is for what was not there before: it is filled.
	New bool
}

// Outline is the outline of a vehicle from its five sides, with the damages on it, numbered, and a list of them beside it.
type Outline struct {
	// Title is a heading above it; "" for none.
	Title string
	Marks []Mark
	// None is what stands in the list if there are no marks: "No damage noted".
	None string
}

// Signature is who signed, or a line to sign on.
type Signature struct {
	// Label says whose it is: "Driver at the pickup".
	Label string
	// Name is who signed; "" leaves the line empty, to be signed by hand.
	Name string
	// Text is what was agreed to, or how it was signed; Time is when, with the zone.
	Text, Time string
	// Strokes are the data of an SVG path on a field of 600 by 200, of M and L with whole numbers; "" is for a signature that was not drawn: the name
	// stands on the line.
	Strokes string
}

// Code is a QR code of an address, with a text beside it.
type Code struct {
	// Address has 2,331 bytes at most.
	Address string
	Text    string
}

// Box is a frame around blocks: for what binds, and for what is to be signed. It goes on on the next page if it must.
type Box struct {
	// Title stands at the top; "" for none.
	Title  string
	Blocks []Block
	// Strong is for a frame in the color of the letterhead, with a tint behind it: once on a paper, for what it is about.
	Strong bool
}

// KeepTogether are blocks that stand on one page, if one is enough for them.
type KeepTogether struct{ Blocks []Block }

// Space is free space, in millimetres. At the top of a page there is none.
type Space struct{ Height float64 }

// Line is a rule over the whole width.
type Line struct{}

// PageBreak has what follows begin on a new page.
type PageBreak struct{}

func (Heading) block()      {}
func (Text) block()         {}
func (Rich) block()         {}
func (Facts) block()        {}
func (Parties) block()      {}
func (Columns) block()      {}
func (Table) block()        {}
func (Amounts) block()      {}
func (Photos) block()       {}
func (Image) block()        {}
func (Outline) block()      {}
func (Signature) block()    {}
func (Code) block()         {}
func (Box) block()          {}
func (KeepTogether) block() {}
func (Space) block()        {}
func (Line) block()         {}
func (PageBreak) block()    {}
