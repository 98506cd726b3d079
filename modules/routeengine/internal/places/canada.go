package places

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Postal is the kind of a place that a Canadian postal code names.
const Postal Kind = "postal_code"

// area is the first half of a postal code.
type area struct {
	code, province, name, folded string
	lat, lng                     float64
}

// areas are the first halves of the postal codes of Canada in canada.csv, in their order: code, province, name, latitude, longitude.
var areas = sync.OnceValue(func() (all []area) {
	text, err := files.ReadFile("canada.csv")
	if err != nil {
		panic("places: canada.csv is missing: " + err.Error())
	}
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimSpace(line), ",")
		lat, failedLat := strconv.ParseFloat(c[3], 64)
		lng, failedLng := strconv.ParseFloat(c[4], 64)
		if failedLat != nil || failedLng != nil {
			panic("places: canada.csv is broken: " + line) // a test reads all of it
		}
		all = append(all, area{c[0], c[1], c[2], Fold(c[2]), lat, lng})
	}

	return all
})

// postalRule are the letters that Canada Post uses.
var postalRule = regexp.MustCompile(`^([ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z])(?:[ -]?([0-9][ABCEGHJ-NPRSTV-Z][0-9]))?$`)

// ParsePostal reads a Canadian postal code, or its first half, and returns it with a space: M5V 3L9.
func ParsePostal(text string) (string, bool) {
	m := postalRule.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(text)))
	if m == nil {
		return "", false
	}

	return strings.TrimSpace(m[1] + " " + m[2]), true
}

// FindPostal returns the place of a Canadian postal code, by its first half.
func FindPostal(code string) (Place, bool) {
	code, ok := ParsePostal(code)
	if !ok {
		return Place{}, false
	}
	all := areas()
	i, known := slices.BinarySearchFunc(all, code[:3], func(a area, code string) int { return strings.Compare(a.code, code) })
	if !known {
		return Place{}, false
	}
	p := all[i].place()
	p.TimeZone = zoneOfPostal(code, p.TimeZone)

	return p, true
}

func (a area) place() Place {
	return Place{
		ID: "postal-" + a.code, Kind: Postal, ZIP: a.code, City: a.name, State: a.province, Country: "CA", Lat: a.lat, Lng: a.lng,
		TimeZone: zoneOfPostal(a.code, provinces[a.province].zone), Land: landOf(a),
	}
}

// FindCanadian returns a city of a province, which is named by its two letters or in full: the middle of the postal codes that are named after it.
func FindCanadian(city, province string) (Place, bool) {
	code, ok := Province(province)
	name := Fold(city)
	if !ok || name == "" {
		return Place{}, false
	}
	var exact, partly []area
	for _, a := range areas() {
		switch {
		case a.province != code:
		case a.folded == name:
			exact = append(exact, a)
		case strings.Contains(" "+a.folded+" ", " "+name+" "):
			partly = append(partly, a)
		}
	}
	found := exact
	if len(found) == 0 {
		found = partly
	}
	if len(found) == 0 {
		return Place{}, false
	}
	p := found[0].place()
	p.ID, p.Kind, p.City, p.Lat, p.Lng = "city-"+strings.ToLower(code)+"-"+strings.ReplaceAll(name, " ", "-"), City, city, 0, 0
	for _, a := range found {
		p.Lat, p.Lng = p.Lat+a.lat/float64(len(found)), p.Lng+a.lng/float64(len(found))
	}

	return p, true
}

// Province returns the two letters of a province or territory that is named by them or in full.
func Province(name string) (string, bool) {
	folded := strings.Join(foldWords(name, false), " ")
	for _, code := range provinceCodes {
		if folded == strings.ToLower(code) || folded == provinces[code].name {
			return code, true
		}
	}

	return "", false
}

// province is a province or territory of Canada, with the time zone of most of it.
type province struct{ name, zone string }

var (
	provinces = map[string]province{
		"AB": {"alberta", "America/Edmonton"}, "BC": {"british columbia", "America/Vancouver"}, "MB": {"manitoba", "America/Winnipeg"},
		"NB": {"new brunswick", "America/Moncton"}, "NL": {"newfoundland and labrador", "America/St_Johns"}, "NS": {"nova scotia", "America/Halifax"},
		"NT": {"northwest territories", "America/Yellowknife"}, "NU": {"nunavut", "America/Iqaluit"}, "ON": {"ontario", "America/Toronto"},
		"PE": {"prince edward island", "America/Halifax"}, "QC": {"quebec", "America/Toronto"}, "SK": {"saskatchewan", "America/Regina"}, "YT": {"yukon", "America/Whitehorse"},
	}
	provinceCodes = []string{"AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"}
)

// zoneExceptions are beginnings of postal codes in another time zone than most of their province, the longer ones first. A half whose places have
// several has that of most of them.
var zoneExceptions = []struct{ begins, zone string }{
	{"P0T 1C", "America/Atikokan"},
	{"V0B 1G", "America/Creston"},
	{"V0C 1R", "America/Fort_Nelson"},
	{"G0G 1C", "America/Blanc-Sablon"},
	{"G0G 1W", "America/Blanc-Sablon"},
	{"P0V", "America/Winnipeg"},
	{"P0W", "America/Winnipeg"},
	{"P0X", "America/Winnipeg"},
	{"P0Y", "America/Winnipeg"},
	{"P8N", "America/Winnipeg"},
	{"P8T", "America/Winnipeg"},
	{"P9A", "America/Winnipeg"},
	{"P9N", "America/Winnipeg"},
	{"S9V", "America/Edmonton"},
	{"G4T", "America/Halifax"},
	{"V1G", "America/Dawson_Creek"},
	{"V1J", "America/Dawson_Creek"},
	{"V0C", "America/Dawson_Creek"},
	{"V0A", "America/Edmonton"},
	{"V0B", "America/Edmonton"},
	{"V1A", "America/Edmonton"},
	{"V1C", "America/Edmonton"},
	{"A0P", "America/Goose_Bay"},
	{"A0R", "America/Goose_Bay"},
	{"A2V", "America/Goose_Bay"},
	{"X0B", "America/Cambridge_Bay"},
	{"X0C", "America/Rankin_Inlet"},
}

// zoneOfPostal is the time zone of a postal code, by default that of its province.
func zoneOfPostal(code, standard string) string {
	for _, e := range zoneExceptions {
		if strings.HasPrefix(code, e.begins) {
			return e.zone
		}
	}

	return standard
}

// landOf is what roads connect a postal code with: no road leads to Nunavut, and a ferry to the island of Newfoundland.
func landOf(a area) Land {
	switch {
	case a.province == "NU":
		return Nowhere
	case a.province == "NL" && zoneOfPostal(a.code, "") == "":
		return ferryMark + "newfoundland"
	}

	return Mainland
}
