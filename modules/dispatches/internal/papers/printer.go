package papers

import (
	"bytes"
	"cmp"
	"context"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

// Printer prints rate confirmations.
type Printer struct {
	brands   companiesapi.Brands
	settings *preferences.Reader
	carriers carriersapi.Carriers
	loads    loadsapi.Standings
}

// NewPrinter returns a Printer.
func NewPrinter(
	brands companiesapi.Brands, kept *preferences.Reader, carriers carriersapi.Carriers, loads loadsapi.Standings,
) *Printer {
	return &Printer{brands, kept, carriers, loads}
}

// print prints the current revision of a dispatch.
func (p *Printer) pdf(ctx context.Context, row store.Dispatch) (*stream.Stream, error) {
	c := confirmation{row: row}
	brand, err := p.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	company, err := p.brands.Identity(ctx)
	if err != nil {
		return nil, err
	}
	terms, err := p.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	known, err := p.carriers.Find(ctx, row.Carrier.String())
	if err != nil {
		return nil, err
	}
	load, err := p.loads.Standing(ctx, row.Load.String())
	if err := store.IgnoreRefusal(err); err != nil {
		return nil, err
	}
	c.carrier, c.load, c.phone = known[row.Carrier.String()], load.Number, terms.Phone
	c.broker = companiesapi.Identity{
		LegalName: cmp.Or(company.LegalName, brand.Name), DBA: company.DBA, Address: company.Address,
		USDOT: terms.USDOT, Docket: terms.Docket,
	}
	file, err := c.paper()
	if err != nil {
		return nil, err
	}
	name := "rate-confirmation-" + row.Number + "-" + strconv.FormatInt(row.Revision, 10) + ".pdf"

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment(name).Sized(int64(len(file))), nil
}
