package distance_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
)

func at(t require.TestingT, zip string) distance.Point {
	z, err := places.ParseZIP(zip)
	require.NoError(t, err)
	p, ok := places.Find(z)
	require.True(t, ok, zip)

	return distance.Point{Lat: p.Lat, Lng: p.Lng}
}

func TestGreatCircle_AgreesWithKnownDistances(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]float64{
		{"10001", "90001"}: 2448.4, {"75201", "33101"}: 1110.0, {"60601", "75201"}: 804.9, {"75201", "75201"}: 0,
	} {
		require.InDelta(t, want, distance.GreatCircle(at(t, pair[0]), at(t, pair[1])), 0.3, pair)
	}
	require.InDelta(t, math.Pi*3958.7613, distance.GreatCircle(distance.Point{Lat: 90}, distance.Point{Lat: -90}), 0.01)
	require.InDelta(t, 69.1, distance.GreatCircle(distance.Point{Lng: 179.5}, distance.Point{Lng: -179.5}), 0.1)
}

// pair is a line of testdata/pairs.csv. Its miles are general knowledge, within 2 %.
type pair struct {
	set, from, to string
	miles         float64
}

func pairs(t *testing.T) []pair {
	t.Helper()
	file, err := os.Open("testdata/pairs.csv")
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it is only read
	lines, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	var all []pair
	for _, l := range lines[1:] {
		miles, err := strconv.ParseFloat(l[3], 64)
		require.NoError(t, err)
		all = append(all, pair{l[0], l[1], l[2], miles})
	}

	return all
}

// The factors were fitted to the pairs "fit". The pairs "held" were not, but two of them showed where barriers were missing: Boise-Missoula,
// and Green Bay-Traverse City. The pairs "check" were written down before they were estimated, and have changed nothing; "seen" are those
// written down with them after which a barrier was added or moved.
func TestRoad_IsAsExactAsTheDocumentationSays(t *testing.T) {
	t.Parallel()
	for set, most := range map[string]struct {
		pairs       int
		mean, worst float64
	}{"fit": {41, 0.050, 0.16}, "held": {30, 0.065, 0.20}, "check": {59, 0.065, 0.32}, "seen": {4, 0.13, 0.21}} {
		sum, worst, where, n := 0.0, 0.0, "", 0
		for _, p := range pairs(t) {
			if p.set != set {
				continue
			}
			estimate := distance.Road(at(t, p.from), at(t, p.to))
			off := (estimate - p.miles) / p.miles
			sum, n = sum+math.Abs(off), n+1
			if math.Abs(off) > math.Abs(worst) {
				worst, where = off, fmt.Sprintf("%s-%s", p.from, p.to)
			}
		}
		t.Logf("%s: %d pairs, mean error %.1f %%, worst %+.0f %% (%s)", set, n, 100*sum/float64(n), 100*worst, where)
		require.Equal(t, most.pairs, n)
		require.LessOrEqual(t, sum/float64(n), most.mean, set)
		require.LessOrEqual(t, math.Abs(worst), most.worst, where)
	}
}

func points() *rapid.Generator[distance.Point] {
	return rapid.Custom(func(t *rapid.T) distance.Point {
		return distance.Point{Lat: rapid.Float64Range(24, 49).Draw(t, "lat"), Lng: rapid.Float64Range(-125, -66).Draw(t, "lng")}
	})
}

func TestRoad_IsTheSameBothWaysAndNeverBelowTheGreatCircle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, q := points().Draw(t, "p"), points().Draw(t, "q")
		there, back := distance.Road(p, q), distance.Road(q, p)
		require.InDelta(t, there, back, 1e-6*there+1e-9)
		require.GreaterOrEqual(t, there, distance.GreatCircle(p, q))
		require.LessOrEqual(t, there, 3.5*distance.GreatCircle(p, q)+150)
	})
	require.Zero(t, distance.Road(distance.Point{Lat: 40, Lng: -100}, distance.Point{Lat: 40, Lng: -100}))
}

func TestMinutes_GrowWithTheMiles(t *testing.T) {
	t.Parallel()
	for miles, want := range map[float64]float64{0: 0, 50: 60, 199: 238.8, 200: 240, 224: 240, 560: 600, 2790: 2989.3} {
		require.InDelta(t, want, distance.Minutes(miles), 0.1)
	}
	for miles := 0.0; miles < 3500; miles += 0.5 {
		require.LessOrEqual(t, distance.Minutes(miles), distance.Minutes(miles+0.5))
	}
	for miles, want := range map[float64][2]int{10: {1, 2}, 500: {1, 2}, 501: {2, 4}, 1310: {3, 6}, 2790: {6, 9}} {
		least, usual := distance.Days(miles)
		require.Equal(t, want, [2]int{least, usual}, miles)
	}
}

func TestCorrect_NeverMakesAKnownWayWorse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) distance.Measured {
			m := distance.Measured{From: points().Draw(t, "from"), To: points().Draw(t, "to")}
			m.Miles = max(distance.GreatCircle(m.From, m.To), distance.Road(m.From, m.To)*rapid.Float64Range(0.8, 1.5).Draw(t, "ratio"))

			return m
		}), 1, 20).Draw(t, "known")
		for _, k := range known {
			there, back := distance.Correct(k.From, k.To, known), distance.Correct(k.To, k.From, known)
			require.InDelta(t, k.Miles, there.Miles, 1e-6)
			require.True(t, there.Exact)
			require.InDelta(t, k.Miles, back.Miles, 1e-6)
		}
		p, q := points().Draw(t, "p"), points().Draw(t, "q")
		low, high := 1.0, 1.0
		for _, k := range known {
			if road := distance.Road(k.From, k.To); road > 0 {
				low, high = min(low, k.Miles/road), max(high, k.Miles/road)
			}
		}
		miles := distance.Correct(p, q, known).Miles
		require.GreaterOrEqual(t, miles, max(distance.GreatCircle(p, q), low*distance.Road(p, q)-1e-6))
		require.LessOrEqual(t, miles, high*distance.Road(p, q)+1e-6)
	})
}

func TestCorrect_FadesWithTheDistance(t *testing.T) {
	t.Parallel()
	dallas, miami := at(t, "75201"), at(t, "33101")
	known := []distance.Measured{{From: dallas, To: miami, Miles: 1.2 * distance.Road(dallas, miami)}}
	ratio := func(from, to string) float64 {
		miles := distance.Correct(at(t, from), at(t, to), known).Miles

		return miles / distance.Road(at(t, from), at(t, to))
	}
	require.InDelta(t, 1.2, ratio("75201", "33101"), 1e-9)
	require.InDelta(t, 1.2, ratio("33101", "75201"), 1e-9)
	near, further := ratio("75215", "33130"), ratio("76101", "33101")
	require.Greater(t, near, 1.18)
	require.Less(t, further, near)
	require.Greater(t, further, 1.07)
	require.InDelta(t, 1, ratio("77002", "33101"), 1e-9, "Houston is too far away")
}

func TestCountryOf_KnowsTheCitiesAtTheBorders(t *testing.T) {
	t.Parallel()
	for country, cities := range map[distance.Country][]distance.Point{
		distance.Canada: {
			{49.28, -123.12},
			{48.43, -123.37},
			{49.90, -97.14},
			{48.38, -89.25},
			{43.65, -79.38},
			{42.30, -83.02},
			{45.50, -73.57},
			{46.53, -84.34},
			{43.10, -79.09},
			{45.96, -66.64},
			{60.72, -135.06},
			{42.98, -82.38},
			{48.61, -93.39},
			{44.65, -63.57},
		},
		distance.Mexico: {{32.51, -117.02}, {31.72, -106.46}, {25.67, -100.31}, {19.43, -99.13}, {31.30, -110.94}, {25.86, -97.50}, {27.47, -99.53}, {24.14, -110.31}},
		distance.UnitedStates: {
			{47.61, -122.33},
			{48.12, -123.43},
			{48.53, -123.02},
			{42.33, -83.05},
			{42.89, -78.88},
			{46.49, -84.35},
			{44.48, -73.21},
			{32.72, -117.16},
			{31.76, -106.49},
			{25.93, -97.48},
			{27.53, -99.49},
			{61.22, -149.90},
			{58.30, -134.42},
			{47.92, -97.03},
			{45.17, -67.30},
			{51.5, -0.12},
			{18.4, -66.06},
			{21.3, -157.86},
			{48.60, -93.41},
			{42.97, -82.43},
			{43.09, -79.05},
			{43.16, -77.61},
			{46.79, -92.10},
			{55.34, -131.64},
		},
	} {
		for _, c := range cities {
			require.Equal(t, country, distance.CountryOf(c), c)
		}
	}
}
