// Package samples makes loads for the demo company.
package samples

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sample is a load of the demo company, and the steps that it has taken.
type sample struct {
	customer, phone, from, to string
	year                      int64
	make, model               string
	tariff, pay               money.Amount
	steps                     []resource.Verb
}

// samples are loads in every state that a load reaches without others.
func samples() []sample {
	return []sample{
		{"Ann Lee", "+12145550101", "75201", "33101", 2003, "Honda", "Accord", "", "", nil},
		{"Bob Ray", "+12145550102", "60601", "98101", 2021, "Tesla", "Model 3", "1650.00", "1350.00", nil},
		{"Kim Dale", "+12145550111", "55401", "73101", 2017, "Mazda", "CX-5", "890.00", "700.00", []resource.Verb{store.VerbQuote}},
		{"Cleo Moss", "+12145550103", "10001", "90001", 2018, "Ford", "F-150", "1900.00", "1600.00", []resource.Verb{store.VerbBook}},
		{"Dan Fox", "+12145550104", "30301", "77001", 2015, "BMW", "X5", "950.00", "750.00", []resource.Verb{store.VerbBook, store.VerbClear}},
		{"Eve Hart", "+12145550105", "85001", "80201", 2020, "Toyota", "Camry", "850.00", "850.00", []resource.Verb{store.VerbBook, store.VerbClear, store.VerbCover}},
		{"Finn Cole", "+12145550106", "97201", "94103", 2012, "Subaru", "Outback", "700.00", "700.00", []resource.Verb{store.VerbBook, store.VerbClear, store.VerbCover, store.VerbPickUp}},
		{"Gwen Hall", "+12145550107", "32801", "28201", 2019, "Jeep", "Wrangler", "800.00", "800.00", []resource.Verb{store.VerbBook, store.VerbClear, store.VerbCover, store.VerbPickUp, store.VerbDeliver}},
		{"Hal Reed", "+12145550108", "02108", "19101", 2010, "Nissan", "Maxima", "450.00", "450.00", []resource.Verb{store.VerbBook, store.VerbClear, store.VerbCover, store.VerbPickUp, store.VerbDeliver, store.VerbPay}},
		{"Ida Snow", "+12145550109", "63101", "37201", 2008, "Volvo", "S60", "500.00", "400.00", []resource.Verb{store.VerbLose}},
		{"Jon Pike", "+12145550110", "48201", "44101", 2016, "Audi", "A4", "480.00", "400.00", []resource.Verb{store.VerbBook, store.VerbCancel}},
	}
}

// Sampler makes loads for the demo company.
type Sampler struct {
	loads    *resource.Resource[store.Load]
	contacts contactsapi.Contacts
	clock    clock.Clock
}

// NewSampler returns a Sampler.
func NewSampler(loads *resource.Resource[store.Load], c contactsapi.Contacts, clk clock.Clock) Sampler {
	return Sampler{loads, c, clk}
}

// Seed gives the demo company loads, so that a first look shows something.
func Seed(ctx context.Context, s Sampler) error { return s.seed(ctx) }

func (s Sampler) seed(ctx context.Context) error {
	for _, one := range samples() {
		known, _, err := s.contacts.Ensure(ctx, contactsapi.NewContact{Name: one.customer, Phone: one.phone, Customer: true})
		if err != nil {
			return err
		}
		id, err := uuid.Parse(known.UUID)
		if err != nil {
			return err
		}
		day := field.Date(s.clock.Now().UTC().AddDate(0, 0, 3).Format("2006-01-02")) //nolint:mnd // in some days
		l := store.Load{
			Role: store.Broker, Customer: &id, Transport: "open", Inspection: "standard", Priority: "normal", AvailableFrom: day, PlanTemplate: plan.DepositCOD,
			Stops:    resource.JSON[[]store.Stop]{V: []store.Stop{{Kind: store.Pickup, Venue: store.Venue{PostalCode: one.from}}, {Kind: store.Delivery, Venue: store.Venue{PostalCode: one.to}}}},
			Vehicles: resource.JSON[[]store.Vehicle]{V: []store.Vehicle{{Year: &one.year, Make: one.make, Model: one.model, Tariff: one.tariff, CarrierPay: one.pay}}},
		}
		if len(one.steps) > 2 { //nolint:mnd // the company carries it itself
			l.Role = store.Carrier
		}
		made, err := s.loads.Create(ctx, l)
		if err != nil {
			return err
		}
		for _, verb := range one.steps {
			if _, err := s.loads.Change(ctx, made.ID, web.IfMatch{}, verb, s.step(verb)); err != nil {
				return err
			}
		}
	}

	return nil
}

// step takes a step of a load's life, with a reason where one ends it.
func (s Sampler) step(verb resource.Verb) func(ctx context.Context, l *store.Load) error {
	step := store.Step(s.loads, verb, "A load of the demo company.")

	return func(ctx context.Context, l *store.Load) error {
		if verb == store.VerbLose {
			l.ReasonID = "price"
		}
		if verb == store.VerbCancel {
			l.ReasonID, l.EndedBy = "customer", store.Customer
		}
		if verb == store.VerbPay {
			l.Payments.V = plan.Paying(l.Plan.V, s.clock.Now().UTC())

			return nil
		}

		return step(ctx, l)
	}
}
