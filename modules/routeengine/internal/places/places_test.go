package places_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
)

func find(t *testing.T, zip string) places.Place {
	t.Helper()
	z, err := places.ParseZIP(zip)
	require.NoError(t, err)
	p, ok := places.Find(z)
	require.True(t, ok, zip)

	return p
}

func TestFind_KnowsPlaces(t *testing.T) {
	t.Parallel()
	for zip, want := range map[string]string{
		"75201": "Dallas, TX, Dallas", "02108": "Boston, MA, Suffolk", "00501": "Holtsville, NY, Suffolk", "33101": "Miami, FL, Miami-Dade",
		"00901": "San Juan, PR, ", "96910": "Hagatna, GU, ", "99950": "Ketchikan, AK, Ketchikan Gateway", "96860": "Joint Base Pearl Harbor Hickam, HI, Honolulu",
		"752011234": "Dallas, TX, Dallas", " 75201-1234 ": "Dallas, TX, Dallas",
	} {
		p := find(t, zip)
		require.Equal(t, want, p.City+", "+p.State+", "+p.County, zip)
		again, ok := places.FindID(p.ID)
		require.True(t, ok)
		require.Equal(t, p, again)
	}
	_, ok := places.Find(1)
	require.False(t, ok)
	require.Equal(t, []string{"00501", "00544", "00601"}, places.NearZIPs(1))
	require.Equal(t, []string{"75201", "75202", "75203"}, places.NearZIPs(75202))
	require.Equal(t, []string{"99928", "99929", "99950"}, places.NearZIPs(99999))
}

func TestFind_MarksMilitaryPostOffices(t *testing.T) {
	t.Parallel()
	for zip, region := range map[string]string{"09012": "AE", "09899": "AE", "34002": "AA", "96201": "AP", "96699": "AP"} {
		p := find(t, zip)
		require.Equal(t, places.Military, p.Kind, zip)
		require.Equal(t, region, p.State)
		require.Zero(t, p.Lat+p.Lng)
		require.Empty(t, p.TimeZone)
	}
	require.Equal(t, places.ZIPCode, find(t, "96701").Kind)
}

func TestParseZIP_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2108": "begin with 0", "501": "begin with 0", "": "five digits, such as", "7520A": "five digits, such as", "75201-12": "five digits, such as",
		"752-01": "five digits, such as", "K1A 0B1": "Canadian", "m5v": "Canadian", "-75201": "five digits, such as", "٧٥٢٠١": "five digits, such as",
		"75201-1234-1": "five digits, such as", "752012": "five digits, such as", "12": "five digits, such as",
	} {
		_, err := places.ParseZIP(text)
		require.ErrorContains(t, err, want, text)
	}
}

// The time zone of every state, and of counties on both sides of each line within one.
func TestFind_KnowsTimeZones(t *testing.T) {
	t.Parallel()
	for zone, zips := range map[string]string{
		"America/New_York": "10001 33101 32301 32456 46201 46970 40202 40601 42501 48201 49855 37902 37402 30303 04101 20001 25301 42701 42718",
		"America/Chicago": "60601 32501 32401 32465 46401 46320 47708 47586 42001 42101 42301 49801 49938 49935 38103 37201 38555 75201 57501 57532 58501 58854 " +
			"68102 69201 69216 67202 73946 35203 36867 53202 47520 46534",
		"America/Denver": "80202 83702 83642 83549 67758 67735 67879 69361 69153 69211 69218 58601 58620 58634 57701 57783 57552 79901 79851 97914 97910 89883 " +
			"86515 86503 86045 86033 87501 59401 84101 82001",
		"America/Phoenix":     "85001 86001 86040 86025 86047 86039 86030 85936",
		"America/Los_Angeles": "90001 83814 83501 83530 89501 89801 97201 97701 98101 83843 89825",
		"America/Anchorage":   "99501 99801 99685 99660 99762", "America/Adak": "99546 99547", "Pacific/Honolulu": "96801 96720",
		"America/Puerto_Rico": "00901 00801", "Pacific/Guam": "96910 96950", "Pacific/Pago_Pago": "96799", "Pacific/Wake": "96898",
		"Pacific/Majuro": "96960", "Pacific/Palau": "96940", "Pacific/Guadalcanal": "96941", "Pacific/Port_Moresby": "96943", "Pacific/Kosrae": "96944",
	} {
		for zip := range strings.FieldsSeq(zips) {
			require.Equal(t, zone, find(t, zip).TimeZone, zip)
		}
	}
}

func TestFind_ReadsTheWholeFile(t *testing.T) {
	t.Parallel()
	count := 0
	states, zones := map[string]int{}, map[string]bool{}
	for zip := range places.ZIP(100_000) {
		p, ok := places.Find(zip)
		if !ok || p.Kind == places.Military {
			continue
		}
		count++
		states[p.State]++
		require.NotEmpty(t, p.City, zip)
		require.True(t, p.Lat > -15 && p.Lat < 72 && (p.Lng < -64 || p.Lng > 134), "%s: %f %f", zip, p.Lat, p.Lng)
		if !zones[p.TimeZone] {
			_, err := time.LoadLocation(p.TimeZone)
			require.NoError(t, err, zip)
			zones[p.TimeZone] = true
		}
		if count%8 != 0 {
			continue
		}
		city, ok := places.FindCity(p.City, p.State)
		require.True(t, ok, zip)
		require.Equal(t, places.City, city.Kind)
		again, ok := places.FindID(city.ID)
		require.True(t, ok, city.ID)
		require.Equal(t, city, again)
	}
	require.Equal(t, 41194, count)
	require.Len(t, states, 59, "50 states, DC, five territories, and the freely associated states FM, MH and PW")
}

func list(typed string, limit int) string {
	var names []string
	for _, p := range places.Complete(typed, limit) {
		if p.Kind == places.ZIPCode {
			names = append(names, p.ZIP+" "+p.City)
		} else {
			names = append(names, p.City+" "+p.State)
		}
	}

	return strings.Join(names, ", ")
}

func TestComplete_FindsWhatPeopleType(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"331": "33101 Miami, 33102 Miami, 33106 Miami", "3": "", "00": "00501 Holtsville, 00544 Holtsville, 00601 Adjuntas", "02108": "02108 Boston",
		"02108-1": "02108 Boston", "021081234": "02108 Boston", "99": "99001 Airway Heights, 99003 Chattaroy, 99004 Cheney", "00000": "", "090": "",
		"miami": "Miami FL, Miami OK, Miami WV", "MIAMI, F": "Miami FL", "miami fl": "Miami FL", "miami florida": "Miami FL", "miami, zz": "",
		"st louis": "Saint Louis MO, Saint Louis MI, Saint Louis OK", "saint louis, mo": "Saint Louis MO", "st. louis,missouri": "Saint Louis MO",
		"St Louis MO": "Saint Louis MO", "kansas city mo": "Kansas City MO", "charlotte north carolina": "Charlotte NC", "ft worth": "Fort Worth TX",
		"san josé, c": "San Jose CA", "cañon c": "Canon City CO", "coeur d'alene": "Coeur d'Alene ID", "o'fallon, i": "O Fallon IL", "mcallen": "Mcallen TX", "winston-sal": "Winston-Salem NC",
		"m": "", "": "", ",": "", "  dallas, t": "Dallas TX", "zzzz": "", "%": "", "new york": "New York NY, New York Mills NY, New York Mills MN",
	} {
		require.Equal(t, want, list(typed, 3), typed)
	}
	require.Len(t, places.Complete("san", 25), 25)
	require.Equal(t, "San Antonio TX", list("san", 1), "the largest comes first")
}

func TestBetween_KnowsWhatRoadsConnect(t *testing.T) {
	t.Parallel()
	for pair, want := range map[string]places.Way{
		"75201 33101": {Connected: true}, "90001 96801": {}, "96801 96720": {}, "96801 96815": {Connected: true}, "99501 99701": {Connected: true},
		"99501 98101": {}, "99501 99801": {}, "99801 99801": {Connected: true}, "00901 33101": {}, "00901 00765": {}, "33040 33101": {Connected: true},
		"02554 02108": {Connected: true, Ferry: true}, "02554 02584": {Connected: true}, "90704 90001": {}, "49757 48201": {}, "98281 98101": {Connected: true, Border: true},
		"99762 99501": {}, "96913 96910": {Connected: true}, "96950 96910": {}, "00801 00820": {},
	} {
		a, b, _ := strings.Cut(pair, " ")
		require.Equal(t, want, places.Between(find(t, a), find(t, b)), pair)
		require.Equal(t, want, places.Between(find(t, b), find(t, a)), pair)
	}
}

func TestNearest_FindsThePlaceAroundAPoint(t *testing.T) {
	t.Parallel()
	p, miles := places.Nearest(32.7767, -96.7970)
	require.Equal(t, "Dallas", p.City)
	require.Less(t, miles, 1.5)
	_, miles = places.Nearest(51.5, -0.12)
	require.Greater(t, miles, 2000.0)
	p, miles = places.Nearest(51.9, 179.9) // across the date line
	require.Equal(t, "AK", p.State)
	require.Less(t, miles, 200.0)
}

func TestNearest_IsTheNearestOfAll(t *testing.T) {
	t.Parallel()
	var all []places.Place
	for zip := range places.ZIP(100_000) {
		if p, ok := places.Find(zip); ok && p.Kind != places.Military {
			all = append(all, p)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lat, lng := rapid.Float64Range(-15, 72).Draw(t, "lat"), rapid.Float64Range(-180, 180).Draw(t, "lng")
		found, miles := places.Nearest(lat, lng)
		require.NotEmpty(t, found.ZIP)
		for _, p := range all {
			dx := math.Abs(p.Lng - lng)
			d := math.Hypot((p.Lat-lat)*69.09, min(dx, 360-dx)*69.09*math.Cos(lat*math.Pi/180))
			if d < miles-1e-6 {
				t.Fatalf("%s is nearer than %s", p.ZIP, found.ZIP)
			}
		}
	})
}

func TestZoneOf_SummarizesTheFirstThreeDigits(t *testing.T) {
	t.Parallel()
	z := places.ZoneOf(find(t, "75201"))
	require.Equal(t, "752 Dallas TX", z.Prefix+" "+z.City+" "+z.State)
	require.Greater(t, z.ZIPs, 50)
	honolulu := places.ZoneOf(find(t, "96813"))
	require.InDelta(t, 21.3, honolulu.Lat, 0.2)
	require.InDelta(t, -157.9, honolulu.Lng, 0.2, "Wake Island is in this zone too")
	dallas := find(t, "75201")
	near := places.ZonesNear(dallas.Lat, dallas.Lng, 40)
	require.Equal(t, "752", near[0])
	require.Contains(t, near, "760")
	require.NotContains(t, near, "770")
}

func FuzzParseZIP(f *testing.F) {
	for _, text := range []string{"75201", "75201-1234", "02108", "2108", "", "K1A 0B1", "\xff", "0750", "-"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		zip, err := places.ParseZIP(text)
		if err != nil {
			require.Zero(t, zip)

			return
		}
		again, err := places.ParseZIP(zip.String())
		require.NoError(t, err)
		require.Equal(t, zip, again)
		places.Find(zip)
	})
}

func FuzzComplete(f *testing.F) {
	for _, text := range []string{"331", "miami, f", "st. louis", "cañon", "\xff\xfe", "ﬁ", "a b c d", "-1", "1-"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := places.Complete(text, 10)
		require.NotNil(t, found)
		require.LessOrEqual(t, len(found), 10)
	})
}
