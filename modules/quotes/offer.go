package quotes

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
)

// offer is a quote as the customer sees it.
type offer struct {
	Brand         page.Brand     `json:"brand"`
	Quote         uuid.UUID      `json:"quote_uuid" doc:"Send it along with the answer, so that it is to what was shown."`
	Number        string         `json:"number"`
	State         status         `json:"state" enum:"sent,viewed,accepted,declined,expired,recalled,superseded"`
	Message       string         `json:"message"`
	From          string         `json:"from"`
	To            string         `json:"to"`
	Stops         []string       `json:"stops" nullable:"false" doc:"All places in their order."`
	Vehicles      []offerVehicle `json:"vehicles" nullable:"false"`
	TransportType string         `json:"transport_type"`
	Miles         int64          `json:"miles" doc:"0 if they are not known."`
	FromDays      int64          `json:"transit_from_days"`
	ToDays        int64          `json:"transit_to_days"`
	AvailableFrom field.Date     `json:"available_from" doc:"The first day on which the vehicles can be picked up; empty if the answer is to name it."`
	Lines         []offerLine    `json:"lines" nullable:"false"`
	Options       []option       `json:"options" nullable:"false"`
	Currency      money.Currency `json:"currency"`
	Deposit       money.Amount   `json:"deposit" doc:"What is due at booking, with the option that was accepted; before, with the option standard."`
	ValidUntil    *time.Time     `json:"valid_until"`
	Zone          string         `json:"time_zone" doc:"Of the first stop, else of the company."`
	Terms         string         `json:"terms"`
	Option        string         `json:"accepted_option"`
	Problem       string         `json:"problem" doc:"The problem of the query, for the page."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offer) SchemaName() string { return "Offer" }

// offerVehicle is a vehicle as the customer sees it.
type offerVehicle struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Operable bool   `json:"operable"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offerVehicle) SchemaName() string { return "OfferVehicle" }

// offerLine is a line as the customer sees it.
type offerLine struct {
	Description string       `json:"description"`
	Amount      money.Amount `json:"amount" doc:"Negative for a discount."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (offerLine) SchemaName() string { return "OfferLine" }

// showing makes of quotes what customers see.
type showing struct {
	brands companiesapi.Brands
	clock  clock.Clock
}

func newShowing(brands companiesapi.Brands, c clock.Clock) *showing { return &showing{brands, c} }

func (w *showing) showOffer(ctx context.Context, q quote, problem string) (*offerOutput, error) {
	brand, err := w.brands.Brand(ctx)
	of := q.Offered.V
	o := offer{
		Brand: page.Brand(brand), Quote: q.ID, Number: q.Number, State: q.State, Message: q.Message, Stops: []string{},
		Vehicles: []offerVehicle{}, TransportType: of.TransportType, Miles: of.Miles, FromDays: of.FromDays, ToDays: of.ToDays, AvailableFrom: field.Date(of.AvailableFrom),
		Lines: []offerLine{}, Options: listed(q.Options.V), Currency: q.Currency, Deposit: q.Deposit, ValidUntil: q.ValidUntil, Terms: q.Terms, Option: q.Option, Problem: problem,
	}
	if booked, is := q.option(q.Option); is {
		o.Deposit = booked.Deposit
	}
	if q.open() && !q.ValidUntil.After(w.clock.Now()) {
		o.State = expired
	}
	for _, s := range of.Stops {
		o.Zone = cmp.Or(o.Zone, s.TimeZone)
		o.Stops = append(o.Stops, strings.TrimSpace(strings.Trim(s.City+", "+s.State, ", ")+" "+s.PostalCode))
	}
	if o.Zone == "" {
		company, err := w.brands.Identity(ctx)
		if err != nil {
			return nil, err
		}
		o.Zone = company.TimeZone
	}
	if n := len(o.Stops); n > 0 {
		o.From, o.To = o.Stops[0], o.Stops[n-1]
	}
	for _, v := range of.Vehicles {
		o.Vehicles = append(o.Vehicles, offerVehicle{v.Name, v.Type, v.Operable})
	}
	for _, l := range q.Lines.V {
		amount := l.Amount
		if n, _ := q.units(amount); l.Kind == discount && n > 0 {
			amount = q.amount(-n)
		}
		o.Lines = append(o.Lines, offerLine{l.Description, amount})
	}

	return &offerOutput{o}, err
}
