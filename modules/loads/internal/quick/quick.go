// Package quick makes loads of a few words, and of requests that come from outside.
package quick

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/inquiry"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk makes loads of a few words.
type Desk struct {
	loads    *resource.Resource[store.Load]
	reader   *Reader
	prices   *Pricer
	defaults *Defaults
	db       *database.DB
}

// New returns a Desk.
func New(loads *resource.Resource[store.Load], r *Reader, p *Pricer, d *Defaults, db *database.DB) *Desk {
	return &Desk{loads, r, p, d, db}
}

// Defaults are what a quick load has that says nothing else.
type Defaults struct {
	terms     *terms.Reader
	companies *identity.Service
}

// NewDefaults returns Defaults.
func NewDefaults(t *terms.Reader, companies *identity.Service) *Defaults {
	return &Defaults{t, companies}
}

// read returns the kind of transport, and the currency.
func (d *Defaults) read(ctx context.Context) (transport string, in money.Currency, err error) {
	kept, err := d.terms.Now(ctx)
	if err != nil {
		return "", "", err
	}
	usual, err := d.companies.Currency(ctx)

	return kept.Transport, money.Currency(usual), err
}

// Reader understands customers and vehicles that people describe.
type Reader struct {
	contacts contactsapi.Contacts
	parser   vehiclesapi.Parser
	clock    clock.Clock
}

// NewReader returns a Reader.
func NewReader(c contactsapi.Contacts, p vehiclesapi.Parser, clk clock.Clock) *Reader {
	return &Reader{c, p, clk}
}

// Routes are the operations on quick loads.
func Routes(r *web.Router, s *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/quick_loads", ID: "create_quick_load", Access: web.Write, Summary: "Create a load from a few words",
		Description: "From and to are ZIP codes, or cities with their states; vehicles are texts such as \"2012 BMW X6 INOP\". The customer is found by e-mail address and phone number, or created.",
		Errors:      []*errs.Error{store.ErrInvalid, store.ErrTaken, plan.ErrUnbalanced, store.ErrDuplicateVIN, routeengineapi.ErrQuoteToken},
	}, s.create)
}

type quickInput struct {
	Body struct {
		From          string       `json:"from,omitempty" maxLength:"120" doc:"Required without a quote_token." example:"75201"`
		To            string       `json:"to,omitempty" maxLength:"120" doc:"Required without a quote_token." example:"Miami, FL"`
		Vehicles      []string     `json:"vehicles,omitempty" maxItems:"50" nullable:"false" doc:"Required without a quote_token." example:"[\"2012 BMW X6 INOP\"]"`
		Token         string       `json:"quote_token,omitempty" maxLength:"20000" doc:"Of a quick quote of the route engine: its places, vehicles and prices."`
		CustomerUUID  uuid.UUID    `json:"customer_uuid,omitzero" doc:"A contact, in place of customer."`
		Customer      *newCustomer `json:"customer,omitempty"`
		Transport     string       `json:"transport_type,omitempty" enum:"open,enclosed,driveaway" doc:"By default that of the settings."`
		AvailableFrom field.Date   `json:"available_from,omitempty"`
		Tariff        money.Amount `json:"tariff,omitempty" doc:"For all vehicles together. Without prices, the formula prices the load." example:"1100.00"`
		CarrierPay    money.Amount `json:"carrier_pay,omitempty" doc:"For all vehicles together." example:"900.00"`
		ExternalID    string       `json:"external_id,omitempty" maxLength:"50"`
	}
}

// newCustomer is somebody who calls.
type newCustomer struct {
	Name  string `json:"name" minLength:"1" maxLength:"200"`
	Phone string `json:"phone,omitempty" maxLength:"60"`
	Email string `json:"email,omitempty" maxLength:"254"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (newCustomer) SchemaName() string { return "QuickCustomer" }

type quickOutput struct {
	Location string `header:"Location"`
	Body     struct {
		Load     store.Load           `json:"load"`
		Vehicles []vehiclesapi.Listed `json:"parsed" nullable:"false" doc:"What was understood of each text, with its confidence."`
		Known    bool                 `json:"customer_known" doc:"Whether the customer was a contact before."`
		Priced   string               `json:"priced_by" enum:"given,formula,quick_quote,none" doc:"none: the formula has no price for it; the warning loads.unpriced says why."`
	}
}

func (s *Desk) create(ctx context.Context, in *quickInput) (*quickOutput, error) {
	b, out := in.Body, &quickOutput{}
	if b.Tariff != "" || b.CarrierPay != "" {
		if err := s.loads.MaySet(ctx, "tariff"); err != nil {
			return nil, err
		}
	}
	transport, currency, err := s.defaults.read(ctx)
	if err != nil {
		return nil, err
	}
	l := store.Load{Transport: cmp.Or(b.Transport, transport), AvailableFrom: b.AvailableFrom, ExternalID: b.ExternalID, Currency: currency, Role: store.Broker, Priority: "normal"}
	out.Body.Vehicles = []vehiclesapi.Listed{}
	why := ""
	texts, err := s.understand(ctx, in, &l, out)
	if err != nil {
		return nil, err
	}
	switch {
	case b.Token != "":
		out.Body.Priced, err = pricedByQuote, s.prices.redeem(ctx, b.Token, &l)
	case b.Tariff == "" && b.CarrierPay == "":
		out.Body.Priced, why, err = s.prices.price(ctx, &l)
	default:
		out.Body.Priced, err = pricedByCaller, l.Share(b.Tariff, b.CarrierPay)
	}
	if err != nil {
		return nil, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if l.Customer = &b.CustomerUUID; b.Customer != nil {
			if l.Customer, out.Body.Known, err = s.reader.customer(ctx, *b.Customer); err != nil {
				return err
			}
		}
		out.Body.Load, err = s.loads.Create(ctx, l)

		return inquiry.Renamed(err, nil, inquiry.OfQuickLoad(b.Token != "", texts))
	})
	if err != nil {
		return nil, err
	}
	if why != "" {
		out.Body.Load.Warn("loads.unpriced", "tariff", why)
	}
	out.warnOfModels(texts)
	out.Location = store.Base + "/loads/" + out.Body.Load.ID.String()

	return out, s.loads.Show(ctx, nil, &out.Body.Load)
}

// understand reads the places and vehicles of a quick load. It returns which of the texts each vehicle comes from.
func (s *Desk) understand(ctx context.Context, in *quickInput, l *store.Load, out *quickOutput) (texts []int, err error) {
	b, wrong := in.Body, store.ErrInvalid
	if (b.Customer == nil) == (b.CustomerUUID == uuid.Nil) {
		wrong = wrong.WithField("customer", "The customer, or the customer_uuid, is required.")
	}
	if b.Token != "" {
		if b.From+b.To+string(b.Tariff)+string(b.CarrierPay) != "" || len(b.Vehicles) > 0 {
			wrong = wrong.WithField("quote_token", "A quote_token comes with its own places, vehicles and prices.")
		}
		if len(wrong.Fields) > 0 {
			return nil, wrong
		}

		return nil, nil
	}
	for _, end := range []struct{ name, text, kind string }{{"from", b.From, store.Pickup}, {"to", b.To, store.Delivery}} {
		at, ok := intake.PlaceOf(end.text)
		if !ok {
			wrong = wrong.WithField(end.name, "The "+end.name+" must be a ZIP code, or a city with its state, such as Dallas, TX.")
		}
		l.Stops.V = append(l.Stops.V, store.Stop{Kind: end.kind, Venue: venueOf(at)})
	}
	if len(b.Vehicles) == 0 {
		wrong = wrong.WithField("vehicles", "At least one vehicle is required.")
	}
	for i, text := range b.Vehicles {
		made, listed, err := s.reader.vehiclesOf(ctx, text)
		if err != nil {
			return nil, err
		}
		texts = append(texts, slices.Repeat([]int{i}, len(made))...)
		if len(made) == 0 {
			wrong = wrong.WithField("vehicles."+strconv.Itoa(i), "No vehicle was understood in it, or more than 50. Write it such as 2012 BMW X6.")
		}
		l.Vehicles.V, out.Body.Vehicles = append(l.Vehicles.V, made...), append(out.Body.Vehicles, listed...)
	}
	if len(l.Vehicles.V) > cargo.Most {
		wrong = wrong.WithField("vehicles", "A load has at most 50 vehicles.")
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return texts, nil
}

// warnOfModels warns of vehicles whose models the catalog does not know: what they cost follows from their type.
func (out *quickOutput) warnOfModels(texts []int) {
	for _, one := range out.Body.Vehicles {
		if one.Known || one.Make == "" {
			continue
		}
		at := slices.IndexFunc(out.Body.Load.Vehicles.V, func(v store.Vehicle) bool { return v.VIN == one.VIN && v.Make == one.Make && v.Model == one.Model })
		if at >= 0 && at < len(texts) {
			out.Body.Load.Warn("loads.model_unknown", "vehicles."+strconv.Itoa(at)+".model", ModelUnknown(one))
		}
	}
}

// ModelUnknown says that a model is not known.
func ModelUnknown(one vehiclesapi.Listed) string {
	return strings.TrimSpace("Check the vehicle "+one.Make+" "+one.Model) + ": the make has no such model by the catalog, so that its type may be wrong."
}

// customer returns the contact of somebody who calls, and whether it was there.
func (s *Reader) customer(ctx context.Context, c newCustomer) (*uuid.UUID, bool, error) {
	found, known, err := s.contacts.Ensure(ctx, contactsapi.NewContact{Name: c.Name, Email: c.Email, Phone: c.Phone, Customer: true})
	if err != nil {
		return nil, false, inquiry.Renamed(err, store.ErrInvalid, func(at string) string { return "customer." + inquiry.OfContact(at) })
	}
	id, err := uuid.Parse(found.UUID)

	return &id, known, err
}

// vehiclesOf are the vehicles that a text names, none if they are more than a load can have.
func (s *Reader) vehiclesOf(ctx context.Context, text string) ([]store.Vehicle, []vehiclesapi.Listed, error) {
	listed, err := s.parser.Parse(ctx, text)
	if err != nil {
		err = fmt.Errorf("reading vehicles: %w", err)
	}

	return cargo.Named(listed), listed, err
}

// vehicleOf are the vehicles that a part of a request names. What came apart is not joined.
func (s *Reader) vehicleOf(ctx context.Context, car intake.Car) ([]store.Vehicle, []vehiclesapi.Listed, error) {
	if !car.Apart() {
		return s.vehiclesOf(ctx, car.Text())
	}
	one, err := s.parser.Identify(ctx, vehiclesapi.Named{
		VIN: car.VIN, Year: car.ModelYear(s.clock.Now().Year()), Make: car.Make, Model: car.Model, Kind: car.Kind,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("identifying a vehicle: %w", err)
	}
	one.Trim = cmp.Or(one.Trim, car.Trim)
	if car.Inoperable() {
		no := false
		one.Operable = &no
	}
	listed := []vehiclesapi.Listed{one}

	return cargo.Named(listed), listed, nil
}

// contact returns a contact, the zero value for none.
func (s *Reader) contact(ctx context.Context, id uuid.UUID) (contactsapi.Contact, error) {
	found, err := s.contacts.Find(ctx, id.String())

	return found[id.String()], err
}
