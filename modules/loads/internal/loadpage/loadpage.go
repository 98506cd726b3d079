// Package loadpage has the page on which a customer follows a load, books it, and signs what has changed of it.
package loadpage

import (
	"cmp"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/internal/cargo"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/page"
)

// New returns the page of a load.
func New() *face.Face[Shared] {
	name := page.Field{Name: "name", Label: "Your name", Autocomplete: "name", MaxLength: 200, Required: true}

	return face.New(face.Parts[Shared]{
		View: func(s Shared, link string) face.View { return s.view(link) },
		Verbs: []face.Verb{
			{Name: "book", Title: "Book this transport", Submit: "Book this transport", Fields: []page.Field{
				{Name: "available_from", Label: "First day for the pickup", Type: "date", Required: true},
				meeting("pickup", "Pickup"), meeting("delivery", "Delivery"), name,
				{Name: "accepted", Label: "I accept the price, and order the transport", Type: "checkbox", Required: true},
			}},
			{Name: "sign", Title: "Your order has changed", Submit: "Sign the changes", Fields: []page.Field{
				name, {Name: "accepted", Label: "I accept these changes of my order", Type: "checkbox", Required: true},
			}},
		},
	})
}

// meeting has the fields of whom the driver meets at an end of the way.
func meeting(end, label string) page.Field {
	return page.Field{Type: "group", Label: label, Fields: []page.Field{
		{Name: end + ".line1", Label: "Street and number", MaxLength: 200},
		{Name: end + ".name", Label: "Whom the driver meets", MaxLength: 200},
		{Name: end + ".phone", Label: "Phone", Type: "tel", MaxLength: 30},
	}}
}

// view is what the page of a load shows.
func (s Shared) view(link string) face.View {
	v := face.View{Brand: s.Brand, Over: "Transport " + s.Number, Heading: "Your transport", Steps: s.steps()}
	if n := len(s.Stops); n > 1 {
		v.Heading = s.Stops[0].Venue.Title() + " → " + s.Stops[n-1].Venue.Title()
	}
	handed, cars := "", face.Card{Title: "Vehicles"}
	for _, one := range s.Vehicles {
		at := s.waits(one)
		handed = cmp.Or(handed, at)
		cars.Items = append(cars.Items, face.Item{Title: cmp.Or(one.Name(), one.VIN), Side: CustodyText(string(one.Custody), at)})
	}
	v.Next = append([]string{StateText(s.State, handed)}, s.Notes...)
	if s.ChangesKey != "" {
		changed := face.Card{Title: "What has changed", Text: "If you do not agree, please call us."}
		for _, line := range s.Changes {
			changed.Changes = append(changed.Changes, face.Change{Label: line.Label, Before: line.Before, After: line.After})
		}
		v.Cards = append(v.Cards, changed)
		v.Acts = append(v.Acts, face.Act{Verb: "sign", Hidden: map[string]string{"changes_key": s.ChangesKey}})
	}
	if s.Bookable {
		act := face.Act{Verb: "book", Hidden: map[string]string{"tariff": string(s.Tariff), "shown_key": s.ShownKey}}
		if s.AvailableFrom != "" {
			act.Without = []string{"available_from"}
		}
		v.Acts = append(v.Acts, act)
	}
	v.Cards = append(v.Cards, face.Card{Facts: s.facts(), Map: s.onMap(), Stops: s.way()}, cars)
	if len(s.Plan) > 0 {
		v.Cards = append(v.Cards, face.Card{Title: "Payments", Prices: s.due()})
	}
	v.Cards = append(v.Cards, face.Card{Links: []page.Link{{Text: "Documents", Path: link + "/documents"}}})
	if s.Coming.Phone != "" {
		v.Foot = []page.Line{page.Called("Questions? Call us:", s.Coming.Phone)}
	}

	return v
}

// over reports whether nobody comes for the load any more, or not yet.
func (s Shared) over() bool {
	return slices.Contains([]loadsapi.State{loadsapi.Lost, loadsapi.Cancelled, loadsapi.Archived, loadsapi.Draft}, s.State)
}

// path are the states of a transport as its customer knows them.
var path = []struct {
	text   string
	before []loadsapi.State
}{
	{"Booked", []loadsapi.State{loadsapi.Lead, loadsapi.Quoted}},
	{"Carrier found", []loadsapi.State{loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready}},
	{"Picked up", []loadsapi.State{loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched}},
	{"Delivered", []loadsapi.State{loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched, loadsapi.PickedUp}},
}

func (s Shared) steps() (steps []face.Step) {
	if s.over() {
		return nil
	}
	for _, at := range path {
		steps = append(steps, face.Step{Text: at.text, Done: !slices.Contains(at.before, s.State)})
	}

	return steps
}

func (s Shared) facts() []face.Fact {
	price, left, miles, days, from, until := "", "", "", "", "", ""
	if s.AvailableFrom != "" && slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready}, s.State) {
		from = "From " + page.Day(s.AvailableFrom)
	}
	if s.PromisedBy != "" && slices.Contains([]loadsapi.State{loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched}, s.State) {
		until = "By " + page.Day(s.PromisedBy) + " at the latest"
	}
	if s.Miles != nil && s.FromDays != nil && s.ToDays != nil {
		miles, days = page.Sprintf("About %d miles", *s.Miles), page.Sprintf("Usually %d to %d days", *s.FromDays, *s.ToDays)
	}
	if s.Tariff != "" {
		price = page.Amount(s.Tariff, s.Currency)
	}
	if s.CustomerOwes != "" && s.CustomerOwes != s.Tariff {
		left = page.Amount(s.CustomerOwes, s.Currency)
	}
	carrier, driver := "", ""
	if !s.over() {
		carrier = s.Coming.Carrier
		if s.State != loadsapi.Delivered && s.State != loadsapi.Completed {
			driver = s.Coming.Driver
		}
	}

	return face.Facts(
		"Price", price, "Left to pay", left, "Pickup", from, "Promised pickup", until, "Distance", miles, "On the way", days, "Carrier", carrier, "Driver", driver,
	)
}

// waits is where a vehicle waits that its first carrier has handed over, "" for any other.
func (s Shared) waits(v cargo.Vehicle) string {
	if v.Custody != "waiting" {
		return ""
	}
	i := slices.IndexFunc(s.Stops, func(at route.Stop) bool { return at.UUID == v.Pickup && at.Kind == "transfer" })
	if i < 0 {
		return ""
	}

	return s.Stops[i].Venue.Title()
}

var stopTitles = map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}

// way are the stops, with when somebody is expected where that is known and not past.
func (s Shared) way() (stops []face.Stop) {
	c, n := s.Coming, len(s.Stops)-1
	done := s.State == loadsapi.Delivered || s.State == loadsapi.Completed
	for i, at := range s.Stops {
		stop := face.Stop{Title: stopTitles[at.Kind] + ": " + at.Venue.Title(), Done: done || i == 0 && s.State == loadsapi.PickedUp}
		agreed, eta := "", (*time.Time)(nil)
		switch i {
		case 0:
			agreed, eta = c.Pickup, c.AtPickup
		case n:
			agreed, eta = c.Delivery, c.AtDrop
		}
		window := ""
		if at.Window != nil {
			window = page.Window(at.Window.From, at.Window.To, at.Venue.TimeZone)
		}
		switch {
		case s.over() || stop.Done || at.Kind == "transfer":
		case eta != nil:
			stop.Lines = page.Lines("Expected " + page.Moment(*eta, page.Zone(at.Venue.TimeZone)))
		case agreed != "":
			stop.Lines = page.Lines(page.Day(agreed))
		case window != "":
			stop.Lines = page.Lines(window)
		}
		stops = append(stops, stop)
	}

	return stops
}

// onMap draws the way, nil for one that is not on the map.
func (s Shared) onMap() *face.Map {
	m := &face.Map{Label: "Map of the United States with the way of the transport"}
	for _, at := range s.Stops {
		m.Places = append(m.Places, face.Place{Name: at.Venue.Title(), At: at.Venue.Position})
	}

	return m.Drawn()
}

// due are the payments of the customer.
func (s Shared) due() (lines []face.Price) {
	for _, line := range s.Plan {
		lines = append(lines, face.Price{Label: s.to(line), Notes: []string{loadsapi.DueText(line.Event, line.Days, line.BusinessDays)}, Amount: page.Amount(line.Amount, s.Currency)})
	}

	return lines
}

// to is who gets a payment.
func (s Shared) to(line plan.Line) string {
	if line.To == "carrier" {
		return "To the carrier"
	}

	return "To " + s.Brand.Name
}

// StateText is what a customer reads of the state of a load. Handed is where vehicles wait that another carrier carries on, "" for none.
func StateText(s loadsapi.State, handed string) string {
	switch {
	case handed != "" && s == loadsapi.Dispatched:
		return "Your transport is on the way. It waits in " + handed + ", where another carrier picks it up."
	case handed != "":
		return "Your transport is on the way. It waits in " + handed + ". We are looking for a carrier that takes it on from there."
	}

	return stateTexts[s]
}

// stateTexts are what a customer reads of the states.
var stateTexts = map[loadsapi.State]string{
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

	return custodyTexts[custody]
}

var custodyTexts = map[string]string{"waiting": "waits to be picked up", "picked_up": "is on the way", "delivered": "was delivered"}
