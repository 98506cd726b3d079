// Package loadpage has the page on which a customer follows a load, books it, and signs what has changed of it.
package loadpage

import (
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var files embed.FS

// Pages renders the page of a load.
type Pages struct{ layout *page.Layout }

// New returns Pages.
func New() *Pages {
	return &Pages{page.New(page.Parts{Content: page.File(files, "page/load.html"), Style: page.File(files, "page/load.css")})}
}

// load is what the page needs of the response that it shows.
type load struct {
	Brand         page.Brand     `json:"brand"`
	Number        string         `json:"number"`
	State         loadsapi.State `json:"state"`
	Stops         []stop         `json:"stops"`
	Vehicles      []vehicle      `json:"vehicles"`
	Plan          []due          `json:"payment_plan"`
	Tariff        money.Amount   `json:"tariff"`
	Owes          money.Amount   `json:"customer_balance"`
	Currency      money.Currency `json:"currency"`
	Miles         *int64         `json:"miles"`
	FromDays      *int64         `json:"transit_from_days"`
	ToDays        *int64         `json:"transit_to_days"`
	AvailableFrom string         `json:"available_from"`
	Bookable      bool           `json:"bookable"`
	Changes       []signing.Line `json:"changes"`
	ChangesKey    string         `json:"changes_key"`
	ShownKey      string         `json:"shown_key"`
}

type stop struct {
	Venue struct {
		City  string `json:"city"`
		State string `json:"state"`
	} `json:"venue"`
}

type vehicle struct {
	Year    *int64 `json:"year"`
	Make    string `json:"make"`
	Model   string `json:"model"`
	VIN     string `json:"vin"`
	Custody string `json:"custody"`
}

type due struct {
	To     string       `json:"to"`
	Amount money.Amount `json:"amount"`
	Event  string       `json:"due_event"`
}

// shown is what the markup of the page shows.
type shown struct {
	From, To string
	Cars     []string
	Facts    []string
	Due      []string
	Book     *page.Form
	Changes  []signing.Line
	Sign     *page.Form
	Papers   string
}

// Load renders the page.
func (p *Pages) Load(a web.Answer) web.Page {
	var l load
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &l) != nil {
		return p.layout.Refused(a, func(string) string { return "" })
	}
	c, link := shown{Facts: l.facts()}, path.Base(a.Path)
	c.Papers = link + "/documents"
	if n := len(l.Stops); n > 0 {
		c.From, c.To = l.Stops[0].title(), l.Stops[n-1].title()
	}
	for _, v := range l.Vehicles {
		c.Cars = append(c.Cars, v.name()+" "+CustodyText(v.Custody))
	}
	for _, line := range l.Plan {
		to := l.Brand.Name
		if line.To == "carrier" {
			to = "the carrier"
		}
		c.Due = append(c.Due, page.Amount(line.Amount, l.Currency)+" to "+to+", "+dueTexts[line.Event])
	}
	if l.Bookable {
		c.Book = bookForm(l, link)
	}
	if l.ChangesKey != "" {
		c.Changes, c.Sign = l.Changes, signing.Form(l.ChangesKey, link)
	}

	return p.layout.Show(page.Page{Brand: l.Brand, Heading: "Transport " + l.Number, Texts: []string{StateText(l.State)}, Content: c})
}

func (l load) facts() (facts []string) {
	if l.AvailableFrom != "" && slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready}, l.State) {
		facts = append(facts, "Can be picked up from "+page.Day(l.AvailableFrom))
	}
	if l.Miles != nil && l.FromDays != nil && l.ToDays != nil {
		facts = append(facts, page.Sprintf("About %d miles, usually %d to %d days on the way", *l.Miles, *l.FromDays, *l.ToDays))
	}
	if l.Tariff != "" {
		facts = append(facts, "Price: "+page.Amount(l.Tariff, l.Currency))
	}
	if l.Owes != "" && l.Owes != l.Tariff {
		facts = append(facts, "Left to pay: "+page.Amount(l.Owes, l.Currency))
	}

	return facts
}

// title is what people call a place.
func (s stop) title() string { return strings.Trim(s.Venue.City+", "+s.Venue.State, ", ") }

func (v vehicle) name() string {
	year := ""
	if v.Year != nil {
		year = strconv.FormatInt(*v.Year, 10)
	}
	if name := strings.Join(strings.Fields(year+" "+v.Make+" "+v.Model), " "); name != "" {
		return name
	}

	return v.VIN
}

// Done leads from a form back to the page.
func (p *Pages) Done(a web.Answer) web.Page { return p.layout.Answered(a, nil, label) }

func label(name string) string {
	return map[string]string{
		"name": "Your name", "accepted": "Order", "available_from": "First day for the pickup", "pickup.phone": "Phone at the pickup", "delivery.phone": "Phone at the delivery",
	}[name]
}

// StateText is what a customer is told of the state of a load.
func StateText(s loadsapi.State) string { return words[s] }

// words are what a customer is told of the states.
var words = map[loadsapi.State]string{
	loadsapi.Draft: "We are working on your request.", loadsapi.Lead: "We are working on your request.", loadsapi.Quoted: "We have made you an offer.",
	loadsapi.Booked: "Your transport is booked. We are looking for a carrier.",
	loadsapi.Ready:  "Your transport is booked. We are looking for a carrier.", loadsapi.Dispatched: "A carrier has your transport, and comes to pick up.",
	loadsapi.PickedUp: "Your transport is on the way.", loadsapi.Delivered: "Your transport has arrived.", loadsapi.Completed: "Your transport has arrived.",
	loadsapi.Lost: "This request was closed.", loadsapi.Cancelled: "This transport was canceled.", loadsapi.Archived: "This transport is closed.",
}

// CustodyText is what a customer is told of where a vehicle is.
func CustodyText(custody string) string { return places[custody] }

var places = map[string]string{"waiting": "waits to be picked up", "picked_up": "is on the way", "delivered": "was delivered"}

// dueTexts are when a payment is due, for a customer.
var dueTexts = map[string]string{
	"booking": "at booking", "dispatch": "when a carrier is found", "pickup": "at the pickup", "delivery": "at the delivery",
	"signed_bol": "after the delivery", "invoice": "by invoice",
}
