// Package distance estimates how far apart places are by road, without a map: from the great circle, by a factor that was fitted to the
// road miles of city pairs, with the detours that water and mountains make necessary.
//
// An estimate is typically within 8 % of the road and may be 20 % off, or more between places that are near each other. Everything here
// is pure, and both directions have the same miles.
package distance

import "math"

// Point is a place on the earth in degrees.
type Point struct{ Lat, Lng float64 }

// earthRadius is in miles (6371.0088 km).
const earthRadius = 3958.7613

const radians = math.Pi / 180

// GreatCircle returns the miles of the straight line over the earth.
func GreatCircle(p, q Point) float64 {
	latP, latQ := p.Lat*radians, q.Lat*radians
	sinLat, sinLng := math.Sin((latQ-latP)/2), math.Sin((q.Lng-p.Lng)*radians/2) //nolint:mnd // half angles
	h := sinLat*sinLat + math.Cos(latP)*math.Cos(latQ)*sinLng*sinLng

	return 2 * earthRadius * math.Asin(min(1, math.Sqrt(h))) //nolint:mnd // twice the half angle
}

// How much longer roads are than the straight line: a part for each region, and one for short ways that fades with the distance. They
// were fitted to the 41 pairs marked "fit" in testdata/pairs.csv.
const (
	eastFactor    = 1.12
	westFactor    = 1.18
	rockiesFactor = 1.30
	shortFactor   = 0.25
	shortFade     = 150
	// detourShort replaces shortFactor where the way leads over a gate.
	detourShort = 0.5
)

// The regions: the West begins at its longitude, the Rocky Mountains are a part of it.
const (
	westBegins                   = -104.9
	rockiesSouth, rockiesNorth   = 36.0, 48.0
	rockiesWestEnd, rockiesFront = -113.0, -105.2
)

// samples is the number of points of a line at which the region is looked up.
const samples = 20

// Road returns the estimated miles by road, never less than those of the great circle.
func Road(p, q Point) float64 {
	way := pieces(p, q, barriers)
	total, weighted := 0.0, 0.0
	for _, w := range way {
		d := GreatCircle(w.from, w.to)
		total += d
		weighted += d * regionFactor(w)
	}
	if total == 0 {
		return 0
	}
	short := shortFactor * math.Exp(-total/shortFade)
	if len(way) > 1 {
		short *= detourShort
	}

	return max(GreatCircle(p, q), weighted+total*short)
}

// piece is a straight part of a way.
type piece struct{ from, to Point }

func regionFactor(w piece) float64 {
	sum := 0.0
	for i := range samples {
		t := (float64(i) + 0.5) / samples //nolint:mnd // the middle of each part
		lat, lng := w.from.Lat+(w.to.Lat-w.from.Lat)*t, w.from.Lng+(w.to.Lng-w.from.Lng)*t
		switch {
		case lng >= westBegins:
			sum += eastFactor
		case lat > rockiesSouth && lat < rockiesNorth && lng > rockiesWestEnd && lng < rockiesFront:
			sum += rockiesFactor
		default:
			sum += westFactor
		}
	}

	return sum / samples
}

// Speeds in miles an hour, stops included, and the length of a way from which on it is mostly one of highways.
const (
	shortSpeed = 50
	longSpeed  = 56
	longWay    = 200
)

// Minutes returns the driving time. Days accounts for breaks and nights.
func Minutes(miles float64) float64 {
	if miles < longWay {
		return miles / shortSpeed * 60 //nolint:mnd // minutes
	}

	return max(longWay/float64(shortSpeed), miles/longSpeed) * 60 //nolint:mnd // minutes
}

// dayMiles is what a car hauler drives in a day within eleven hours at the wheel, most what a wide window has more than the least.
const (
	dayMiles = 500
	most     = 3
)

// Days returns the usual days until delivery: the least, if the truck drives every day, and the most, with stops for other vehicles on the
// truck.
func Days(miles float64) (least, usual int) {
	least = max(1, int(math.Ceil(miles/dayMiles)))

	return least, least + min(least, most)
}
