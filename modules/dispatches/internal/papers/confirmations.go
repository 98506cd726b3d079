package papers

import (
	"cmp"
	"context"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Confirmations reads what is on rate confirmations.
type Confirmations struct {
	dispatches *resource.Resource[store.Dispatch]
	brands     companiesapi.Brands
	settings   *preferences.Reader
	carriers   carriersapi.Carriers
	loads      loadsapi.Standings
}

// NewConfirmations returns Confirmations.
func NewConfirmations(
	dispatches *resource.Resource[store.Dispatch], brands companiesapi.Brands, kept *preferences.Reader, carriers carriersapi.Carriers,
	loads loadsapi.Standings,
) *Confirmations {
	return &Confirmations{dispatches, brands, kept, carriers, loads}
}

// Model is the rate confirmation of the current revision of a dispatch.
func (p *Confirmations) Model(ctx context.Context, of item.Ref, o document.Options) (document.Model, error) {
	row, err := p.dispatches.Find(ctx, of.UUID)
	if err != nil {
		return document.Model{}, err
	}
	c := confirmation{row: row, scan: o.Scan}
	brand, err := p.brands.Brand(ctx)
	if err != nil {
		return document.Model{}, err
	}
	company, err := p.brands.Identity(ctx)
	if err != nil {
		return document.Model{}, err
	}
	terms, err := p.settings.Read(ctx)
	if err != nil {
		return document.Model{}, err
	}
	known, err := p.carriers.Find(ctx, row.Carrier.String())
	if err != nil {
		return document.Model{}, err
	}
	load, err := p.loads.Standing(ctx, row.Load.String())
	if err := store.IgnoreRefusal(err); err != nil {
		return document.Model{}, err
	}
	c.carrier, c.load, c.phone = known[row.Carrier.String()], load.Number, terms.Phone
	c.broker = companiesapi.Identity{
		LegalName: cmp.Or(company.LegalName, brand.Name), DBA: company.DBA, Address: company.Address,
		USDOT: terms.USDOT, Docket: terms.Docket,
	}

	return c.model()
}

// confirmationOf is the rate confirmation of a dispatch as one of its papers.
func confirmationOf(row store.Dispatch) document.Paper {
	p := document.Paper{
		Kind: Confirmation, Title: "Rate confirmation " + row.Number + ", revision " + strconv.FormatInt(row.Revision, 10), CreatedAt: row.CreatedAt,
		Visibility: document.Carrier, Carrier: row.Carrier.String(), Of: itemOf(row),
		Path: messages.BasePath + "/dispatches/" + row.ID.String() + "/rate_confirmation",
	}
	if row.AcceptedAt != nil {
		p.CreatedAt = *row.AcceptedAt
	}

	return p
}

func itemOf(row store.Dispatch) item.Ref { return item.Ref{Type: dispatchesapi.Dispatch, UUID: row.ID} }
