// Package printing prints bills of lading as PDF.
package printing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/page"
	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// MediaPDF is the media type of the PDF.
const MediaPDF = "application/pdf"

// Printer prints bills of lading as PDF.
type Printer struct {
	reports   *report.Reader
	rows      *store.Repository
	brands    companiesapi.Brands
	standings loadsapi.Standings
}

// NewPrinter returns a Printer.
func NewPrinter(r *report.Reader, rows *store.Repository, b companiesapi.Brands, c loadsapi.Standings) *Printer {
	return &Printer{r, rows, b, c}
}

// printed is what is printed of a bill of lading.
type printed struct {
	bill    store.Bol
	report  report.Report
	photos  []store.Photo
	broker  string
	company companiesapi.Identity
	// load is the number of the load, "" for one that was deleted.
	load string
}

// Print prints a bill of lading. The same content is printed to the same bytes. Its QR code leads to the address scan; "" for no code.
func (k *Printer) Print(ctx context.Context, b store.Bol, scan string) ([]byte, error) {
	of := printed{bill: b}
	var err error
	if of.report, err = k.reports.Read(ctx, b); err != nil {
		return nil, err
	}
	if of.photos, err = k.rows.PhotosOf(ctx, b.ID); err != nil {
		return nil, err
	}
	brand, err := k.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	if of.company, err = k.brands.Identity(ctx); err != nil {
		return nil, err
	}
	of.broker = cmp.Or(of.company.LegalName, brand.Name)
	load, err := k.standings.Standing(ctx, b.Load.String())
	if err != nil && !errors.Is(err, loadsapi.ErrNotFound) {
		return nil, err
	}
	of.load = load.Number

	return paper.Print(of.document(scan))
}

// document is the paper: the fields of 49 CFR 373.101, the vehicles as they were found at both stages, the signatures with their times, what was
// amended, the photos with their checksums, and the terms.
func (of printed) document(scan string) paper.Document {
	origin := page.Zone(of.bill.Zone(store.AtPickup))
	d := paper.Document{
		Title: "Bill of lading", Number: of.bill.Number, Date: of.bill.CreatedAt.In(origin).Format("January 2, 2006"), Created: of.bill.CreatedAt,
		Scan: scan, ScanText: "Read the current bill of lading, with its photos where the company shows them.",
		Facts: []paper.Fact{
			{Name: "Broker", Text: below(append(append([]string{of.broker}, of.company.Address...), labeled("USDOT ", of.company.USDOT), of.company.Docket)...)},
			{Name: "Load", Text: of.load},
			{Name: "Carrier", Text: below(of.report.Carrier.Name, labeled("USDOT ", of.report.Carrier.USDOT), of.report.Carrier.Docket)},
			{Name: "Consignor (origin)", Text: of.report.Consignor.Text()},
			{Name: "Consignee (destination)", Text: of.report.Consignee.Text()},
			{Name: "Number of vehicles", Text: strconv.Itoa(len(of.report.Vehicles))},
		},
	}
	for i, v := range of.report.Vehicles {
		name := "Vehicle " + strconv.Itoa(i+1) + ": " + v.Vehicle.Text()
		d.Columns = append(d.Columns, paper.Columns{Name: name, Left: found("At the pickup", v.Pickup), Right: found("At the delivery", v.Delivery)})
	}
	for _, one := range of.report.Signatures {
		name := map[store.Stage]string{store.AtPickup: "Pickup", store.AtDelivery: "Delivery"}[one.Stage]
		d.Signatures = append(d.Signatures, paper.Signature{Name: name, Text: one.Text() + "\n" + one.Statement, Strokes: one.Strokes})
	}
	for _, a := range of.report.Amendments {
		d.Last = append(d.Last, paper.Fact{Name: "Amended on " + page.Moment(a.At, origin), Text: a.Text + "\nWhy: " + a.Reason})
	}
	if index := photoIndex(of.bill, of.photos); index != "" {
		d.Last = append(d.Last, paper.Fact{Name: "Photos, with the SHA-256 of each file", Text: index})
	}
	if of.report.Terms != "" {
		d.Last = append(d.Last, paper.Fact{Name: "Terms", Text: of.report.Terms})
	}

	return d
}

// photoIndex lists the photos of a bill of lading, so that each can be proved to be the one that was taken.
func photoIndex(b store.Bol, photos []store.Photo) string {
	var all []string
	for _, p := range photos {
		car, err := b.Vehicle(p.Vehicle)
		if err != nil {
			continue
		}
		text := string(p.Stage) + ", " + car.Text() + ", " + strings.ReplaceAll(p.Subject, "_", " ")
		if p.TakenAt != nil {
			text += ", " + page.Moment(*p.TakenAt, page.Zone(b.Zone(p.Stage)))
		}
		all = append(all, text+"\n"+p.SHA256)
	}

	return strings.Join(all, "\n")
}

func found(title string, i *report.Inspection) string {
	lines := append([]string{title}, i.Lines()...)
	if i == nil {
		lines = append(lines, "Not inspected yet")
	}

	return strings.Join(lines, "\n")
}

// below are texts below each other, without empty ones.
func below(texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }), "\n")
}

func labeled(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}

// Download is the response with the PDF of a bill of lading.
func (k *Printer) Download(ctx context.Context, b store.Bol) (*stream.Stream, error) {
	file, err := k.Print(ctx, b, "")
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(MediaPDF, bytes.NewReader(file)).Attachment(b.Number + ".pdf").Sized(int64(len(file))), nil
}

// Downloads are the PDFs that the company asks for.
type Downloads struct {
	printer *Printer
	bols    *resource.Resource[store.Bol]
}

// NewDownloads returns Downloads.
func NewDownloads(p *Printer, bols *resource.Resource[store.Bol]) *Downloads {
	return &Downloads{p, bols}
}

type pdfInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// PrintRoutes are the company's operations on the PDF.
func PrintRoutes(r *web.Router, k *Downloads) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/pdf", ID: "download_bol", Access: web.Read, Summary: "Download a bill of lading as PDF",
		Description: "The current state: the vehicles, what was found at the pickup and at the delivery, the signatures, and what was amended.",
		Errors:      []*errs.Error{k.bols.NotFound()}, Produces: []string{MediaPDF},
	}, func(ctx context.Context, in *pdfInput) (*stream.Stream, error) {
		b, err := k.bols.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}

		return k.printer.Download(ctx, b)
	})
}
