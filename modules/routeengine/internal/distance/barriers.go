package distance

import "slices"

// barrier is what roads do not cross: a line, and the gates where they pass its ends or a bridge.
type barrier struct {
	name  string
	line  []Point
	gates []Point
}

// barriers are the waters, canyons and mountains that make the greatest errors, and the border: freight between two places of the
// United States does not take the roads of Ontario.
var barriers = []barrier{
	{
		"Lake Michigan",
		[]Point{{41.7, -87.2}, {45.7, -86.3}},
		[]Point{{41.60, -87.33}, {45.85, -84.72}}, // Gary; Mackinac Bridge
	},
	{
		"Lake Erie",
		[]Point{{41.6, -83.3}, {42.85, -78.95}},
		[]Point{{41.65, -83.54}, {42.88, -78.88}}, // Toledo; Buffalo
	},
	{
		"Ontario",
		[]Point{{42.1, -81.8}, {46.5, -81.8}},
		[]Point{{41.45, -81.7}}, // Cleveland
	},
	{
		"Chesapeake Bay",
		[]Point{{36.95, -76.1}, {39.55, -76.05}},
		[]Point{{37.0, -76.05}, {39.0, -76.4}, {39.6, -75.9}}, // Bridge-Tunnel; Bay Bridge; Havre de Grace
	},
	{
		"Grand Canyon",
		[]Point{{36.1, -114.2}, {36.85, -111.7}},
		[]Point{{36.02, -114.74}, {36.82, -111.63}}, // Hoover Dam; Marble Canyon
	},
	{
		"Sierra Nevada",
		[]Point{{35.9, -118.1}, {38.4, -119.7}, {39.28, -120.3}},
		[]Point{{35.1, -118.4}, {38.73, -120.8}, {38.9, -121.07}}, // Tehachapi; Placerville; Auburn
	},
	{
		"Puget Sound",
		[]Point{{47.2, -122.72}, {47.28, -122.54}, {47.6, -122.43}, {47.9, -122.45}, {48.2, -122.75}},
		[]Point{{47.269, -122.55}, {47.05, -122.9}}, // Tacoma Narrows; Olympia
	},
	{
		"San Francisco Bay",
		[]Point{{37.46, -122.02}, {37.6, -122.2}, {37.8, -122.36}, {37.95, -122.45}, {38.05, -122.4}},
		[]Point{{37.43, -121.95}, {37.5, -122.12}, {37.6, -122.2}, {37.81, -122.36}, {37.935, -122.44}}, // San Jose, then the bridges
	},
	{
		"central Idaho",
		[]Point{{43.75, -115.2}, {46.4, -115.2}},
		[]Point{{44.5, -114.23}, {46.15, -115.98}}, // Challis; Kooskia
	},
}

// pieces returns the shortest way over the gates of the barriers that it crosses. A barrier is passed once.
func pieces(p, q Point, left []barrier) []piece {
	for i, b := range left {
		if !b.crossed(p, q) {
			continue
		}
		rest := slices.Delete(slices.Clone(left), i, i+1)
		var best []piece
		least := 0.0
		for _, gate := range b.gates {
			way := append(pieces(p, gate, rest), pieces(gate, q, rest)...)
			total := 0.0
			for _, w := range way {
				total += GreatCircle(w.from, w.to)
			}
			if best == nil || total < least {
				best, least = way, total
			}
		}

		return best
	}

	return []piece{{p, q}}
}

func (b barrier) crossed(p, q Point) bool {
	for i := 1; i < len(b.line); i++ {
		if cross(p, q, b.line[i-1], b.line[i]) {
			return true
		}
	}

	return false
}

// cross reports whether two lines cross. Degrees are taken for a plane, which is as exact as the barriers are.
func cross(p, q, a, b Point) bool {
	return side(p, q, a)*side(p, q, b) < 0 && side(a, b, p)*side(a, b, q) < 0
}

// side is positive for a point on the one side of a line, and negative on the other.
func side(a, b, p Point) float64 {
	return (b.Lng-a.Lng)*(p.Lat-a.Lat) - (b.Lat-a.Lat)*(p.Lng-a.Lng)
}
