package loads

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sales implements loadsapi.Sales.
type sales struct{ loads *resource.Resource[load] }

func newSales(loads *resource.Resource[load]) loadsapi.Sales { return sales{loads} }

// ForSale implements loadsapi.Sales.
func (s sales) ForSale(ctx context.Context, id string) (loadsapi.Snapshot, error) {
	l, err := held(ctx, s.loads, id)
	if err == nil {
		err = forSale(&l)
	}

	return l.snapshot(), err
}

// held returns a load by its id, and holds it until the transaction ends.
func held(ctx context.Context, rows *resource.Resource[load], id string) (load, error) {
	if err := rows.Hold(ctx, item.ID(id)); err != nil {
		return load{}, err
	}

	return rows.Find(ctx, item.ID(id))
}

func forSale(l *load) error {
	if !slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted}, l.State) {
		return loadsapi.ErrNotForSale.WithDetail("state", l.State)
	}

	return nil
}

// Quote implements loadsapi.Sales.
func (s sales) Quote(ctx context.Context, id string, p loadsapi.Prices) error {
	return s.sell(ctx, id, verbQuote, loadsapi.Sale{Prices: p, Note: "A quote was sent."})
}

// Sell implements loadsapi.Sales.
func (s sales) Sell(ctx context.Context, id string, of loadsapi.Sale) error {
	return s.sell(ctx, id, verbBook, of)
}

func (s sales) sell(ctx context.Context, id string, verb resource.Verb, of loadsapi.Sale) error {
	_, err := s.loads.Change(ctx, item.ID(id), web.IfMatch{}, verb, func(ctx context.Context, l *load) error {
		if err := forSale(l); err != nil {
			return err
		}
		if of.AvailableFrom != "" {
			l.AvailableFrom = field.Date(of.AvailableFrom)
		}
		if of.Expedited {
			l.promisePickup(of.Within)
		}
		if of.SignedBy != "" {
			l.Signing = &signing.Signature{Name: of.SignedBy, Method: signing.Link, Address: of.SignedFrom}
		}
		was := *l
		l.priceBy(of.Prices)
		if wrong := l.checkMoney(&was, l.checkVehicles(errInvalid)); len(wrong.Fields) > 0 { // the guard of the step looks at the totals
			return wrong
		}
		if err := l.followAll(); err != nil {
			return concealed(ctx, err)
		}
		l.count()

		return s.loads.Step(ctx, l, state.Move{Verb: string(verb), Reason: of.Note, Party: of.Party})
	})

	return err
}

// Written implements loadsapi.Sales.
func (s sales) Written(ctx context.Context, id string, all []loadsapi.Prices) ([][]loadsapi.Payment, error) {
	l, err := s.loads.Find(ctx, item.ID(id))
	if err != nil || !l.planWritten() {
		return nil, err
	}
	made := make([][]loadsapi.Payment, len(all))
	for i, prices := range all {
		priced := l
		priced.priceBy(prices)
		if wrong := priced.checkMoney(&l, priced.checkVehicles(errInvalid)); len(wrong.Fields) > 0 {
			return nil, wrong
		}
		if err := priced.followAll(); err != nil {
			return nil, err
		}
		if i == 0 {
			l.Plan.V = priced.Plan.V
		}
		for _, p := range priced.Plan.V {
			if p.From == customer {
				made[i] = append(made[i], loadsapi.Payment{
					To: p.To, Amount: string(p.Amount), Method: p.Method, Event: p.Event, Days: p.Days, BusinessDays: p.BusinessDays,
				})
			}
		}
	}

	return made, nil
}

// priceBy gives a load the prices that its customer was told.
func (l *load) priceBy(p loadsapi.Prices) {
	l.Vehicles.V = slices.Clone(l.Vehicles.V)
	for i := range l.Vehicles.V {
		v := &l.Vehicles.V[i]
		price, priced := p.Vehicles[v.UUID.String()]
		if !priced {
			continue
		}
		v.Tariff, v.BrokerFee = money.Amount(price.Tariff), ""
		if price.CarrierPay != "" {
			v.CarrierPay = money.Amount(price.CarrierPay)
		}
	}
	charges := slices.DeleteFunc(slices.Clone(l.Charges.V), func(c charge) bool { return c.Payer == customer })
	for _, c := range p.Charges {
		charges = append(charges, charge{
			UUID: item.ID(c.UUID), Kind: c.Kind, Description: c.Description, Vehicle: item.ID(c.Vehicle), Amount: money.Amount(c.Amount), Payer: customer, Payee: c.Payee, Taxable: c.Taxable,
		})
	}
	l.Charges.V = charges
	if p.PlanTemplate != "" && !l.planWritten() {
		l.PlanTemplate = p.PlanTemplate
	}
}

// planWritten reports whether people wrote the payment plan, which then stays whatever template others would make one by.
func (l *load) planWritten() bool { return l.PlanTemplate == "" && len(l.Plan.V) > 0 }

// snapshot is a load as others keep it.
func (l load) snapshot() loadsapi.Snapshot {
	s := loadsapi.Snapshot{
		Load: l.ID.String(), Number: l.Number, State: l.State, Currency: string(l.Currency), TransportType: l.Transport, Expedited: l.Priority == "expedited",
		AvailableFrom: string(l.AvailableFrom), PlanTemplate: l.PlanTemplate, Stops: []loadsapi.SnapshotStop{}, Vehicles: []loadsapi.SnapshotVehicle{},
	}
	if l.Customer != nil {
		s.Customer = l.Customer.String()
	}
	if l.Miles != nil && l.FromDays != nil && l.ToDays != nil {
		s.Miles, s.FromDays, s.ToDays = *l.Miles, *l.FromDays, *l.ToDays
	}
	for _, one := range l.Stops.V {
		s.Stops = append(s.Stops, loadsapi.SnapshotStop{
			UUID: one.UUID.String(), Kind: one.Kind, City: one.Venue.City, State: one.Venue.State, PostalCode: one.Venue.PostalCode, TimeZone: one.Venue.TimeZone,
		})
	}
	for _, v := range l.Vehicles.V {
		if v.Open() {
			s.Vehicles = append(s.Vehicles, loadsapi.SnapshotVehicle{
				UUID: v.UUID.String(), Name: v.Name(), VIN: v.VIN, Type: string(v.Type), Operable: v.Runs(), Modified: len(v.Modified) > 0,
				Tariff: string(v.Tariff), CarrierPay: string(v.CarrierPay),
			})
		}
	}
	for _, c := range l.Charges.V {
		if c.Payer == customer {
			one := loadsapi.Charge{UUID: c.UUID.String(), Kind: c.Kind, Description: c.Description, Amount: string(c.Amount), Payee: c.Payee, Taxable: c.Taxable}
			if c.Vehicle != uuid.Nil {
				one.Vehicle = c.Vehicle.String()
			}
			s.Charges = append(s.Charges, one)
		}
	}

	return s
}
