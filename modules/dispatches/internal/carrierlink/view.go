package carrierlink

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/remark"
)

// View shows carriers what they were offered, or have.
type View struct {
	brands     companiesapi.Brands
	settings   *preferences.Reader
	offers     *OfferView
	dispatches *DispatchView
}

// NewView returns a View.
func NewView(brands companiesapi.Brands, kept *preferences.Reader, o *OfferView, d *DispatchView) *View {
	return &View{brands, kept, o, d}
}

// show is what a carrier sees.
func (v *View) show(ctx context.Context, e Entry, problem string) (*sheetOutput, error) {
	brand, err := v.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	terms, err := v.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	p := carrierPage{
		Brand:  page.Brand(brand),
		Broker: brokerShown{terms.USDOT, terms.Docket, terms.Phone},
		Terms:  terms.Terms, Reasons: []preferences.Reason{}, Notes: []string{}, Warnings: []store.Warning{}, Load: rawjson.Object("{}"), Problem: problem,
	}
	if e.Offer != nil {
		p.Offer = showOffer(*e.Offer, e.At)
	}
	if e.Dispatch != nil {
		p.Reasons = carrierReasons(terms.EndReasons)
		err = v.dispatches.add(ctx, &p, *e.Dispatch)
	} else {
		err = v.offers.add(ctx, &p, *e.Offer)
	}
	if errors.Is(err, loadsapi.ErrNotFound) {
		err = nil
	}

	return &sheetOutput{p}, err
}

// carrierReasons are the reasons for which a carrier gives a load back.
func carrierReasons(all []preferences.Reason) []preferences.Reason {
	reasons := []preferences.Reason{}
	for _, r := range all {
		if r.Responsible != store.Broker {
			reasons = append(reasons, r)
		}
	}

	return reasons
}

// OfferView shows carriers what they were offered.
type OfferView struct {
	views *offers.Views
	loads loadsapi.Standings
	gate  *proof.Gate
}

// NewOfferView returns an OfferView.
func NewOfferView(v *offers.Views, loads loadsapi.Standings, g *proof.Gate) *OfferView {
	return &OfferView{v, loads, g}
}

// add adds the load of an offer to a page while it can be answered: for the current amount, with the payments that are agreed on with it.
func (v *OfferView) add(ctx context.Context, p *carrierPage, o store.Offer) error {
	if o.IsOpen() {
		load, err := v.loads.Standing(ctx, o.Load.String())
		if err := store.IgnoreRefusal(err); err != nil {
			return err
		}
		if store.IsCarried(load) { // the offer ends in a moment
			p.Offer.State, p.Offer.YourTurn = store.Superseded, false
		}
	}
	if p.Offer.State != store.Offered && p.Offer.State != store.Countered {
		return nil
	}
	seen, err := v.views.Now().Load(ctx, o)
	if err != nil {
		return err
	}
	p.Load = rawjson.Object(seen.JSON)
	p.Warnings = append(p.Warnings, store.WarningsOf(loadsapi.Standing{AvailableFrom: seen.Load.AvailableFrom}, o.PickupDate)...)
	facts, err := loadview.FactsOf(seen.JSON, o.Terms(p.Terms))
	if err != nil {
		return err
	}
	p.Offer.Key = facts.Key()
	if p.Offer.Changes = append(p.Offer.Changes, o.ChangesSinceAnswer()...); o.ShownKey != "" {
		p.Offer.Changes = append(p.Offer.Changes, facts.ChangesFrom(o.Shown.V)...)
	}
	p.Proof, err = v.gate.Demand(ctx, o)

	return err
}

// DispatchView shows carriers the loads that they have.
type DispatchView struct {
	views loadsapi.Views
	notes *remark.Reader
	hooks *hook.Bus
}

// NewDispatchView returns a DispatchView.
func NewDispatchView(views loadsapi.Views, notes *remark.Reader, hooks *hook.Bus) *DispatchView {
	return &DispatchView{views, notes, hooks}
}

// add adds a dispatch to a page, and its load while the carrier has it.
func (v *DispatchView) add(ctx context.Context, p *carrierPage, row store.Dispatch) error {
	p.Dispatch, p.Terms = showDispatch(row), row.Terms
	if !row.IsLive() {
		return nil
	}
	seen, err := v.views.Carrier(ctx, row.Load.String())
	if err != nil {
		return err
	}
	p.Load = rawjson.Object(seen.JSON)
	if row.State == store.Assigned {
		p.Warnings = append(p.Warnings, store.WarningsOf(loadsapi.Standing{AvailableFrom: seen.Load.AvailableFrom}, row.PickupDate)...)
	}
	p.Inspect = hook.HasListeners[dispatchesapi.LinkingDriver](v.hooks)
	p.Notes, err = v.notes.About(ctx, item.Ref{Type: loadsapi.Load, UUID: row.Load}, store.Carrier)

	return err
}

type readSheetInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

type sheetOutput struct{ Body carrierPage }

// Sheets are the pages of carriers.
type Sheets struct {
	door *Door
	view *View
}

// NewSheets returns Sheets.
func NewSheets(d *Door, v *View) *Sheets { return &Sheets{d, v} }

func (s *Sheets) read(ctx context.Context, in *readSheetInput) (*sheetOutput, error) {
	ctx, e, err := s.door.Enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return s.view.show(ctx, e, in.Problem)
}

// again shows what a link leads to after an answer.
func (s *Sheets) again(ctx context.Context, text string, err error) (*sheetOutput, error) {
	if err != nil {
		return nil, err
	}

	return s.read(ctx, &readSheetInput{Link: text})
}
