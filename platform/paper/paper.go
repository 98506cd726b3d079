// Package paper prints a company's papers: rate confirmations, bills of lading, invoices. A paper is data, a letterhead and blocks below each other;
// a Printer lays it out once and writes it as PDF, or as HTML for previews and mail. The same paper is printed to the same bytes.
//
//	file, warnings, err := printer.PDF(ctx, paper.Paper{
//		Head:  paper.Head{Name: "Acme Auto Transport LLC", Lines: []string{"1 Main St", "Dallas, TX 75201"}, USDOT: "1234567", Docket: "MC-123456"},
//		Title: "Rate confirmation", Number: "D-2026-00012", Date: "November 30, 2026", Created: createdAt,
//		Blocks: []paper.Block{
//			paper.Parties{{Label: "Broker", Name: "Acme"}, {Label: "Carrier", Name: "Fast Lane Inc.", Lines: []string{"USDOT 7654321"}}},
//			paper.Table{Columns: []paper.Column{{Title: "Vehicle", Weight: 3}, {Title: "VIN", Weight: 2}}, Rows: []paper.Row{{Cells: []string{"2021 Ford F-150", "1FTFW1E50MFA00001"}}}},
//			paper.Box{Title: "Acceptance", Blocks: []paper.Block{paper.Signature{Name: "Ann Lee", Text: "for the carrier"}}},
//		},
//	})
//
// Texts are plain unless a field says that it has markup: "\n" begins a line, nothing is cut, and a word that is longer than its column goes on in the
// next line. docs/paper.md shows every block.
package paper

import "time"

// Size is the size of the pages.
type Size string

// The sizes. Letter is that of a Paper without one.
const (
	Letter Size = "letter"
	A4     Size = "a4"
	Legal  Size = "legal"
)

// SizeIn returns the size that is usual in a country, by its code of ISO 3166-1 ("US", "DE"): Letter where it is, in America and the Philippines, A4
// elsewhere, and Letter for "".
func SizeIn(country string) Size {
	switch country {
	case "", "US", "CA", "MX", "PR", "GU", "VI", "PH", "CL", "CO", "CR", "GT", "NI", "PA", "SV", "VE", "DO":
		return Letter
	}

	return A4
}

// Paper is what is printed.
type Paper struct {
	// Size is Letter if it is empty.
	Size Size
	// Language is that of the texts, as BCP 47 has it: "en" if it is empty. It is for those who read aloud; no text is translated by it.
	Language string
	Head     Head
	// Title says what the paper is ("Rate confirmation"); Number, Date and Details stand below it, at the right of the letterhead. Empty ones are left
	// out.
	Title, Number, Date string
	Details             []Fact
	Blocks              []Block
	// Foot is the text at the foot of each page, beside "Page 1 of 2"; Title and Number if it is empty.
	Foot string
	// Stamp is printed large and pale across each page: "VOID", "DRAFT". "" is for none.
	Stamp string
	// Created is the date in the file's properties. It belongs to what is printed, so take the date of the record, not the present one.
	Created time.Time
}

// Head is the letterhead: the company whose paper it is. Empty fields are left out.
type Head struct {
	// Logo is fit into 55 by 20 mm. The zero Picture is for none; the name stands below it all the same.
	Logo Picture
	Name string
	// Lines are those of the address.
	Lines                 []string
	Phone, Email, Website string
	USDOT, Docket, TaxID  string
	// Color is that of the title, of headings and of the strong rules, as "#1f4e79". One that is too light to be read is darkened; "" is a dark blue.
	Color string
}

// Warning says what could not be printed as it was given. The paper was printed all the same: nothing is lost silently.
type Warning struct {
	// Code is WarnLetters or WarnPicture or WarnFont.
	Code string `json:"code"`
	// Characters are the letters that no font has, each once, in their order: "王小". They were printed as a transcription in Latin letters and their
	// codes.
	Characters string `json:"characters,omitempty"`
	// Where names the block: "Parties: Carrier", "Photos: Front left".
	Where string `json:"where"`
	// Text is the reason, for people.
	Text string `json:"text"`
}

// The codes of warnings.
const (
	// WarnLetters is for letters that no font has.
	WarnLetters = "missing_letters"
	// WarnPicture is for a picture that could not be read: a frame with its caption was printed.
	WarnPicture = "unreadable_picture"
	// WarnFont is for a font file of the deployment that cannot be used.
	WarnFont = "unusable_font"
)
