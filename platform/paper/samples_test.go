package paper_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/paper"
)

// The papers of these tests are like those of the areas. PAPER_SAMPLES=dir go test -run Samples writes them to a folder, to be looked at.

var sampleCreated = time.Date(2026, 11, 30, 15, 4, 5, 0, time.UTC)

// names are those of a broker, a carrier and a driver.
type names struct{ broker, carrier, driver string }

var inScripts = map[string]names{
	"latin":    {"Łukasz & José Żółć Transport LLC", "Nguyễn Văn Đức Trucking Inc.", "Jiří Müller"},
	"cyrillic": {"ООО «Перевозки Плюс»", "Автовоз Иванов и сыновья", "Иван Петров"},
	"greek":    {"Μεταφορές Παππάς ΑΕ", "Ελληνικές Οδικές Μεταφορές", "Ελένη Παππά"},
	"hebrew":   {"הובלות לוי בע״מ", "חברת ההובלה (ישראל)", "דוד לוי"},
	"arabic":   {"شركة النقل السريع", "مؤسسة الأمل للشحن", "محمد عبد الله"},
	"chinese":  {"东方汽车运输公司", "北京快运有限公司", "王小明"},
}

var plainNames = names{"Meridian Auto Transport LLC", "Fast Lane Carriers Inc.", "Ray Ortega"}

func letterhead(name string) paper.Head {
	return paper.Head{
		Logo: picture(logoPNG(), "Logo"), Name: name, Lines: []string{"1200 Commerce Street, Suite 410", "Dallas, TX 75202"},
		Phone: "(214) 555-0134", Email: "dispatch@meridian.example", USDOT: "3141592", Docket: "MC-926535",
	}
}

func rateConfirmation(n names, vehicles int) paper.Paper {
	var rows []paper.Row
	for i := range vehicles {
		rows = append(rows, paper.Row{Cells: []string{
			strconv.Itoa(i + 1), []string{"2021 Ford F-150 Lariat", "2019 Toyota Camry SE", "2023 Rivian R1S"}[i%3], "1FTFW1E50MFA" + fmt.Sprintf("%05d", i+1),
			[]string{"Runs", "Inoperable: winch", "Runs"}[i%3],
		}})
	}

	return paper.Paper{
		Head: letterhead(n.broker), Title: "Rate confirmation", Number: "D-2026-00012", Date: "November 30, 2026", Created: sampleCreated,
		Details: []paper.Fact{{Name: "Load", Text: "L-2026-00481"}, {Name: "Revision", Text: "2"}},
		Blocks: []paper.Block{
			paper.Parties{
				{Label: "Broker", Name: n.broker, Lines: []string{"1200 Commerce Street, Suite 410", "Dallas, TX 75202", "USDOT 3141592, MC-926535", "Phone (214) 555-0134"}},
				{Label: "Carrier", Name: n.carrier, Lines: []string{"USDOT 7654321, MC-112233", "Ann Lee, (312) 555-0188", "dispatch@fastlane.example"}},
			},
			paper.Parties{
				{Label: "Pickup · December 2, 2026", Name: "Copart Dallas", Lines: []string{"505 Idlewild Road", "Grand Prairie, TX 75051", "8:00 AM to 4:00 PM CST, by appointment", "Gate pass 4471"}},
				{Label: "Delivery · December 5, 2026", Name: "Sunrise Motors", Lines: []string{"88 Biscayne Boulevard", "Miami, FL 33132", "9:00 AM to 6:00 PM EST"}},
			},
			paper.Table{
				Title:   "Vehicles",
				Columns: []paper.Column{{Title: "#", Weight: 0.3}, {Title: "Vehicle", Weight: 3}, {Title: "VIN", Weight: 2}, {Title: "Condition", Weight: 1.6}},
				Rows:    rows,
			},
			paper.Columns{Weights: []float64{1.1, 1}, Cells: [][]paper.Block{
				{
					paper.Facts{Title: "Transport", Items: []paper.Fact{
						{Name: "Equipment", Text: "Open carrier"},
						{Name: "Distance", Text: "1,312 miles, estimated"},
						{Name: "Inspection", Text: "Standard, with photos"},
						{Name: "Driver", Text: n.driver + ", (312) 555-0190"},
						{Name: "Truck", Text: "T-14, plate IL P 482 913"},
					}},
				},
				{
					paper.Heading{Text: "Carrier pay"},
					paper.Amounts{
						{Label: "Cash on delivery", Value: "$500.00"},
						{Label: "Balance, 15 days after delivery", Value: "$1,350.00"},
						{Label: "Total", Value: "$1,850.00", Strong: true},
					},
				},
			}},
			paper.Heading{Text: "Instructions"},
			paper.Text{Text: "Call the customer two hours before you arrive. Do not load over wet paint."},
			paper.Heading{Text: "Terms"},
			paper.Rich{Small: true, Text: "The carrier carries this load itself, under its own authority. It must **not re-broker, assign or interline** the load, or have it carried by " +
				"anyone else, without the broker's written consent.\n\n- Payment as above; send the signed bill of lading to [billing](mailto:pay@meridian.example).\n" +
				"- Report damage *before* you leave the stop.\n- Cargo insurance of $250,000 is required."},
			paper.Box{Title: "Acceptance", Strong: true, Blocks: []paper.Block{
				paper.Text{Text: "The carrier accepts this load at $1,850.00, on these days and terms."},
				paper.Columns{Cells: [][]paper.Block{
					{paper.Signature{Label: "For the carrier", Name: "Ann Lee", Time: "November 30, 2026, 9:12 AM CST", Text: "Revision 2, by a link, from 203.0.113.7"}},
					{paper.Code{Address: "https://dispatch.example/l/3f9a8c", Text: "Open this dispatch on a phone: stops, documents, positions."}},
				}},
			}},
		},
	}
}

func billOfLading(n names, vehicles, photos int) paper.Paper {
	p := paper.Paper{
		Head: letterhead(n.broker), Title: "Bill of lading", Number: "B-2026-00077", Date: "December 2, 2026", Created: sampleCreated,
		Details: []paper.Fact{{Name: "Load", Text: "L-2026-00481"}, {Name: "Vehicles", Text: strconv.Itoa(vehicles)}},
		Blocks: []paper.Block{
			paper.Parties{
				{Label: "Consignor (origin)", Name: "Copart Dallas", Lines: []string{"505 Idlewild Road", "Grand Prairie, TX 75051", "(972) 555-0101"}},
				{Label: "Consignee (destination)", Name: "Sunrise Motors", Lines: []string{"88 Biscayne Boulevard", "Miami, FL 33132"}},
				{Label: "Carrier", Name: n.carrier, Lines: []string{"USDOT 7654321", "MC-112233"}},
			},
		},
	}
	for i := range vehicles {
		p.Blocks = append(p.Blocks,
			paper.KeepTogether{Blocks: []paper.Block{
				paper.Heading{Text: fmt.Sprintf("Vehicle %d: 2021 Ford F-150 Lariat, 1FTFW1E50MFA%05d", i+1, i+1)},
				paper.Columns{Cells: [][]paper.Block{
					{paper.Facts{Items: []paper.Fact{{Name: "At the pickup", Text: "December 2, 2026, 10:05 AM CST"}, {Name: "Odometer", Text: "48,211 mi"}, {Name: "Keys", Text: "2"}, {Name: "Fuel", Text: "3/8"}}}},
					{paper.Facts{Items: []paper.Fact{{Name: "At the delivery", Text: "December 5, 2026, 2:40 PM EST"}, {Name: "Odometer", Text: "48,213 mi"}, {Name: "Keys", Text: "2"}, {Name: "Fuel", Text: "2/8"}}}},
				}},
				paper.Outline{None: "No damage noted.", Marks: []paper.Mark{
					{Side: "left", X: 300, Y: 600, Label: "SC: Scratched, left front door"},
					{Side: "top", X: 200, Y: 400, Label: "PC: Paint chipped, hood"},
					{Side: "rear", X: 500, Y: 800, Label: "D: Dented, rear bumper (new at the delivery)", New: true},
					{Side: "unknown", Label: "MD: Moulding damaged"},
				}},
			}})
	}
	p.Blocks = append(p.Blocks,
		paper.Box{Title: "Signatures", Blocks: []paper.Block{
			paper.Columns{Cells: [][]paper.Block{
				{paper.Signature{Label: "Driver at the pickup", Name: n.driver, Time: "December 2, 2026, 10:20 AM CST", Text: "I have inspected the vehicles as noted.", Strokes: signatureStrokes()}},
				{paper.Signature{Label: "Consignor", Name: "Dana Wells", Time: "December 2, 2026, 10:21 AM CST", Strokes: signatureStrokes()}},
			}},
			paper.Columns{Cells: [][]paper.Block{
				{paper.Signature{Label: "Driver at the delivery", Name: n.driver, Time: "December 5, 2026, 2:45 PM EST"}},
				{paper.Signature{Label: "Consignee"}},
			}},
		}},
		paper.Photos{Title: "Photos", Items: somePhotos(photos)},
		paper.Heading{Text: "Terms"},
		paper.Text{Small: true, Text: strings.Repeat("Received, subject to the classifications and tariffs in effect on the date of issue, the property described above in apparent good order, except as noted. ", 4)},
		paper.Code{Address: "https://dispatch.example/b/77f1a0", Text: "Read the current bill of lading, with its photos where the company shows them."},
	)

	return p
}

func invoice(n names, lines int) paper.Paper {
	var rows []paper.Row
	for i := range lines {
		rows = append(rows, paper.Row{
			Cells: []string{fmt.Sprintf("Transport of a 2021 Ford F-150, Dallas, TX to Miami, FL (L-2026-%05d)", i+1), "Dec 5, 2026", "1", "$1,850.00", "$1,850.00"},
		})
	}
	if lines > 0 {
		rows[0].Note = "Waiting time of two hours at the pickup is included."
	}

	return paper.Paper{
		Head: letterhead(n.broker), Title: "Invoice", Number: "INV-2026-00031", Date: "December 6, 2026", Created: sampleCreated,
		Details: []paper.Fact{{Name: "Due", Text: "January 5, 2027"}, {Name: "Terms", Text: "Net 30"}},
		Blocks: []paper.Block{
			paper.Parties{
				{Label: "Bill to", Name: "Sunrise Motors", Lines: []string{"Accounts payable", "88 Biscayne Boulevard", "Miami, FL 33132", "Tax ID 59-1234567"}},
				{Label: "Remit to", Name: n.broker, Lines: []string{"Bank of Dallas, ABA 111000025", "Account 0042 1187 31"}},
			},
			paper.Table{
				Columns: []paper.Column{{Title: "Description", Weight: 5}, {Title: "Delivered", Weight: 1.4}, {Title: "Qty", Weight: 0.6, Align: paper.Right}, {Title: "Price", Weight: 1.3, Align: paper.Right}, {Title: "Amount", Weight: 1.5, Align: paper.Right}},
				Rows:    rows,
				Empty:   "Nothing was delivered.",
			},
			paper.Amounts{
				{Label: "Net", Value: "$" + strconv.Itoa(1850*lines) + ".00"},
				{Label: "Sales tax 0 %", Value: "$0.00"},
				{Label: "Paid", Value: "−$500.00"},
				{Label: "Balance due", Value: "$" + strconv.Itoa(1850*lines-500) + ".00", Strong: true},
			},
			paper.Box{Title: "How to pay", Blocks: []paper.Block{
				paper.Code{Address: "https://pay.example/i/5c1d", Text: "Scan to pay by card or bank transfer,\nor send a check to the address above with the number of this invoice."},
			}},
		},
	}
}

func somePhotos(n int) (all []paper.Photo) {
	subjects := []string{"Front left", "Front right", "Rear left", "Rear right", "Odometer", "VIN plate"}
	for i := range n {
		wide, high := 800, 600
		if i%5 == 4 {
			wide, high = 600, 800
		}
		all = append(all, paper.Photo{Picture: picture(photo(wide, high, uint8(i*20)), subjects[i%len(subjects)]), Caption: subjects[i%len(subjects)] + "\nDecember 2, 2026, 10:0" + strconv.Itoa(i%10) + " AM CST"})
	}

	return all
}

// signatureStrokes is a scribble.
func signatureStrokes() string {
	var out strings.Builder
	for i := range 120 {
		t := float64(i) / 119
		x, y := 40+t*480, 100+math.Sin(t*22)*60*(1-t*0.6)+math.Cos(t*9)*15
		sign := "L"
		if i == 0 {
			sign = "M"
		}
		fmt.Fprintf(&out, "%s%d %d", sign, int(x), int(y))
	}

	return out.String()
}

func picture(content []byte, alt string) paper.Picture {
	return paper.Picture{Alt: alt, Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
}

// photo is a picture of a street, more or less.
func photo(wide, high int, hue uint8) []byte {
	m := image.NewRGBA(image.Rect(0, 0, wide, high))
	part := func(r image.Rectangle, c color.RGBA) { draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Src) }
	for y := range high {
		part(image.Rect(0, y, wide, y+1), color.RGBA{uint8(120 + y*100/high), uint8(150 + y*80/high), 210, 255})
	}
	part(image.Rect(0, high*6/10, wide, high), color.RGBA{90, 92, 96, 255})
	part(image.Rect(wide/5, high*4/10, wide*4/5, high*8/10), color.RGBA{hue, 70, 200 - hue/2, 255})
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		panic(err)
	}

	return out.Bytes()
}

func logoPNG() []byte {
	const wide, high = 420, 120
	m := image.NewNRGBA(image.Rect(0, 0, wide, high))
	for y := range high {
		for x := range wide {
			d := math.Hypot(float64(x-60), float64(y-60))
			switch {
			case d < 52 && d > 36, x > 130 && y > 20 && y < 50, x > 130 && x < 330 && y > 70 && y < 95:
				m.SetNRGBA(x, y, color.NRGBA{0x1d, 0x3b, 0x5c, 255})
			case d < 30:
				m.SetNRGBA(x, y, color.NRGBA{0xe0, 0x8a, 0x1e, 255})
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		panic(err)
	}

	return out.Bytes()
}
