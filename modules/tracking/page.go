package tracking

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages renders the page on which a customer follows a load.
type pages struct {
	layout *page.Layout
	// land are the dots of the map, as the data of an SVG path.
	land string
}

// The map shows the 48 states: a line of page/states.txt for each rowDegrees from the north, a character for each columnDegrees from the west.
const (
	north, west               = 49.8, -125.0
	rowDegrees, columnDegrees = 0.4, 0.5
	// rowUnits and columnUnits are the size of a character on the map, which is as high as it looks at 39 degrees north.
	rowUnits, columnUnits = 5.2, 5.0
)

func newPages() *pages {
	return &pages{
		layout: page.New(page.Parts{
			Content: page.File(pageFiles, "page/track.html"), Style: page.File(pageFiles, "page/track.css"), Script: page.File(pageFiles, "page/track.js"),
		}),
		land: landOf(page.File(pageFiles, "page/states.txt")),
	}
}

// landOf is the path of dots that a drawing stands for: one line for each run of land, which is dashed into dots.
func landOf(drawing string) string {
	var path strings.Builder
	for y, row := range strings.Split(strings.TrimSpace(drawing), "\n") {
		for x := 0; x < len(row); x++ {
			from := x
			for x < len(row) && row[x] == '#' {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%g %.1fh%g", float64(from)*columnUnits, float64(y)*rowUnits, float64(x-from-1)*columnUnits+0.1) //nolint:mnd // so that one dot is drawn, too
			}
		}
	}

	return path.String()
}

// onMap is where a point is on the map.
func onMap(p field.GeoPoint) (x, y string, there bool) {
	lat, wrong := p.Lat.Float64()
	lng, alsoWrong := p.Lng.Float64()
	if wrong != nil || alsoWrong != nil {
		return "", "", false
	}

	return fmt.Sprintf("%.1f", (lng-west)/columnDegrees*columnUnits), fmt.Sprintf("%.1f", (north-lat)/rowDegrees*rowUnits), true
}

// content is what the markup shows.
type content struct {
	Steps []step
	Cars  []string
	Stops []stopText
	// Where says where the truck was, "" if it is not known.
	Where string
	// Who are the carrier, the driver and whom to call.
	Who []page.Line
	// Arrives says when it is expected, "" if it is not on the way.
	Arrives string
	// Land is the map, "" for none; Way is the path over the stops.
	Land, Way string
	Points    []point
}

type step struct {
	Text string
	Done bool
}

type stopText struct{ Title, When string }

// point is a stop, or the truck, on the map.
type point struct {
	X, Y, Label string
	Truck       bool
}

var headings = map[loadsapi.State]string{
	loadsapi.Dispatched: "A carrier has been found", loadsapi.PickedUp: "Your vehicles are on the way", loadsapi.Delivered: "Your vehicles were delivered",
	loadsapi.Completed: "Your vehicles were delivered", loadsapi.Cancelled: "This transport was canceled", loadsapi.Lost: "This transport was canceled", loadsapi.Archived: "This transport is over",
}

func (p *pages) show(a web.Answer) web.Page {
	var t tracked
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &t) != nil {
		return p.layout.Refused(a, func(string) string { return "" })
	}
	heading := headings[t.State]
	if heading == "" {
		heading = "Your transport is planned"
	}
	if t.Handed != "" {
		heading = "Your vehicles wait in " + t.Handed + " for another carrier"
	}
	c := content{Cars: t.Vehicles, Steps: []step{
		{"Carrier found", t.PickedUpAt != nil || t.Handed != "" || t.State == loadsapi.Dispatched}, {"Picked up", t.PickedUpAt != nil || t.Handed != ""}, {"Delivered", t.DeliveredAt != nil},
	}}
	for _, s := range t.Stops {
		c.Stops = append(c.Stops, stopText{
			map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}[s.Kind] + ": " + s.City + ", " + s.State, page.Window(s.From, s.To, s.Zone),
		})
	}
	if t.Map {
		p.draw(&c, t)
	}
	first, last := t.ends()
	switch {
	case t.DeliveredAt != nil:
	case t.AtDelivery != nil && t.PickedUpAt != nil:
		c.Arrives = "Expected " + page.Moment(*t.AtDelivery, last)
	case t.ETA != nil:
		c.Arrives = "Expected about " + page.Day(t.ETA.In(last).Format("2006-01-02"))
	case t.AtPickup != nil && t.PickedUpAt == nil:
		c.Arrives = "The driver is expected at the pickup " + page.Moment(*t.AtPickup, first)
	}
	if at := t.Position; at != nil {
		c.Where = "Near " + at.Near + " on " + page.Moment(at.At, last)
	}
	c.Who = t.who()

	return p.layout.Show(page.Page{Brand: t.Brand, Heading: heading, Texts: []string{"Transport " + t.Number}, Content: c, Scripted: true})
}

// ends are the time zones of the first and the last stop.
func (t tracked) ends() (first, last *time.Location) {
	if len(t.Stops) == 0 {
		return time.UTC, time.UTC
	}

	return page.Zone(t.Stops[0].Zone), page.Zone(t.Stops[len(t.Stops)-1].Zone)
}

// who says who comes, on which days, and whom to call.
func (t tracked) who() (all []page.Line) {
	if t.DeliveredAt == nil {
		for _, one := range []struct{ label, text string }{{"Agreed day of the pickup: ", t.Pickup}, {"Agreed day of the delivery: ", t.Delivery}} {
			if one.text != "" && (t.PickedUpAt == nil || one.text == t.Delivery) {
				all = append(all, page.Line{Text: one.label + page.Day(one.text)})
			}
		}
	}
	for _, one := range []struct{ label, text string }{{"Carrier: ", t.Carrier}, {"Driver: ", t.Driver}} {
		if one.text != "" {
			all = append(all, page.Line{Text: one.label + one.text})
		}
	}
	if t.Phone != "" {
		all = append(all, page.Called("Questions? Call us:", t.Phone))
	}

	return all
}

// draw draws the map.
func (p *pages) draw(c *content, t tracked) {
	for _, s := range t.Stops {
		x, y, there := onMap(s.Position)
		if !there {
			continue
		}
		c.Way += map[bool]string{true: "M", false: "L"}[c.Way == ""] + x + " " + y
		c.Points = append(c.Points, point{x, y, s.City, false})
	}
	if t.Position != nil {
		if x, y, there := onMap(t.Position.Position); there {
			c.Points = append(c.Points, point{x, y, "Truck", true})
		}
	}
	if len(c.Points) > 0 {
		c.Land = p.land
	}
}
