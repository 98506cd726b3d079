// Package loadpage has the page on which a customer follows a load, books it, and signs what has changed of it.
package loadpage

import (
	"cmp"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

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
	PromisedBy    string         `json:"pickup_promised_by"`
	Bookable      bool           `json:"bookable"`
	Changes       []signing.Line `json:"changes"`
	ChangesKey    string         `json:"changes_key"`
	ShownKey      string         `json:"shown_key"`
	Coming        Coming         `json:"coming"`
	Notes         []string       `json:"notes"`
}

type stop struct {
	UUID  uuid.UUID `json:"uuid"`
	Kind  string    `json:"kind"`
	Venue struct {
		City     string `json:"city"`
		State    string `json:"state"`
		TimeZone string `json:"time_zone"`
	} `json:"venue"`
	Window struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"window"`
}

type vehicle struct {
	Year    *int64 `json:"year"`
	Make    string `json:"make"`
	Model   string `json:"model"`
	VIN     string `json:"vin"`
	Custody string `json:"custody"`
	// Pickup is where it is picked up; the zero uuid is the first stop.
	Pickup uuid.UUID `json:"pickup_stop_uuid"`
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
	Coming   []page.Line
	Notes    []string
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
	handed := ""
	for _, v := range l.Vehicles {
		at := l.waits(v)
		handed = cmp.Or(handed, at)
		c.Cars = append(c.Cars, v.name()+" "+CustodyText(v.Custody, at))
	}
	c.Coming, c.Notes = l.coming(), l.Notes
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

	return p.layout.Show(page.Page{Brand: l.Brand, Heading: "Transport " + l.Number, Texts: []string{StateText(l.State, handed)}, Content: c})
}

func (l load) facts() (facts []string) {
	if l.AvailableFrom != "" && slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready}, l.State) {
		facts = append(facts, "Can be picked up from "+page.Day(l.AvailableFrom))
	}
	if l.PromisedBy != "" && slices.Contains([]loadsapi.State{loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched}, l.State) {
		facts = append(facts, "Picked up by "+page.Day(l.PromisedBy)+" at the latest")
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

// waits is where a vehicle waits that its first carrier has handed over, "" for any other.
func (l load) waits(v vehicle) string {
	if v.Custody != "waiting" {
		return ""
	}
	i := slices.IndexFunc(l.Stops, func(s stop) bool { return s.UUID == v.Pickup && s.Kind == "transfer" })
	if i < 0 {
		return ""
	}

	return l.Stops[i].title()
}

// coming says who comes, and when.
func (l load) coming() (all []page.Line) {
	c, n := l.Coming, len(l.Stops)-1
	if slices.Contains([]loadsapi.State{loadsapi.Lost, loadsapi.Cancelled, loadsapi.Archived, loadsapi.Draft}, l.State) {
		n = -1
	}
	done := l.State == loadsapi.Delivered || l.State == loadsapi.Completed
	for i, s := range l.Stops {
		agreed, eta, label := "", (*time.Time)(nil), map[string]string{"pickup": "Pickup", "delivery": "Delivery"}[s.Kind]
		switch i {
		case 0:
			agreed, eta = c.Pickup, c.AtPickup
		case n:
			agreed, eta = c.Delivery, c.AtDrop
		}
		if n < 1 || done || label == "" || i == 0 && l.State == loadsapi.PickedUp {
			continue
		}
		label += " in " + s.title() + ": "
		switch window := page.Window(s.Window.From, s.Window.To, s.Venue.TimeZone); {
		case eta != nil:
			all = append(all, page.Line{Text: label + "expected " + page.Moment(*eta, page.Zone(s.Venue.TimeZone))})
		case agreed != "":
			all = append(all, page.Line{Text: label + page.Day(agreed)})
		case window != "":
			all = append(all, page.Line{Text: label + window})
		}
	}
	if n >= 0 && c.Carrier != "" {
		all = append(all, page.Line{Text: "Carrier: " + c.Carrier})
	}
	if n >= 0 && c.Driver != "" && !done {
		all = append(all, page.Line{Text: "Driver: " + c.Driver})
	}
	if c.Phone != "" {
		all = append(all, page.Called("Questions? Call us:", c.Phone))
	}

	return all
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

// Booked leads from the form by which a load is booked back to the page, or shows it again with what is wrong; Signed does so from the one by which changes
// are signed.
func (p *Pages) Booked(a web.Answer) web.Page {
	l := load{AvailableFrom: "known"}
	if a.Form.Has("available_from") {
		l.AvailableFrom = ""
	}

	return p.layout.AnsweredForm(a, nil, label, bookForm(l, ""))
}

// Signed is explained at Booked.
func (p *Pages) Signed(a web.Answer) web.Page {
	return p.layout.AnsweredForm(a, nil, label, signing.Form("", ""))
}

func label(name string) string {
	return map[string]string{
		"name": "Your name", "accepted": "Order", "available_from": "First day for the pickup", "pickup.phone": "Phone at the pickup", "delivery.phone": "Phone at the delivery",
	}[name]
}

// StateText is what a customer reads of the state of a load. Handed is where vehicles wait that another carrier carries on, "" for none.
func StateText(s loadsapi.State, handed string) string {
	switch {
	case handed != "" && s == loadsapi.Dispatched:
		return "Your transport is on the way. It waits in " + handed + ", where another carrier picks it up."
	case handed != "":
		return "Your transport is on the way. It waits in " + handed + ". We are looking for a carrier that takes it on from there."
	}

	return words[s]
}

// words are what a customer is told of the states.
var words = map[loadsapi.State]string{
	loadsapi.Draft: "We are working on your request.", loadsapi.Lead: "We are working on your request.", loadsapi.Quoted: "We have made you an offer.",
	loadsapi.Booked: "Your transport is booked. We are looking for a carrier.",
	loadsapi.Ready:  "Your transport is booked. We are looking for a carrier.", loadsapi.Dispatched: "A carrier has your transport, and comes to pick up.",
	loadsapi.PickedUp: "Your transport is on the way.", loadsapi.Delivered: "Your transport has arrived.", loadsapi.Completed: "Your transport has arrived.",
	loadsapi.Lost: "This request was closed.", loadsapi.Cancelled: "This transport was canceled.", loadsapi.Archived: "This transport is closed.",
}

// CustodyText is what a customer reads of where a vehicle is.
func CustodyText(custody, handed string) string {
	if handed != "" {
		return "waits in " + handed + " for the next carrier"
	}

	return places[custody]
}

var places = map[string]string{"waiting": "waits to be picked up", "picked_up": "is on the way", "delivered": "was delivered"}

// dueTexts are when a payment is due, for a customer.
var dueTexts = map[string]string{
	"booking": "at booking", "dispatch": "when a carrier is found", "pickup": "at the pickup", "delivery": "at the delivery",
	"signed_bol": "after the delivery", "invoice": "by invoice",
}
