package driverlink

import (
	"cmp"
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

// driverPage is what a driver reads by the link.
type driverPage struct {
	Brand   page.Brand      `json:"brand"`
	Number  string          `json:"load_number" doc:"Of the load; of a trip for the link of one."`
	Loads   []drivenLoad    `json:"loads" nullable:"false" doc:"Where the vehicles are picked up and delivered, and what the driver has to know."`
	BOLs    []report.Report `json:"bols" nullable:"false"`
	Problem string          `json:"problem" doc:"The problem of the query, for the page."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (driverPage) SchemaName() string { return "DriverPage" }

type linkInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

type driverOutput struct{ Body driverPage }

// Reader reads what drivers see by their links.
type Reader struct {
	entrance *Entrance
	loads    *Loads
	reports  *report.Reader
	brands   companiesapi.Brands
}

// NewReader returns a Reader.
func NewReader(e *Entrance, l *Loads, r *report.Reader, b companiesapi.Brands) *Reader {
	return &Reader{e, l, r, b}
}

// refusals are the failures of a driver's link.
func refusals() []*errs.Error { return append([]*errs.Error{store.ErrLinkClosed}, link.Refusals...) }

// ReadRoutes are the operations that read by a driver's link.
func ReadRoutes(r *web.Router, d *Reader) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/driver/{link}", ID: "read_driver_page", Access: web.Public, Summary: "Read the bills of lading of a load by a driver's link",
		Description: "Reading changes nothing. With Accept: text/html, the response is a page.", Errors: refusals(), Page: newPages().face.Page,
	}, d.read)
}

func (d *Reader) read(ctx context.Context, in *linkInput) (*driverOutput, error) {
	ctx, h, err := d.entrance.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	brand, err := d.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	p := driverPage{
		Brand: page.Brand(brand), Loads: []drivenLoad{}, BOLs: []report.Report{}, Number: h.number, Problem: in.Problem,
	}
	for _, load := range h.loads() {
		l, err := d.loads.of(ctx, load)
		if err != nil {
			return nil, err
		}
		p.Number = cmp.Or(p.Number, l.Number)
		p.Loads = append(p.Loads, l)
	}
	for _, b := range h.bols {
		s, err := d.reports.Read(ctx, b)
		if err != nil {
			return nil, err
		}
		p.BOLs = append(p.BOLs, s)
	}

	return &driverOutput{p}, nil
}
