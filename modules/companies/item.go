package companies

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/brand"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// ownItem is the caller's company as an item.
type ownItem struct {
	identity *identity.Service
	brands   *brand.Desk
}

func newOwnItem(who *identity.Service, brands *brand.Desk) *ownItem {
	return &ownItem{identity: who, brands: brands}
}

// ownCompany returns the caller's company, if it is among the ids: a company has one item of its type, itself. It is for what
// documents say of who sends them.
func (s *ownItem) ownCompany(ctx context.Context, ids []uuid.UUID) (company identity.Company, asked bool, err error) {
	who, _ := principal.From(ctx)
	if who.Company == uuid.Nil || !slices.Contains(ids, who.Company) {
		return company, false, nil
	}
	company, err = s.identity.Company(ctx, who.Company)

	return company, err == nil, err
}

func (s *ownItem) describeCompanies(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	company, asked, err := s.ownCompany(ctx, ids)
	if err != nil || !asked {
		return nil, err
	}

	return map[uuid.UUID]item.Description{company.ID: {Title: company.Name}}, nil
}

func (s *ownItem) companyFields(context.Context, []string) (map[string][]item.Field, error) {
	return map[string][]item.Field{"": {
		{Key: "name", Label: "Name", Kind: kind.Text},
		{Key: "legal_name", Label: "Legal name", Kind: kind.Text},
		{Key: "dba", Label: "Doing business as", Kind: kind.Text},
		{Key: "usdot_number", Label: "USDOT number", Kind: kind.Text},
		{Key: "mc_number", Label: "MC number", Kind: kind.Text},
		{Key: "address", Label: "Address", Kind: kind.Object},
		{Key: "time_zone", Label: "Time zone", Kind: kind.Text},
		{Key: "currency", Label: "Currency", Kind: kind.Text},
		{Key: "brand_name", Label: "Name for customers", Kind: kind.Text},
		{Key: "domain", Label: "Domain", Kind: kind.Text},
		{Key: "from_address", Label: "Sender address of mail", Kind: kind.Text},
		{Key: "logo_url", Label: "Logo at another host", Kind: kind.Text},
		{Key: "logo", Label: "Path of the logo", Kind: kind.Text},
	}}, nil
}

func (s *ownItem) companyValues(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
	company, asked, err := s.ownCompany(ctx, ids)
	if err != nil || !asked {
		return nil, err
	}
	looks, err := s.brands.Now(ctx)
	if err != nil {
		return nil, err
	}
	values := item.Values{}
	for key, value := range map[string]any{
		"name": company.Name, "legal_name": company.LegalName, "dba": company.DBA, "usdot_number": company.USDOTNumber,
		"mc_number": company.MCNumber, "address": company.Address, "time_zone": company.TimeZone, "currency": company.Currency,
		"brand_name": looks.Name, "domain": looks.Domain, "from_address": looks.FromAddress, "logo_url": looks.LogoURL, "logo": looks.Logo.PathOf(company.ID),
	} {
		if len(keys) > 0 && !slices.Contains(keys, key) || value == "" {
			continue
		}
		if values[key], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}

	return map[uuid.UUID]item.Values{company.ID: values}, nil
}
