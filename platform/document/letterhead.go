package document

import (
	"bytes"
	"cmp"
	"context"
	"io"

	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Letterhead is who issues papers. All but the name may be empty.
type Letterhead struct {
	// Name is the legal name, DBA another that the company does business as.
	Name, DBA string
	// Address are its lines. Country is a code of ISO 3166-1 of two letters, by which the size of the paper is chosen.
	Address               []string
	Country               string
	Phone, Email, Website string
	// Docket has its prefix: MC-123456.
	USDOT, Docket, TaxID string
	// Remit says where and how to pay. Footer stands at the foot of every page.
	Remit, Footer string
	// Color is #rrggbb. Logo is a PNG or JPEG.
	Color string
	Logo  []byte
}

// Letterheads has the letterheads of companies. An area provides it with port.Provides; without one, papers have the company's name.
type Letterheads interface {
	// Letterhead returns that of the caller's company.
	Letterhead(ctx context.Context) (Letterhead, error)
}

// head is how the letterhead is printed.
func (l Letterhead) head() paper.Head {
	h := paper.Head{
		Name: l.Name, Lines: l.Address, Phone: l.Phone, Email: l.Email, Website: l.Website, USDOT: l.USDOT, Docket: l.Docket, TaxID: l.TaxID, Color: l.Color,
	}
	if l.DBA != "" && l.DBA != l.Name {
		h.Lines = append([]string{"doing business as " + l.DBA}, l.Address...)
	}
	if len(l.Logo) > 0 {
		h.Logo = paper.Picture{Alt: cmp.Or(l.DBA, l.Name), Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(l.Logo)), nil
		}}
	}

	return h
}

// Letterhead returns the letterhead of the caller's company.
func (p *Printer) Letterhead(ctx context.Context) (Letterhead, error) {
	from, err := provided[Letterheads](ctx, p.ports)
	if err != nil {
		return Letterhead{}, err
	}
	if from != nil {
		return from.Letterhead(ctx)
	}
	company, err := p.companies.Company(ctx, principal.CompanyOf(ctx))

	return Letterhead{Name: company.Name}, err
}
