package distance

// Country is the country of a point.
type Country string

// The countries of North America that the roads of the mainland lead to.
const (
	UnitedStates Country = "US"
	Canada       Country = "CA"
	Mexico       Country = "MX"
)

// CountryOf returns the country of a point in North America, within a few miles of the border. For any other point it is UnitedStates.
func CountryOf(p Point) Country {
	switch {
	case within(p, canada):
		return Canada
	case within(p, mexico):
		return Mexico
	}

	return UnitedStates
}

// within reports whether a point is within an outline: a line from it to the east crosses the outline an odd number of times.
func within(p Point, outline []Point) bool {
	inside := false
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		if (a.Lat > p.Lat) != (b.Lat > p.Lat) && p.Lng < a.Lng+(p.Lat-a.Lat)/(b.Lat-a.Lat)*(b.Lng-a.Lng) {
			inside = !inside
		}
	}

	return inside
}

// The outlines are close at the land borders, and wide at sea.
var (
	canada = []Point{
		{83, -141},
		{60.3, -141},
		{60.2, -139.2},
		{59.0, -137.5},
		{58.9, -136.6},
		{59.8, -135.4},
		{58.7, -133.4},
		{57, -132},
		{56.1, -130.1},
		{55.3, -130.05},
		{54.65, -130.6},
		{54.5, -134},
		{51, -131},
		{48.5, -125.5},
		{48.25, -123.7},
		{48.25, -123.2},
		{48.69, -123.27},
		{48.83, -123.0},
		{48.95, -123.3},
		{49, -123.03},
		{49, -95.15},
		{49.37, -95.15},
		{48.85, -94.65},
		{48.55, -93.8},
		{48.605, -93.41},
		{48.63, -92.95},
		{48.3, -92},
		{48.1, -90.85},
		{48.0, -89.6},
		{48.3, -88.4},
		{46.9, -84.85},
		{46.46, -84.55},
		{46.51, -84.36},
		{46.3, -84.12},
		{45.95, -83.5},
		{45.3, -82.5},
		{43.6, -82.13},
		{43.0, -82.42},
		{42.6, -82.52},
		{42.35, -82.9},
		{42.318, -83.06},
		{42.2, -83.13},
		{41.95, -83.12},
		{41.7, -82.7},
		{42.2, -81.2},
		{42.83, -78.92},
		{42.96, -78.92},
		{43.08, -79.065},
		{43.26, -79.07},
		{43.63, -78.7},
		{43.63, -76.9},
		{44.1, -76.4},
		{44.35, -75.95},
		{44.85, -75.2},
		{45, -74.7},
		{45, -71.5},
		{45.25, -71.4},
		{45.3, -70.9},
		{45.9, -70.3},
		{46.7, -70},
		{47.45, -69.2},
		{47.2, -68.35},
		{47.07, -67.8},
		{45.7, -67.8},
		{45.6, -67.45},
		{45.19, -67.28},
		{44.9, -66.98},
		{44.5, -66.9},
		{43, -66},
		{43, -52},
		{60, -52},
		{83, -60},
	}
	mexico = []Point{
		{32.534, -117.3},
		{32.718, -114.72},
		{32.49, -114.81},
		{31.333, -111.07},
		{31.333, -108.21},
		{31.783, -108.21},
		{31.783, -106.53},
		{31.745, -106.48},
		{30.6, -104.9},
		{29.57, -104.4},
		{28.98, -103.15},
		{29.75, -102.6},
		{29.78, -101.4},
		{29.34, -100.93},
		{28.7, -100.5},
		{27.5, -99.52},
		{26.4, -99.1},
		{26.05, -98.2},
		{25.87, -97.5},
		{25.95, -97.1},
		{21.5, -96},
		{18.5, -94},
		{21.8, -86.5},
		{17.8, -88.2},
		{17.8, -91},
		{14.5, -92.2},
		{15.5, -98},
		{19, -105.7},
		{22.8, -110.2},
		{30, -116.8},
	}
)
