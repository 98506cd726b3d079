package paper_test

import (
	"context"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/platform/paper"
)

// An area asks for a *paper.Printer in its constructor, and makes a Paper of its record.
func ExamplePrinter_PDF() {
	printer := paper.New()
	file, warnings, err := printer.PDF(context.Background(), paper.Paper{
		Size:  paper.SizeIn("US"),
		Head:  paper.Head{Name: "Acme Auto Transport LLC", Lines: []string{"1 Main Street", "Dallas, TX 75201"}, USDOT: "1234567", Docket: "MC-123456"},
		Title: "Rate confirmation", Number: "D-2026-00012", Date: "November 30, 2026",
		Details: []paper.Fact{{Name: "Load", Text: "L-2026-00481"}, {Name: "Revision", Text: "2"}},
		Created: time.Date(2026, 11, 30, 15, 4, 0, 0, time.UTC),
		Blocks: []paper.Block{
			paper.Parties{
				{Label: "Pickup · December 2", Name: "Copart Dallas", Lines: []string{"505 Idlewild Road", "Grand Prairie, TX 75051"}},
				{Label: "Delivery · December 5", Name: "Sunrise Motors", Lines: []string{"88 Biscayne Boulevard", "Miami, FL 33132"}},
			},
			paper.Table{
				Title:   "Vehicles",
				Columns: []paper.Column{{Title: "Vehicle", Weight: 3}, {Title: "VIN", Weight: 2}, {Title: "Pay", Align: paper.Right}},
				Rows:    []paper.Row{{Cells: []string{"2021 Ford F-150", "1FTFW1E50MFA00001", "$1,850.00"}}},
			},
			paper.Columns{Cells: [][]paper.Block{
				{paper.Facts{Title: "Transport", Items: []paper.Fact{{Name: "Equipment", Text: "Open carrier"}, {Name: "Driver", Text: "राम"}}}},
				{paper.Amounts{{Label: "Cash on delivery", Value: "$500.00"}, {Label: "Total", Value: "$1,850.00", Strong: true}}},
			}},
			paper.Rich{Small: true, Text: "The carrier must **not re-broker** this load. Questions: " + paper.Escape("Ann *Lee*") + "."},
			paper.Box{Title: "Acceptance", Strong: true, Blocks: []paper.Block{
				paper.Signature{Label: "For the carrier", Name: "Ann Lee", Time: "November 30, 2026, 9:12 AM CST", Text: "Revision 2, by a link"},
			}},
		},
	})
	fmt.Println(string(file[:5]), err)
	for _, w := range warnings {
		fmt.Println(w.Code, w.Characters, "in", w.Where)
	}
	// Output:
	// %PDF- <nil>
	// missing_letters राम in Transport: Driver
}
