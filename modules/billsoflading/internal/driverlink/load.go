package driverlink

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/remark"
)

// drivenLoad is what a driver needs to know of a load.
type drivenLoad struct {
	Number       string          `json:"number"`
	Stops        []drivenStop    `json:"stops" nullable:"false"`
	Vehicles     []drivenVehicle `json:"vehicles" nullable:"false"`
	References   []drivenNumber  `json:"references" nullable:"false"`
	Collect      []collected     `json:"collect" nullable:"false" doc:"What the customer has yet to pay to the carrier."`
	Instructions string          `json:"instructions_carrier"`
	Notes        []string        `json:"notes" nullable:"false" doc:"What the company has written about the load for its driver."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (drivenLoad) SchemaName() string { return "DrivenLoad" }

// drivenStop is a stop as its driver sees it.
type drivenStop struct {
	UUID        uuid.UUID     `json:"uuid"`
	Kind        string        `json:"kind" enum:"pickup,delivery,transfer"`
	Venue       drivenVenue   `json:"venue"`
	Contacts    []drivenPhone `json:"contacts" nullable:"false"`
	Window      drivenWindow  `json:"window"`
	BuyerNumber string        `json:"buyer_number"`
	Notes       string        `json:"notes"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (drivenStop) SchemaName() string { return "DrivenStop" }

// drivenVenue is where a stop is.
type drivenVenue struct {
	Name        string `json:"name"`
	Line1       string `json:"line1"`
	Line2       string `json:"line2"`
	City        string `json:"city"`
	State       string `json:"state"`
	PostalCode  string `json:"postal_code"`
	TimeZone    string `json:"time_zone"`
	Hours       string `json:"hours"`
	Appointment bool   `json:"appointment_required"`
	TWIC        bool   `json:"twic_required"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (drivenVenue) SchemaName() string { return "DrivenVenue" }

// drivenPhone is whom to call at a stop.
type drivenPhone struct {
	Name   string   `json:"name"`
	Phones []string `json:"phones" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (drivenPhone) SchemaName() string { return "DrivenContact" }

// drivenWindow is when the driver may come.
type drivenWindow struct {
	From string `json:"from" doc:"A day, or a time on a clock at the stop; empty for any time."`
	To   string `json:"to"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (drivenWindow) SchemaName() string { return "DrivenWindow" }

// drivenVehicle is what a vehicle is released by.
type drivenVehicle struct {
	UUID     uuid.UUID `json:"uuid"`
	GatePass string    `json:"gate_pass"`
	Buyer    string    `json:"buyer_number"`
	Keys     *int64    `json:"keys_count"`
	Notes    string    `json:"notes"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (drivenVehicle) SchemaName() string { return "DrivenVehicle" }

// drivenNumber is a number of others.
type drivenNumber struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (drivenNumber) SchemaName() string { return "DrivenReference" }

// collected is an amount to collect.
type collected struct {
	Amount   money.Amount   `json:"amount"`
	Currency money.Currency `json:"currency"`
	Method   string         `json:"method"`
	Event    string         `json:"due_event" enum:"booking,dispatch,pickup,delivery,signed_bol,invoice"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (collected) SchemaName() string { return "DrivenCollection" }

// Loads reads loads for their drivers.
type Loads struct {
	standings   loadsapi.Standings
	views       loadsapi.Views
	collections loadsapi.Collections
	notes       *remark.Reader
}

// NewLoads returns Loads.
func NewLoads(s loadsapi.Standings, v loadsapi.Views, c loadsapi.Collections, notes *remark.Reader) *Loads {
	return &Loads{s, v, c, notes}
}

// of is a load as its driver sees it: as its carrier does, without what the carrier is paid by others than the customer.
func (d *Loads) of(ctx context.Context, load uuid.UUID) (l drivenLoad, err error) {
	of, err := d.standings.Standing(ctx, load.String())
	if err != nil {
		return l, err
	}
	seen, err := d.views.Carrier(ctx, load.String())
	if err != nil {
		return l, err
	}
	l = drivenOf(seen.Load)
	l.Number = of.Number
	due, err := d.collections.ToCollect(ctx, load.String())
	if err != nil {
		return l, err
	}
	for _, one := range due {
		l.Collect = append(l.Collect, collected{money.Amount(one.Amount), money.Currency(one.Currency), one.Method, one.Event})
	}
	l.Notes, err = d.notes.About(ctx, item.Ref{Type: loadsapi.Load, UUID: load}, store.Driver)

	return l, err
}

// drivenOf is what the driver of a load sees of what its carrier does.
func drivenOf(l loadsapi.CarrierView) drivenLoad {
	d := drivenLoad{Stops: []drivenStop{}, Vehicles: []drivenVehicle{}, References: []drivenNumber{}, Collect: []collected{}, Instructions: l.ForCarrier}
	for _, s := range l.Stops {
		one := drivenStop{
			UUID: item.ID(s.UUID), Kind: s.Kind, Contacts: []drivenPhone{}, BuyerNumber: s.BuyerNumber, Notes: s.Notes, Venue: drivenVenue{
				Name: s.Venue.Name, Line1: s.Venue.Line1, Line2: s.Venue.Line2, City: s.Venue.City, State: s.Venue.State, PostalCode: s.Venue.PostalCode,
				TimeZone: s.Venue.TimeZone, Hours: s.Venue.Hours, Appointment: s.Venue.Appointment, TWIC: s.Venue.TWIC,
			},
		}
		if s.Window != nil {
			one.Window = drivenWindow{s.Window.From, s.Window.To}
		}
		for _, who := range s.Contacts {
			one.Contacts = append(one.Contacts, drivenPhone{who.Name, append([]string{}, who.Phones...)})
		}
		d.Stops = append(d.Stops, one)
	}
	for _, v := range l.Vehicles {
		d.Vehicles = append(d.Vehicles, drivenVehicle{UUID: item.ID(v.UUID), GatePass: v.GatePass, Buyer: v.Buyer, Keys: v.Keys, Notes: v.Notes})
	}
	for _, r := range l.References {
		d.References = append(d.References, drivenNumber{r.Kind, r.Value})
	}

	return d
}

// lines are a stop as its driver reads it.
func (s drivenStop) lines() []page.Line {
	v := s.Venue
	place := strings.TrimSpace(strings.Trim(v.City+", "+v.State, ", ") + " " + v.PostalCode)
	all := append(page.Address(v.Name, v.Line1, v.Line2, place), page.Lines(page.Window(s.Window.From, s.Window.To, v.TimeZone), prefixed("Hours: ", v.Hours))...)
	if v.Appointment {
		all = append(all, page.Lines("An appointment is required. Call before you come.")...)
	}
	if v.TWIC {
		all = append(all, page.Lines("You need your TWIC card.")...)
	}
	all = append(all, page.Lines(prefixed("Buyer number ", s.BuyerNumber))...)
	for _, who := range s.Contacts {
		all = append(all, page.Called(who.Name, who.Phones...))
	}

	return append(all, page.Lines(s.Notes)...)
}

// text is what to collect, and how.
func (c collected) text() string {
	how := loadsapi.MethodText(c.Method)
	if how == "" {
		how = "in cash or certified funds"
	}

	return page.Amount(c.Amount, c.Currency) + " " + how
}

// when is at which stop to collect it, "" if that is open.
func (c collected) when() string {
	return map[string]string{"pickup": "at the pickup", "delivery": "at the delivery"}[c.Event]
}

// releases are what a vehicle is released by.
func (v drivenVehicle) releases() []string {
	var all []string
	for _, one := range []struct{ label, text string }{{"Gate pass ", v.GatePass}, {"Buyer number ", v.Buyer}, {"Keys: ", numberText(v.Keys)}, {"", v.Notes}} {
		if one.text != "" {
			all = append(all, one.label+one.text)
		}
	}

	return all
}

// card is a load as its driver reads it.
func (l drivenLoad) card() (card face.Card) {
	for _, c := range l.Collect {
		card.Facts = append(card.Facts, face.Fact{Label: "Collect " + c.when(), Value: c.text(), Large: true})
	}
	for _, s := range l.Stops {
		kind := map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}[s.Kind]
		card.Stops = append(card.Stops, face.Stop{Title: kind + ": " + strings.Trim(s.Venue.City+", "+s.Venue.State, ", "), Lines: s.lines()})
	}
	for _, r := range l.References {
		card.List = append(card.List, map[string]string{"gate_pass": "Gate pass", "buyer": "Buyer number", "release": "Release number", "lot": "Lot", "po": "Purchase order"}[r.Kind]+" "+r.Value)
	}
	for _, text := range append([]string{l.Instructions}, l.Notes...) {
		card.Lines = append(card.Lines, page.Lines(text)...)
	}

	return card
}

// prefixed is a text after its label, "" for no text.
func prefixed(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}
