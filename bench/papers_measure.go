package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"

	"github.com/dispatchd/dispatchd/platform/paper"
)

const (
	// papersSection is papers printed, as --only names it.
	papersSection = "papers"
	// fewPhotos and manyPhotos are those of the two bills of lading whose memory is compared.
	fewPhotos, manyPhotos = 4, 40
)

// invoiceLines are the sizes of the invoices that are printed.
var invoiceLines = []int{1, 50, 300}

// printedPaper is how long an invoice takes, a value for each round.
type printedPaper struct {
	lines           int
	pdf, html, bare []float64 // seconds
	size            int
}

// papersFound is how fast papers are printed, and what photos take.
type papersFound struct {
	invoices []printedPaper
	// few and many are the highest memory of the heap while a bill of lading was printed, and took how long each photo of the larger one took.
	few, many int64
	took      time.Duration
	size      int
}

// papers measures without the service: printing touches no database.
func (t *trial) papers(ctx context.Context) (*papersFound, error) {
	if !t.options.asks(papersSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	printer, found := paper.New(), &papersFound{}
	for _, lines := range invoiceLines {
		found.invoices = append(found.invoices, printedPaper{lines: lines})
	}
	for range t.options.rounds {
		for i := range found.invoices {
			if err := found.invoices[i].round(ctx, printer, t.options.seconds); err != nil {
				return nil, err
			}
		}
	}
	photo, err := benchPhoto()
	if err != nil {
		return nil, err
	}
	if found.few, _, _, err = photosPrinted(ctx, printer, photo, fewPhotos); err != nil {
		return nil, err
	}
	found.many, found.took, found.size, err = photosPrinted(ctx, printer, photo, manyPhotos)

	return found, err
}

// round prints an invoice in turns: as PDF, as HTML, and its lines as bare cells.
func (p *printedPaper) round(ctx context.Context, printer *paper.Printer, seconds float64) error {
	doc := benchInvoice(p.lines)
	for _, one := range []struct {
		times *[]float64
		print func() error
	}{
		{&p.pdf, func() error {
			file, _, err := printer.PDF(ctx, doc)
			p.size = len(file)

			return err
		}},
		{&p.html, func() error {
			_, _, err := printer.HTML(ctx, doc)

			return err
		}},
		{&p.bare, func() error { return bareCells(p.lines) }},
	} {
		runtime.GC()
		n, begin := 0, time.Now()
		for ; n < 3 || time.Since(begin).Seconds() < seconds; n++ {
			if err := one.print(); err != nil {
				return err
			}
		}
		*one.times = append(*one.times, time.Since(begin).Seconds()/float64(n))
	}

	return nil
}

// invoiceRow is a line of the invoices.
func invoiceRow(i int) []string {
	return []string{fmt.Sprintf("Transport of a 2021 Ford F-150, Dallas to Miami (L-2026-%05d)", i), "Dec 5, 2026", "1", "$1,850.00", "$1,850.00"}
}

// benchInvoice is an invoice of so many lines.
func benchInvoice(lines int) paper.Paper {
	table := paper.Table{Columns: []paper.Column{
		{Title: "Description", Weight: 5}, {Title: "Delivered", Weight: 1.4}, {Title: "Qty", Weight: 0.6}, {Title: "Price", Weight: 1.3}, {Title: "Amount", Weight: 1.5},
	}}
	for i := range lines {
		table.Rows = append(table.Rows, paper.Row{Cells: invoiceRow(i)})
	}

	return paper.Paper{
		Head: paper.Head{Name: "Acme Auto Transport LLC", Lines: []string{"1 Main Street", "Dallas, TX 75201"}}, Title: "Invoice", Number: "INV-2026-00031",
		Blocks: []paper.Block{
			paper.Parties{{Label: "Bill to", Name: "Sunrise Motors", Lines: []string{"88 Biscayne Boulevard", "Miami, FL 33132"}}},
			table,
			paper.Amounts{{Label: "Net", Value: "$1,850.00"}, {Label: "Total", Value: "$1,850.00", Strong: true}},
		},
	}
}

// bareCells writes the lines of an invoice with the library alone, in the same two fonts.
func bareCells(lines int) error {
	pdf := fpdf.New("P", "mm", "Letter", "")
	pdf.AddUTF8FontFromBytes("text", "", liberationsansregular.TTF)
	pdf.AddUTF8FontFromBytes("text", "B", liberationsansbold.TTF)
	pdf.AddPage()
	widths := []float64{90, 28, 14, 28, 30}
	row := func(cells []string) {
		for i, cell := range cells {
			end := 0
			if i == len(cells)-1 {
				end = 1
			}
			pdf.CellFormat(widths[i], 5, cell, "B", end, "L", false, 0, "")
		}
	}
	pdf.SetFont("text", "B", 9)
	row([]string{"Description", "Delivered", "Qty", "Price", "Amount"})
	pdf.SetFont("text", "", 9)
	for i := range lines {
		row(invoiceRow(i))
	}

	return pdf.Output(io.Discard)
}

// benchPhoto is a photo as phones take them, of twelve million pixels.
func benchPhoto() ([]byte, error) {
	const wide, high = 4032, 3024
	m := image.NewYCbCr(image.Rect(0, 0, wide, high), image.YCbCrSubsampleRatio420)
	for y := range high {
		for x := range wide {
			m.Y[m.YOffset(x, y)] = uint8((x ^ y) & 0xff)
		}
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = color.Gray{Y: 128}.Y, color.Gray{Y: 128}.Y
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 50})

	return out.Bytes(), err
}

// photosPrinted prints a bill of lading with so many photos. It returns the highest memory of the heap meanwhile, above what it was before.
func photosPrinted(ctx context.Context, printer *paper.Printer, photo []byte, photos int) (highest int64, each time.Duration, size int, err error) {
	items := make([]paper.Photo, photos)
	for i := range items {
		items[i] = paper.Photo{Caption: fmt.Sprintf("Photo %d", i), Picture: paper.Picture{
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(photo)), nil },
		}}
	}
	const usual = 100
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	watched, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		const often = 5 * time.Millisecond
		tick := time.NewTicker(often)
		defer tick.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-tick.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				highest = max(highest, int64(now.HeapInuse)-int64(before.HeapInuse)) //nolint:gosec // far below 2^63
			}
		}
	})
	begin := time.Now()
	file, _, err := printer.PDF(ctx, paper.Paper{Title: "Bill of lading", Blocks: []paper.Block{paper.Photos{Title: "Photos", Items: items}}})
	took := time.Since(begin)
	stop()
	watcher.Wait()

	return highest, took / time.Duration(photos), len(file), err
}
