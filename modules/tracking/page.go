package tracking

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

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
		return p.layout.Refused(a, nil)
	}
	heading := headings[t.State]
	if heading == "" {
		heading = "Your transport is planned"
	}
	c := content{Cars: t.Vehicles, Steps: []step{
		{"Carrier found", t.PickedUpAt != nil || t.State == loadsapi.Dispatched}, {"Picked up", t.PickedUpAt != nil}, {"Delivered", t.DeliveredAt != nil},
	}}
	for _, s := range t.Stops {
		c.Stops = append(c.Stops, stopText{
			map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}[s.Kind] + ": " + s.City + ", " + s.State, between(s.From, s.To),
		})
	}
	if t.Map {
		p.draw(&c, t)
	}
	if t.ETA != nil {
		c.Arrives = "Expected about " + page.Day(t.ETA.Format("2006-01-02"))
	}
	if at := t.Position; at != nil {
		c.Where = "Near " + at.Near + " on " + page.Day(at.At.Format("2006-01-02")) + ", " + at.At.Format("15:04 UTC")
	}

	return p.layout.Show(page.Page{Brand: t.Brand, Heading: heading, Texts: []string{"Transport " + t.Number}, Content: c, Scripted: true})
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

// between is a window as people read it, "" for none.
func between(from, to string) string {
	day := func(text string) string {
		date, clock, timed := strings.Cut(text, "T")
		if timed {
			return page.Day(date) + ", " + clock
		}

		return page.Day(date)
	}
	switch {
	case from == "" && to == "":
		return ""
	case from == "":
		return "Until " + day(to)
	case to == "" || from == to:
		return "From " + day(from)
	}

	return day(from) + " to " + day(to)
}
