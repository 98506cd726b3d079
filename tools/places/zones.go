package main

import (
	"fmt"
	"slices"
	"strings"
)

// The time zones of 49 CFR part 71, by state, then by county and, where a county is divided, by ZIP code. A zone is named by the IANA
// zone whose rules it follows today: places that only differed in the past (Detroit, Indianapolis, Boise) have no zone of their own.
const (
	eastern   = "America/New_York"
	central   = "America/Chicago"
	mountain  = "America/Denver"
	arizona   = "America/Phoenix"
	pacific   = "America/Los_Angeles"
	alaska    = "America/Anchorage"
	aleutian  = "America/Adak"
	hawaii    = "Pacific/Honolulu"
	atlantic  = "America/Puerto_Rico"
	chamorro  = "Pacific/Guam"
	samoa     = "Pacific/Pago_Pago"
	wake      = "Pacific/Wake"
	marshalls = "Pacific/Majuro"
	palau     = "Pacific/Palau"
	chuuk     = "Pacific/Port_Moresby"
	pohnpei   = "Pacific/Guadalcanal"
	kosrae    = "Pacific/Kosrae"
)

// stateZones is the zone of each state, or of most of it.
var stateZones = map[string]string{
	"AK": alaska, "AL": central, "AR": central, "AS": samoa, "AZ": arizona, "CA": pacific, "CO": mountain, "CT": eastern, "DC": eastern,
	"DE": eastern, "FL": eastern, "FM": pohnpei, "GA": eastern, "GU": chamorro, "HI": hawaii, "IA": central, "ID": mountain, "IL": central,
	"IN": eastern, "KS": central, "KY": eastern, "LA": central, "MA": eastern, "MD": eastern, "ME": eastern, "MH": marshalls, "MI": eastern,
	"MN": central, "MO": central, "MP": chamorro, "MS": central, "MT": mountain, "NC": eastern, "ND": central, "NE": central, "NH": eastern,
	"NJ": eastern, "NM": mountain, "NV": pacific, "NY": eastern, "OH": eastern, "OK": central, "OR": pacific, "PA": eastern, "PR": atlantic,
	"PW": palau, "RI": eastern, "SC": eastern, "SD": central, "TN": central, "TX": central, "UT": mountain, "VA": eastern, "VI": atlantic,
	"VT": eastern, "WA": pacific, "WI": central, "WV": eastern, "WY": mountain,
}

// exception is a zone of counties that is not that of their state.
type exception struct {
	state, zone, counties string
}

var countyZones = []exception{
	{"FL", central, "Bay Calhoun Escambia Holmes Jackson Okaloosa Santa+Rosa Walton Washington"},
	{"ID", pacific, "Benewah Bonner Boundary Clearwater Idaho Kootenai Latah Lewis Nez+Perce Shoshone"},
	{"IN", central, "Gibson Jasper Lake LaPorte Newton Perry Porter Posey Spencer Starke Vanderburgh Warrick"},
	{"KS", mountain, "Greeley Hamilton Sherman Wallace"},
	{"KY", central, "Adair Allen Ballard Barren Breckinridge Butler Caldwell Calloway Carlisle Christian Clinton Crittenden Cumberland Daviess " +
		"Edmonson Fulton Graves Grayson Green Hancock Hart Henderson Hickman Hopkins Livingston Logan Lyon Marshall McCracken McLean Metcalfe " +
		"Monroe Muhlenberg Ohio Russell Simpson Todd Trigg Union Warren Webster"},
	{"MI", central, "Dickinson Gogebic Iron Menominee"},
	{"ND", mountain, "Adams Billings Bowman Dunn Golden+Valley Grant Hettinger Slope Stark"},
	{"NE", mountain, "Arthur Banner Box+Butte Chase Cheyenne Dawes Deuel Dundy Garden Grant Hooker Keith Kimball Morrill Perkins Scotts+Bluff " +
		"Sheridan Sioux"},
	{"OR", mountain, "Malheur"},
	{"SD", mountain, "Bennett Butte Corson Custer Dewey Fall+River Haakon Harding Jackson Lawrence Meade Oglala+Lakota Pennington Perkins Stanley " +
		"Ziebach"},
	{"TN", eastern, "Anderson Blount Bradley Campbell Carter Claiborne Cocke Grainger Greene Hamblen Hamilton Hancock Hawkins Jefferson Johnson " +
		"Knox Loudon McMinn Meigs Monroe Morgan Polk Rhea Roane Scott Sevier Sullivan Unicoi Union Washington"},
	{"TX", mountain, "El+Paso Hudspeth"},
}

// zipZones are the ZIP codes that are not in the zone of their county: counties that a line divides, and the Navajo Nation, which
// observes daylight saving time in Arizona (by post offices, so approximately: Sanders and Chambers are on its edge).
var zipZones = map[string]string{
	aleutian: "99546 99547", // west of 169° 30′ W; the Pribilof Islands are not among the Aleutian ones
	central:  "32465 57532", // Gulf County north of the waterway; Fort Pierre
	mountain: "83547 83549 83671 58634 69211 69218 89883 " + // Idaho County south of the Salmon River; McKenzie; Cherry; West Wendover
		"86020 86031 86033 86035 86044 86045 86053 86054 86503 86504 86505 86506 86507 86508 86510 86511 86512 86514 86515 86520 86535 " +
		"86538 86540 86544 86545 86547 86556",
	wake:   "96898",
	chuuk:  "96942 96943",
	kosrae: "96944",
}

func zoneOf(p place) (string, error) {
	for zone, zips := range zipZones {
		if slices.Contains(strings.Fields(zips), p.zip) {
			return zone, nil
		}
	}
	for _, e := range countyZones {
		if e.state == p.state && slices.Contains(strings.Fields(e.counties), strings.ReplaceAll(p.county, " ", "+")) {
			return e.zone, nil
		}
	}
	if zone, ok := stateZones[p.state]; ok {
		return zone, nil
	}

	return "", fmt.Errorf("%s: no time zone for the state %q", p.zip, p.state)
}
