package tracking

import (
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/page"
)

// newFace makes the page on which a customer follows a load.
func newFace() *face.Face[tracked] {
	return face.New(face.Parts[tracked]{View: func(t tracked, _ string) face.View { return t.view() }})
}

var headings = map[loadsapi.State]string{
	loadsapi.Dispatched: "A carrier has been found", loadsapi.PickedUp: "Your vehicles are on the way", loadsapi.Delivered: "Your vehicles were delivered",
	loadsapi.Completed: "Your vehicles were delivered", loadsapi.Cancelled: "This transport was canceled", loadsapi.Lost: "This transport was canceled", loadsapi.Archived: "This transport is over",
}

// view is what the page of a load shows.
func (t tracked) view() face.View {
	v := face.View{Brand: t.Brand, Over: "Transport " + t.Number, Heading: headings[t.State], Fresh: true}
	if v.Heading == "" {
		v.Heading = "Your transport is planned"
	}
	if t.Handed != "" {
		v.Heading = "Your vehicles wait in " + t.Handed + " for another carrier"
	}
	if !slices.Contains([]loadsapi.State{loadsapi.Cancelled, loadsapi.Lost, loadsapi.Archived}, t.State) {
		v.Steps = []face.Step{
			{Text: "Planned", Done: true},
			{Text: "Carrier found", Done: t.PickedUpAt != nil || t.Handed != "" || t.State == loadsapi.Dispatched},
			{Text: "Picked up", Done: t.PickedUpAt != nil || t.Handed != ""},
			{Text: "Delivered", Done: t.DeliveredAt != nil},
		}
	}
	_, last := t.ends()
	way := face.Card{Stops: t.way()}
	if t.Map {
		way.Map = t.onMap()
	}
	if text := t.expected(); text != "" {
		v.Next = append(v.Next, text)
	}
	if at := t.Position; at != nil {
		v.Next = append(v.Next, "Near "+at.Near+" on "+page.Moment(at.At, last))
	}
	v.Cards = append(v.Cards, way)
	if facts := face.Facts("Carrier", t.Carrier, "Driver", t.Driver); len(facts) > 0 {
		v.Cards = append(v.Cards, face.Card{Facts: facts})
	}
	if len(t.Vehicles) > 0 {
		cars := face.Card{Title: "Vehicles"}
		for _, name := range t.Vehicles {
			cars.Items = append(cars.Items, face.Item{Title: name})
		}
		v.Cards = append(v.Cards, cars)
	}
	if t.Phone != "" {
		v.Foot = []page.Line{page.Called("Questions? Call us:", t.Phone)}
	}

	return v
}

// expected says when the driver, or the vehicles, are expected; "" if that is not known, or over.
func (t tracked) expected() string {
	first, last := t.ends()
	switch {
	case t.DeliveredAt != nil:
		return ""
	case t.AtDelivery != nil && t.PickedUpAt != nil:
		return "Expected " + page.Moment(*t.AtDelivery, last)
	case t.ETA != nil:
		return "Expected about " + page.Day(t.ETA.In(last).Format(time.DateOnly))
	case t.AtPickup != nil && t.PickedUpAt == nil:
		return "The driver is expected at the pickup " + page.Moment(*t.AtPickup, first)
	default:
		return ""
	}
}

// ends are the time zones of the first and the last stop.
func (t tracked) ends() (first, last *time.Location) {
	if len(t.Stops) == 0 {
		return time.UTC, time.UTC
	}

	return page.Zone(t.Stops[0].Zone), page.Zone(t.Stops[len(t.Stops)-1].Zone)
}

var stopTitles = map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}

// way are the stops, with the agreed days of the first and the last one unless they are past.
func (t tracked) way() (stops []face.Stop) {
	for i, s := range t.Stops {
		at := face.Stop{
			Title: stopTitles[s.Kind] + ": " + s.City + ", " + s.State, When: page.Window(s.From, s.To, s.Zone),
			Done: t.DeliveredAt != nil || i == 0 && t.PickedUpAt != nil,
		}
		agreed := map[int]string{0: t.Pickup, len(t.Stops) - 1: t.Delivery}[i]
		if agreed != "" && !at.Done {
			at.Lines = page.Lines("Agreed: " + page.Day(agreed))
		}
		stops = append(stops, at)
	}

	return stops
}

// onMap draws the way, and where the truck was.
func (t tracked) onMap() *face.Map {
	m := &face.Map{Label: "Map of the United States with the way of the transport"}
	for _, s := range t.Stops {
		m.Places = append(m.Places, face.Place{Name: s.City, At: s.Position})
	}
	if at := t.Position; at != nil {
		m.At, m.Label = &face.Place{Name: "Truck", At: at.Position}, m.Label+": near "+at.Near
	}

	return m.Drawn()
}
