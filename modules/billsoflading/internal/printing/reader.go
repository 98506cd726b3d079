// Package printing has bills of lading, proofs of delivery and condition reports as papers.
package printing

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Reader reads what is printed of bills of lading.
type Reader struct {
	bols      *resource.Resource[store.Bol]
	reports   *report.Reader
	rows      *store.Repository
	brands    companiesapi.Brands
	standings loadsapi.Standings
}

// NewReader returns a Reader.
func NewReader(bols *resource.Resource[store.Bol], r *report.Reader, rows *store.Repository, b companiesapi.Brands, s loadsapi.Standings) *Reader {
	return &Reader{bols, r, rows, b, s}
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
	// scan is an address for a QR code, "" for none; open opens photos, nil for none.
	scan string
	open opener
}

// read reads a bill of lading with all that is printed of it.
func (k *Reader) read(ctx context.Context, id uuid.UUID) (of printed, err error) {
	b, err := k.bols.Find(ctx, id)
	if err != nil {
		return of, err
	}
	of.bill = b
	if of.report, err = k.reports.Read(ctx, b); err != nil {
		return of, err
	}
	if of.photos, err = k.rows.PhotosOf(ctx, b.ID); err != nil {
		return of, err
	}
	brand, err := k.brands.Brand(ctx)
	if err != nil {
		return of, err
	}
	if of.company, err = k.brands.Identity(ctx); err != nil {
		return of, err
	}
	of.broker = cmp.Or(of.company.LegalName, brand.Name)
	load, err := k.standings.Standing(ctx, b.Load.String())
	if errors.Is(err, loadsapi.ErrNotFound) {
		err = nil
	}
	of.load = load.Number

	return of, err
}
