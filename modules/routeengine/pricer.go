package routeengine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/pricing"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// pricer prices transports by the formula that counts.
type pricer struct {
	router   *router
	formulas *formulas
	rows     *resource.Resource[priceFormula]
	hooks    *hook.Bus
	db       *database.DB
}

func newPricer(r *router, f *formulas, rows *resource.Resource[priceFormula], hooks *hook.Bus, db *database.DB) *pricer {
	return &pricer{router: r, formulas: f, rows: rows, hooks: hooks, db: db}
}

// price prices a transport by the formula that counts.
func (p *pricer) price(ctx context.Context, t routeengineapi.Transport) (routeengineapi.Price, error) {
	way, err := p.way(ctx, t, func(i int) string { return fmt.Sprintf("stops.%d", i) })
	if err != nil {
		return routeengineapi.Price{}, err
	}
	formula, err := p.formulas.current(ctx)
	if err != nil {
		return routeengineapi.Price{}, err
	}
	made, err := p.apply(ctx, formula, way)
	if err != nil {
		return routeengineapi.Price{}, err
	}

	return priceOf(formula, made)
}

// way is a transport whose miles are known.
type way struct {
	route route
	input pricing.Transport
}

// way finds the route of a transport. Field names a stop in refusals.
func (p *pricer) way(ctx context.Context, t routeengineapi.Transport, field func(i int) string) (way, error) {
	if len(t.Vehicles) == 0 {
		return way{}, routeengineapi.ErrFormulaFailed.WithDetail("reason", "there is no vehicle")
	}
	asked := make([]stop, len(t.Stops))
	for i, s := range t.Stops {
		asked[i] = stop{ZIP: s.ZIP, PlaceID: s.PlaceID, City: s.City, State: s.State, Lat: s.Lat, Lng: s.Lng}
	}
	stops, found, err := p.router.over(ctx, asked, vendors.CarHauler, field)
	if err != nil {
		return way{}, err
	}
	in := pricing.Transport{
		Miles: strconv.FormatFloat(found.Miles, 'f', -1, 64), Estimated: found.Accuracy != measured, Type: t.Type, Expedited: t.Expedited,
	}
	first, last := stops[0], stops[len(stops)-1]
	in.OriginState, in.DestState = first.State, last.State
	for _, end := range []struct {
		of   place
		zip3 *string
	}{{first, &in.OriginZIP3}, {last, &in.DestZIP3}} {
		if end.of.ZIP == nil {
			continue
		}
		zone := places.ZoneOf(end.of.land)
		if *end.zip3 = zone.Prefix; pricing.Remote(zone.ZIPs) {
			in.RemoteEnds++
		}
	}
	if err := p.when(ctx, &in, t.AvailableFrom); err != nil {
		return way{}, err
	}
	for _, c := range t.Vehicles {
		in.Cars = append(in.Cars, pricing.Car{Name: c.Name, Type: c.Type, Size: cmp.Or(c.Size, routeengineapi.SizeOf(c.Type)), Operable: c.Operable, Modified: c.Modified})
	}

	return way{found, in}, nil
}

// when fills in how soon a transport begins, by the days of the company.
func (p *pricer) when(ctx context.Context, in *pricing.Transport, day string) error {
	from, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil //nolint:nilerr // it is not known
	}
	today, err := p.rows.Today(ctx)
	if err != nil {
		return err
	}
	now, err := time.Parse(time.DateOnly, string(today))
	if err != nil {
		return err
	}
	const hours = 24
	days, month := max(0, int64(from.Sub(now).Hours()/hours)), int64(from.Month())
	in.AvailableDays, in.Month = &days, &month

	return nil
}

// apply prices a transport by a formula, with what areas know of its lane.
func (p *pricer) apply(ctx context.Context, f priceFormula, w way) (pricing.Price, error) {
	lane := routeengineapi.LanePricing{OriginZIP3: w.input.OriginZIP3, DestinationZIP3: w.input.DestZIP3, Currency: string(f.Currency)}
	if lane.OriginZIP3 != "" && lane.DestinationZIP3 != "" {
		if err := p.db.InTx(ctx, func(ctx context.Context) error { return hook.Run(ctx, p.hooks, &lane) }); err != nil {
			return pricing.Price{}, err
		}
		w.input.Lane = pricing.Lane{Loads: lane.Loads, P25: lane.P25, P50: lane.P50, P75: lane.P75}
	}

	return reckon(f, w.input)
}

// reckon prices a transport by a formula.
func reckon(f priceFormula, t pricing.Transport) (pricing.Price, error) {
	c, err := f.compile()
	if err != nil {
		return pricing.Price{}, err
	}
	made, err := c.Apply(t, f.Currency)
	if failed, is := errors.AsType[*pricing.FactorError](err); is {
		return made, routeengineapi.ErrFormulaFailed.WithDetail("factor", failed.Factor).WithDetail("reason", failed.Reason)
	}

	return made, err
}

// priceOf is a price as other areas see it.
func priceOf(f priceFormula, made pricing.Price) (routeengineapi.Price, error) {
	name := f.called()
	explained, err := made.Explain(name)
	out := routeengineapi.Price{
		Formula: name.UUID, Version: name.Version, ContextHash: made.Hash, Currency: string(f.Currency), CarrierPay: string(made.CarrierPay),
		BrokerFee: string(made.BrokerFee), Tariff: string(made.Tariff), Deposit: string(made.BrokerFee), Confidence: made.Confidence, Warnings: made.Warnings,
		Explanation: explained,
	}
	for _, c := range made.Cars {
		out.Cars = append(out.Cars, routeengineapi.CarPrice{CarrierPay: string(c.CarrierPay), BrokerFee: string(c.BrokerFee), Tariff: string(c.Tariff)})
	}
	for _, o := range made.Options {
		out.Options = append(out.Options, routeengineapi.Option{Key: o.Key, Label: o.Label, Tariff: string(o.Tariff)})
	}

	return out, err
}

// called is how explanations name a formula.
func (f priceFormula) called() pricing.FormulaName {
	if f.Revision == 0 {
		return pricing.FormulaName{}
	}

	return pricing.FormulaName{UUID: f.ID.String(), Version: f.Revision}
}

// trial is a sample transport by two formulas.
type trial struct {
	Sample string       `json:"sample"`
	Miles  float64      `json:"miles"`
	Now    money.Amount `json:"now" doc:"The tariff by the formula that counts."`
	Then   money.Amount `json:"then" doc:"The tariff by this formula."`
	Change money.Amount `json:"change"`
}

// SchemaName implements web.SchemaNamer.
func (trial) SchemaName() string { return "FormulaTrial" }

// try prices the sample transports by a formula and by the one that counts. Own history does not come into it, so that the difference is that
// of the formulas. Error: route_engine.formula_failed, which names the sample.
func (p *pricer) try(ctx context.Context, f priceFormula) ([]trial, error) {
	now, err := p.formulas.current(ctx)
	if err != nil {
		return nil, err
	}
	all := []trial{}
	for _, s := range pricing.Samples() {
		t := routeengineapi.Transport{Stops: []routeengineapi.Stop{{ZIP: s.From}, {ZIP: s.To}}, Type: s.Type, Expedited: s.Expedited}
		for _, c := range s.Cars {
			t.Vehicles = append(t.Vehicles, routeengineapi.Car{Name: c.Name, Type: c.Type, Operable: c.Operable, Modified: c.Modified})
		}
		w, err := p.way(ctx, t, func(i int) string { return fmt.Sprintf("stops.%d", i) })
		if err != nil {
			return nil, fmt.Errorf("sample %q: %w", s.Name, err)
		}
		then, err := reckon(f, w.input)
		if failed, is := errors.AsType[*errs.Error](err); is {
			return nil, failed.WithDetail("sample", s.Name)
		}
		if err != nil {
			return nil, err
		}
		one := trial{Sample: s.Name, Miles: w.route.Miles, Then: then.Tariff}
		if was, err := reckon(now, w.input); err == nil && now.Currency == f.Currency {
			one.Now = was.Tariff
			change, err := money.Money{Amount: then.Tariff, Currency: f.Currency}.Sub(money.Money{Amount: was.Tariff, Currency: f.Currency})
			if err != nil {
				return nil, err
			}
			one.Change = change.Amount
		}
		all = append(all, one)
	}

	return all, nil
}
