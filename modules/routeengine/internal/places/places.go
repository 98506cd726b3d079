// Package places knows the ZIP codes of the United States: their cities, counties, coordinates and time zones, and which of them roads
// connect.
//
// The data are embedded. The first lookup unpacks them into a few megabytes of memory, which all callers share. Everything here is pure: the same question always has the same answer.
package places

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Place is a ZIP code or a city.
type Place struct {
	// ID is "zip-75201" or "city-tx-dallas".
	ID   string
	Kind Kind
	// ZIP has five digits; that of a city is the ZIP code nearest to its center.
	ZIP, City, State, County string
	// Country is CA for a place of Canada, and "" for one of the United States.
	Country string
	// Lat and Lng are the center in degrees; both are 0 for a military post office, which has no position.
	Lat, Lng float64
	// TimeZone is a name of the IANA database.
	TimeZone string
	Land     Land
	// ZIPs is the number of ZIP codes of the city.
	ZIPs int
}

// Kind is the kind of a place.
type Kind string

// The kinds of places.
const (
	ZIPCode  Kind = "zip"
	City     Kind = "city"
	Military Kind = "military"
)

// Land is what roads connect. Two places are connected if theirs is the same, or if ferries that take cars or roads through Canada
// connect both to the mainland.
type Land string

// Mainland is the road network of the 48 states; no road leads from Nowhere to any other place.
const (
	Mainland Land = ""
	Nowhere  Land = "!"
)

// The first letters of lands that are connected otherwise than by roads of the United States.
const (
	ferryMark  = "~"
	abroadMark = "^"
)

// Ferry reports whether a ferry takes cars there.
func (l Land) Ferry() bool { return strings.HasPrefix(string(l), ferryMark) }

// ThroughCanada reports whether the road there leads through Canada.
func (l Land) ThroughCanada() bool { return strings.HasPrefix(string(l), abroadMark) }

// Way describes how two places are connected.
type Way struct {
	// Connected is false if there is neither a road nor a ferry.
	Connected bool
	// Ferry and Border say that the way takes a ferry, and that it leads through another country.
	Ferry, Border bool
}

// Between returns how two places are connected.
func Between(a, b Place) Way {
	switch {
	case a.Land == Nowhere || b.Land == Nowhere:
		return Way{Connected: a.State == b.State && a.City == b.City}
	case a.Land == b.Land:
		return Way{Connected: true}
	case a.Land.reached() && b.Land.reached():
		return Way{Connected: true, Ferry: a.Land.Ferry() || b.Land.Ferry(), Border: a.Land.ThroughCanada() || b.Land.ThroughCanada()}
	}

	return Way{}
}

// reached reports whether a car gets there from the mainland.
func (l Land) reached() bool { return l == Mainland || l.Ferry() || l.ThroughCanada() }

// Find returns the place of a ZIP code. A military one is found whether or not it is in use.
func Find(zip ZIP) (Place, bool) {
	if region := zip.military(); region != "" {
		return Place{ID: zip.id(), Kind: Military, ZIP: zip.String(), State: region}, true
	}
	x := loaded()
	i, ok := slices.BinarySearchFunc(x.rows, uint32(zip), func(r row, zip uint32) int { return int(r.zip) - int(zip) })
	if !ok {
		return Place{}, false
	}

	return x.place(i), true
}

// FindID returns the place with an id.
func FindID(id string) (Place, bool) {
	kind, rest, _ := strings.Cut(id, "-")
	switch Kind(kind) {
	case ZIPCode:
		zip, err := ParseZIP(rest)
		if err != nil || zip.id() != id {
			return Place{}, false
		}

		return Find(zip)
	case City:
		state, name, _ := strings.Cut(rest, "-")
		if p, ok := FindCanadian(strings.ReplaceAll(name, "-", " "), state); ok {
			return p, p.ID == id
		}
		p, ok := FindCity(strings.ReplaceAll(name, "-", " "), state)

		return p, ok && p.ID == id
	case Military, Postal:
	}

	return Place{}, false
}

// FindCity returns a city of a state, which is named by its two letters or in full.
func FindCity(name, state string) (Place, bool) {
	x := loaded()
	code := stateOf(state)
	folded := Fold(name)
	i, _ := slices.BinarySearchFunc(x.cities, folded, func(c city, folded string) int { return strings.Compare(c.folded, folded) })
	for ; i < len(x.cities) && x.cities[i].folded == folded; i++ {
		if x.states[x.cities[i].state] == code {
			return x.city(i), true
		}
	}

	return Place{}, false
}

// milesPerDegree is that of a degree of latitude.
const milesPerDegree = 69.09

// flat measures squares of miles around a point, where the earth is flat.
type flat struct{ lat, lng, shrink float64 }

func flatAt(lat, lng float64) flat {
	return flat{lat, lng, math.Cos(lat * math.Pi / 180)} //nolint:mnd // degrees of half a circle
}

func (f flat) to(lat, lng float64) float64 {
	dy := (lat - f.lat) * milesPerDegree
	dx := math.Abs(lng - f.lng)
	dx = min(dx, 360-dx) * milesPerDegree * f.shrink //nolint:mnd // degrees of a circle

	return dx*dx + dy*dy
}

// toBox is to the nearest point of a box: the nearest one of a parallel is the point's own longitude, or an end.
func (f flat) toBox(b box) float64 {
	lat := min(max(f.lat, b.south), b.north)
	if b.west <= f.lng && f.lng <= b.east {
		return f.to(lat, f.lng)
	}

	return min(f.to(lat, b.west), f.to(lat, b.east))
}

// Nearest returns the ZIP code nearest to a point, and how many miles it is away. Of those with the same coordinates it is the first.
func Nearest(lat, lng float64) (Place, float64) {
	x, from := loaded(), flatAt(lat, lng)
	// The best of the box that begins nearest is near, so that few other boxes are worth a look.
	first := slices.MinFunc(x.boxes, func(a, b box) int { return cmp.Compare(from.toBox(a), from.toBox(b)) })
	best, least := 0, math.Inf(1)
	look := func(b box) {
		for i := b.from; i < b.to; i++ {
			r := x.rows[i]
			if d := from.to(degrees(r.lat), degrees(r.lng)); d < least || d == least && i < best {
				best, least = i, d
			}
		}
	}
	look(first)
	for _, b := range x.boxes {
		if from.toBox(b) <= least {
			look(b)
		}
	}

	return x.place(best), math.Sqrt(least)
}

// mostNear is the number of suggested neighbors.
const mostNear = 3

// NearZIPs returns the three ZIP codes with the nearest numbers, as suggestions for a mistyped one.
func NearZIPs(zip ZIP) []string {
	x := loaded()
	at, _ := slices.BinarySearchFunc(x.rows, uint32(zip), func(r row, zip uint32) int { return int(r.zip) - int(zip) })
	low, high := at-1, at
	near := make([]string, 0, mostNear)
	for len(near) < mostNear {
		if low < 0 || high < len(x.rows) && x.rows[high].zip-uint32(zip) < uint32(zip)-x.rows[low].zip {
			near = append(near, ZIP(x.rows[high].zip).String())
			high++
		} else {
			near = append(near, ZIP(x.rows[low].zip).String())
			low--
		}
	}
	slices.Sort(near)

	return near
}

// Zone is the area of the ZIP codes with the same first three digits.
type Zone struct {
	Prefix string
	// City and State have most of its ZIP codes.
	City, State string
	ZIPs        int
	// Lat and Lng are the medians of its ZIP codes.
	Lat, Lng float64
}

// zoneSize is how many ZIP codes have the same first three digits.
const zoneSize = 100

// ZoneOf returns the zone of a ZIP code, which must be one of Find.
func ZoneOf(p Place) Zone {
	zip, err := ParseZIP(p.ZIP)
	if err != nil {
		return Zone{}
	}

	return loaded().summarize(uint32(zip) / zoneSize)
}

// ZonesNear returns the prefixes of the zones whose center is within some miles of a point, and that of the ZIP code nearest to it.
func ZonesNear(lat, lng, miles float64) []string {
	x := loaded()
	nearest, _ := Nearest(lat, lng)
	near := []string{nearest.ZIP[:3]}
	from := flatAt(lat, lng)
	for _, z := range x.zones {
		if from.to(z.Lat, z.Lng) <= miles*miles && z.Prefix != near[0] {
			near = append(near, z.Prefix)
		}
	}

	return near
}
