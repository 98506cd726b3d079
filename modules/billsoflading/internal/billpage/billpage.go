// Package billpage has what the pages with bills of lading share: the layout, and a bill of lading as people read it.
package billpage

import (
	"embed"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/page"
)

//go:embed page
var pageFiles embed.FS

// NewLayout returns the layout of the pages that show bills of lading. Its script keeps what cannot be sent, draws signatures, and finds the place of
// a damage on the outline; without it, everything can be entered as well.
func NewLayout() *page.Layout {
	return page.New(page.Parts{
		Content: page.File(pageFiles, "page/bol.html"), Style: page.File(pageFiles, "page/bol.css"), Script: page.File(pageFiles, "page/bol.js"),
	})
}

// Content is what the markup shows.
type Content struct {
	Loads []Load
	BOLs  []Bill
	// Queued says that the script keeps what cannot be sent.
	Queued bool
	// Print is where the PDF is, "" for nowhere.
	Print string
}

// Load is what a driver needs to know of a load.
type Load struct {
	Title   string
	Collect []string
	Stops   []Stop
	Notes   []string
}

// Stop is a stop of a load as its driver reads it.
type Stop struct {
	Title string
	Lines []page.Line
}

// Bill is a bill of lading with what is entered for it.
type Bill struct {
	Title    string
	From, To []page.Line
	Cars     []Car
	Signed   []string
	Forms    []Section
	Aside    []Section
	Notes    []string
}

// Car is a vehicle of a bill of lading.
type Car struct {
	Title string
	// Lines are what the vehicle is released by.
	Lines   []string
	Columns []Column
	// Marks are the damages on the outline.
	Marks   []mark
	Outline bool
	// Pictures are the photos, where the reader may see them.
	Pictures []Picture
	Aside    []Section
}

// Picture is a photo under a heading.
type Picture struct{ Source, Text string }

// Column is what was found at a stage.
type Column struct {
	Title string
	Lines []string
}

// mark is a damage on the outline, in its units.
type mark struct {
	X, Y int64
	New  bool
}

// Section is a form under a heading.
type Section struct {
	Title string
	Form  *page.Form
	// Text is what is agreed to with the form.
	Text string
}

// side is a part of the outline of a vehicle, which is unfolded around its top.
type side struct{ Name, Label, X, Y, Width, Height string }

// sides are those of the outline, 300 by 220.
func sides() []side {
	return []side{
		{"left", "Left side", "70", "10", "160", "45"},
		{"top", "Top", "70", "65", "160", "80"},
		{"right", "Right side", "70", "155", "160", "45"},
		{"front", "Front", "10", "65", "50", "80"},
		{"rear", "Rear", "240", "65", "50", "80"},
	}
}

// Sides are those of the outline, for the markup.
func (Car) Sides() []side { return sides() }

// markOf is where a damage is on the outline.
func markOf(d report.Damage, fresh bool) (m mark, there bool) {
	i := slices.IndexFunc(sides(), func(s side) bool { return s.Name == d.Side })
	if i < 0 || d.X == nil || d.Y == nil {
		return m, false
	}
	number := func(text string) int64 {
		n, _ := strconv.ParseInt(text, 10, 64) //nolint:errcheck // of our own list

		return n
	}
	s := sides()[i]
	const whole = 1000

	return mark{number(s.X) + *d.X*number(s.Width)/whole, number(s.Y) + *d.Y*number(s.Height)/whole, fresh}, true
}

// BillOf is a bill of lading as people read it.
func BillOf(b report.Report) Bill {
	t := Bill{Title: b.Number, From: linesOf(b.Consignor), To: linesOf(b.Consignee)}
	if b.State == store.Draft {
		t.Notes = append(t.Notes, "It is not issued yet.")
	}
	for _, v := range b.Vehicles {
		car := Car{Title: v.Vehicle.Text()}
		for _, one := range []struct {
			title string
			found *report.Inspection
		}{{"At the pickup", v.Pickup}, {"At the delivery", v.Delivery}} {
			if one.found == nil {
				continue
			}
			lines := one.found.Lines()
			if one.found.State == store.Submitted {
				lines = append(lines, "Inspection complete")
			}
			car.Columns = append(car.Columns, Column{one.title, lines})
			for _, d := range one.found.Damages {
				if m, there := markOf(d, one.found == v.Delivery && !d.Existing); there {
					car.Marks = append(car.Marks, m)
				}
			}
		}
		car.Outline = len(car.Marks) > 0
		t.Cars = append(t.Cars, car)
	}
	for _, s := range b.Signatures {
		t.Signed = append(t.Signed, s.Text())
	}
	for _, a := range b.Amendments {
		t.Notes = append(t.Notes, "Amended: "+a.Text)
	}

	return t
}

func linesOf(p store.Party) []page.Line {
	lines := page.Address(p.Name, append(slices.Clone(p.Address), p.Place())...)
	contact := p.Contact
	if contact == p.Name {
		contact = ""
	}
	if contact != "" || len(p.Phones) > 0 {
		lines = append(lines, page.Called(contact, p.Phones...))
	}

	return lines
}

// SignerFields are those of everyone who signs. The script draws the signature.
func SignerFields() []page.Field {
	return []page.Field{{Name: "name", Label: "Name", Autocomplete: "name", MaxLength: 200, Required: true}}
}

// Explained are the failures that a page explains with words of its own, by their codes.
var Explained = map[string]string{
	store.ErrSigned.Code: store.ErrSigned.Message, store.ErrNotNow.Code: store.ErrNotNow.Message, store.ErrVINDiffers.Code: store.ErrVINDiffers.Message, store.ErrVoid.Code: store.ErrVoid.Message,
	store.ErrTermsUnconfirmed.Code: "The pay for this load has changed, and your carrier has not confirmed that yet. Ask your carrier to confirm it by its link, or call the office, and sign again.",
}

// FieldLabel is the label of a field by its name in the API, "" for one that the pages do not have.
func FieldLabel(field string) string {
	return map[string]string{
		"name": "Name", "reason": "Why?", "file": "Photo", "odometer": "Odometer", "keys_count": "Keys", "fuel_eighths": "Fuel", "code": "Damage", "note": "Note",
		"vin_scanned": "VIN on the vehicle", "strokes": "Signature",
	}[field]
}
