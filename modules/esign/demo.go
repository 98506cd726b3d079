package esign

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// What the demo company has, has the same ids everywhere, so that a request from the documentation works as it stands.
const (
	demoAccount  = "0190d0c0-0000-7000-8000-000000000501"
	demoMapping  = "0190d0c0-0000-7000-8000-000000000502"
	demoVehicles = "0190d0c0-0000-7000-8000-000000000101" // the module of custom_modules
)

// seedDemo gives the demo company an account at the sandbox with its templates, a mapping from its vehicles, if it has
// any, and a draft.
func seedDemo(ctx context.Context, s *demoSeeds) error {
	bill, err := s.account.seed(ctx)
	if err != nil {
		return err
	}

	return s.papers.seed(ctx, bill)
}

// demoSeeds are what the demo company has.
type demoSeeds struct {
	account *demoAccountSeed
	papers  *demoPapersSeed
}

func newDemoSeeds(a *demoAccountSeed, p *demoPapersSeed) *demoSeeds {
	return &demoSeeds{account: a, papers: p}
}

// demoAccountSeed makes the account, and its templates.
type demoAccountSeed struct {
	store     *store.Repository
	accounts  *accounts.Service
	vendors   *accounts.Vendors
	templates *templates.Service
}

func newDemoAccountSeed(r *store.Repository, a *accounts.Service, v *accounts.Vendors, t *templates.Service) *demoAccountSeed {
	return &demoAccountSeed{store: r, accounts: a, vendors: v, templates: t}
}

// seed makes them, and returns the template of bills of lading.
func (s *demoAccountSeed) seed(ctx context.Context) (bill store.Template, err error) {
	row, signs, err := s.accounts.Prepare(ctx, uuid.MustParse(demoAccount), accounts.NewAccount{
		Name: "Sandbox", Provider: sandbox.Name, Environment: sandbox.Name,
	})
	if err != nil {
		return bill, err
	}
	if err := s.vendors.Accounts.Create(ctx, &row, func(ctx context.Context) error { return s.store.Insert(ctx, signs) }); err != nil {
		return bill, err
	}
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return bill, err
	}
	for _, id := range []string{sandbox.BillOfLading, sandbox.TransportAgreement} {
		t, err := open.Template(ctx, id)
		if err != nil {
			return bill, err
		}
		if err := s.templates.SaveTemplate(ctx, row.ID, t); err != nil {
			return bill, err
		}
	}

	return s.store.HeldTemplateOf(ctx, row.ID, sandbox.BillOfLading)
}

// demoPapersSeed makes a mapping, and a draft.
type demoPapersSeed struct {
	store    *store.Repository
	mappings *templates.Mappings
	drafts   *envelopes.Drafts
	clock    clock.Clock
}

func newDemoPapersSeed(r *store.Repository, m *templates.Mappings, d *envelopes.Drafts, c clock.Clock) *demoPapersSeed {
	return &demoPapersSeed{store: r, mappings: m, drafts: d, clock: c}
}

func (s *demoPapersSeed) seed(ctx context.Context, bill store.Template) error {
	if err := s.seedMapping(ctx, bill.ID); err != nil {
		return err
	}
	_, err := s.drafts.Create(ctx, envelopes.Draft{Template: bill.ID, Source: "demo", Recipients: []envelopes.RecipientDraft{
		{Role: "Shipper", Name: "Ann Smith", Email: "ann@example.org", Embedded: true, Tabs: map[string]string{"load_number": "1024"}},
		{Role: "Carrier", Name: "Bob Jones", Email: "bob@example.org"},
	}}, true)

	return err
}

// seedMapping fills bills of lading from the demo company's vehicles. Where there are none, there is no mapping.
func (s *demoPapersSeed) seedMapping(ctx context.Context, bill uuid.UUID) error {
	now := s.clock.Now()
	m := store.Mapping{
		Row:        resource.Row{ID: uuid.MustParse(demoMapping), Version: 1, CreatedAt: now, UpdatedAt: now},
		TemplateID: bill, Name: "Vehicle to bill of lading", ItemType: "custom_modules.record", ItemPart: new(demoVehicles),
		Rules: resource.JSON[[]fill.Rule]{V: []fill.Rule{
			{Role: "Shipper", Label: "vin", Field: "vin"},
			{Role: "Shipper", Label: "vehicle", Text: "{{ item.year }}, {{ item.price }} USD"},
			{Role: "Shipper", Label: "pickup_date", Field: "pickup_date", Format: &fill.Format{Date: "long"}},
			{Role: "Shipper", Label: "operable", Field: "operable"},
		}},
	}
	t, err := s.store.Template(ctx, bill)
	if err == nil {
		err = s.mappings.CheckMapping(ctx, &m, t, map[item.Class][]item.Field{})
	}
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.Invalid {
		return nil
	}
	if err != nil {
		return err
	}

	return s.store.Insert(ctx, &m)
}
