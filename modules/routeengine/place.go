package routeengine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
)

// place is a place as the API shows it.
type place struct {
	ID       string   `json:"id" doc:"Stable; accepted as place_id." example:"zip-75201"`
	Kind     string   `json:"kind" enum:"zip,city,military,postal_code,point,address"`
	Name     string   `json:"name" doc:"Display name." example:"Dallas, TX 75201"`
	ZIP      *string  `json:"zip" doc:"For a city, the ZIP code nearest to its center; for a point, the nearest one. Null outside the United States." example:"75201"`
	City     string   `json:"city" example:"Dallas"`
	State    string   `json:"state" example:"TX"`
	County   string   `json:"county" example:"Dallas"`
	Country  string   `json:"country" enum:"US,CA,MX"`
	Lat      *float64 `json:"lat" doc:"For a ZIP code or city, its center. Null for a military post office." example:"32.7904"`
	Lng      *float64 `json:"lng" example:"-96.8044"`
	TimeZone *string  `json:"time_zone" doc:"An IANA name. Null for a military post office and outside the United States." example:"America/Chicago"`
	Access   string   `json:"access" enum:"mainland,ferry,through_canada,separate,none" doc:"How a car gets there: by the roads of the 48 states, by a ferry, by a road through Canada, only from other places of the same island or Alaska, or not at all."`
	ZIPs     int      `json:"zips" doc:"How many ZIP codes a city has."`
	Source   string   `json:"source" enum:"offline,nominatim" doc:"Where the position is from."`

	point distance.Point
	land  places.Place
}

// SchemaName implements web.SchemaNamer.
func (place) SchemaName() string { return "Place" }

// The kinds of places other than those of package places.
const (
	kindPoint   = "point"
	kindAddress = "address"
)

// placeOf shows a ZIP code or a city.
func placeOf(p places.Place) place {
	v := place{
		ID: p.ID, Kind: string(p.Kind), ZIP: &p.ZIP, City: p.City, State: p.State, County: p.County, Country: string(distance.UnitedStates),
		ZIPs: p.ZIPs, Source: string(offline), Access: accessOf(p.Land), point: pointOf(p), land: p,
	}
	switch p.Kind {
	case places.Military:
		v.Name, v.Access = fmt.Sprintf("Military post office %s %s", p.State, p.ZIP), "none"

		return v
	case places.Postal:
		v.Name = fmt.Sprintf("%s, %s %s", p.City, p.State, p.ZIP)
	case places.City:
		v.Name = p.City + ", " + p.State
	case places.ZIPCode:
		v.Name = fmt.Sprintf("%s, %s %s", p.City, p.State, p.ZIP)
	}
	v.Lat, v.Lng, v.TimeZone = &p.Lat, &p.Lng, &p.TimeZone
	if p.Country != "" {
		v.Country, v.ZIP = p.Country, nil
	}

	return v
}

func accessOf(l places.Land) string {
	switch {
	case l == places.Mainland:
		return "mainland"
	case l.Ferry():
		return "ferry"
	case l.ThroughCanada():
		return "through_canada"
	case l == places.Nowhere:
		return "none"
	}

	return "separate"
}

// farAway is the distance in miles from the nearest ZIP code beyond which a point is outside the United States.
const farAway = 75

// placeAt shows a point with the city and time zone of the nearest ZIP code. It reports false for a point outside the known countries, such
// as one at sea.
func placeAt(at distance.Point) (place, bool) {
	at = distance.Point{Lat: hundredThousandth(at.Lat), Lng: hundredThousandth(at.Lng)}
	v := place{
		ID: fmt.Sprintf("%s-%s,%s", kindPoint, degrees(at.Lat), degrees(at.Lng)), Kind: kindPoint, Name: degrees(at.Lat) + ", " + degrees(at.Lng),
		Lat: &at.Lat, Lng: &at.Lng, Source: string(offline), point: at, Access: accessOf(places.Mainland),
	}
	country := distance.CountryOf(at)
	v.Country = string(country)
	if country != distance.UnitedStates {
		return v, true
	}
	nearest, miles := places.Nearest(at.Lat, at.Lng)
	if miles > farAway {
		return v, false
	}
	v.ZIP, v.City, v.State, v.County, v.TimeZone = &nearest.ZIP, nearest.City, nearest.State, nearest.County, &nearest.TimeZone
	v.Access, v.land = accessOf(nearest.Land), nearest

	return v, true
}

// placeWithID returns the place with an id.
func placeWithID(id string) (place, bool) {
	if text, ok := strings.CutPrefix(id, kindPoint+"-"); ok {
		latText, lngText, _ := strings.Cut(text, ",")
		lat, failedLat := strconv.ParseFloat(latText, 64)
		lng, failedLng := strconv.ParseFloat(lngText, 64)
		if failedLat != nil || failedLng != nil || !onEarth(lat, lng) {
			return place{}, false
		}
		v, ok := placeAt(distance.Point{Lat: lat, Lng: lng})

		return v, ok && v.ID == id
	}
	if code, ok := strings.CutPrefix(id, "postal-"); ok {
		p, ok := places.FindPostal(code)
		if !ok || p.ID != id {
			return place{}, false
		}

		return placeOf(p), true
	}
	p, ok := places.FindID(id)
	if !ok {
		return place{}, false
	}

	return placeOf(p), true
}

const (
	mostLat = 90
	mostLng = 180
)

func onEarth(lat, lng float64) bool { return math.Abs(lat) <= mostLat && math.Abs(lng) <= mostLng }

// hundredThousandth rounds degrees to a yard.
func hundredThousandth(degrees float64) float64 { return math.Round(degrees*1e5) / 1e5 } //nolint:mnd // see its name

// degrees formats degrees with five decimals, so that a place has one id. It never returns -0.
func degrees(value float64) string { return strconv.FormatFloat(value+0, 'f', 5, 64) }

// laneOf returns the key of the leg between two points.
func laneOf(from, to place) string {
	return degrees(from.point.Lat) + "," + degrees(from.point.Lng) + ";" + degrees(to.point.Lat) + "," + degrees(to.point.Lng)
}
