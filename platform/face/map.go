package face

import (
	_ "embed" // the outline
	"fmt"
	"strings"
	"sync"

	"github.com/dispatchd/dispatchd/platform/field"
)

// Map is the outline of the United States with places on it, in their order, and where something is.
type Map struct {
	Places []Place
	// At is where it is, nil if that is not known.
	At *Place
	// Label says the same for those who do not see it.
	Label string
}

// Place is a point with its name.
type Place struct {
	Name string
	At   field.GeoPoint
}

// The outline shows the 48 states: a line of states.txt for each rowDegrees from the north, a character for each columnDegrees from the west.
const (
	north, west               = 49.8, -125.0
	rowDegrees, columnDegrees = 0.4, 0.5
	// rowUnits and columnUnits are the size of a character on the map, which is as high as it looks at 39 degrees north.
	rowUnits, columnUnits = 5.2, 5.0
	width, height         = 602.0, 346.0
)

//go:embed states.txt
var states string

// land are the dots of the map, as the data of an SVG path: one line for each run of land, which is dashed into dots.
var land = sync.OnceValue(func() string {
	var path strings.Builder
	for y, row := range strings.Split(strings.TrimSpace(states), "\n") {
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
})

// Drawn is the map, nil for one without anything on it.
func (m *Map) Drawn() *Map {
	if len(m.Dots()) == 0 && m.Truck() == nil {
		return nil
	}

	return m
}

// Land is the outline.
func (*Map) Land() string { return land() }

// dot is a point as the markup draws it.
type dot struct{ X, Y, Name string }

// dotOf is where a place is on the map; false for one beyond its edges, or without a position.
func dotOf(p Place) (dot, bool) {
	lat, wrong := p.At.Lat.Float64()
	lng, alsoWrong := p.At.Lng.Float64()
	x, y := (lng-west)/columnDegrees*columnUnits, (north-lat)/rowDegrees*rowUnits
	if wrong != nil || alsoWrong != nil || x < 0 || y < 0 || x > width || y > height {
		return dot{}, false
	}

	return dot{fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", y), p.Name}, true
}

// Dots are the places that are on the map.
func (m *Map) Dots() (all []dot) {
	for _, p := range m.Places {
		if d, there := dotOf(p); there {
			all = append(all, d)
		}
	}

	return all
}

// Way is the path over the places.
func (m *Map) Way() string {
	points := make([]string, 0, len(m.Places))
	for _, d := range m.Dots() {
		points = append(points, d.X+" "+d.Y)
	}
	if len(points) == 0 {
		return ""
	}

	return "M" + strings.Join(points, "L")
}

// Truck is where it is, nil if that is not on the map.
func (m *Map) Truck() *dot {
	if m.At == nil {
		return nil
	}
	d, there := dotOf(*m.At)
	if !there {
		return nil
	}

	return &d
}
