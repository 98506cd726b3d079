package main

import (
	"slices"
	"strings"
)

// A land is what roads connect: "" is the road network of the 48 states. Of the others, one that begins with "~" has a ferry that
// takes cars, "^" is reached by road through Canada, and "!" has places that no road connects with each other.

// countyLands and stateLands are lands by county and state.
var (
	stateLands = map[string]string{
		"AS": "tutuila", "GU": "guam", "PR": "puerto_rico", "FM": "!", "PW": "palau", "MH": "!", "MP": "saipan", "HI": "oahu", "VI": "st_thomas",
	}
	countyLands = map[string]string{"HI Hawaii": "hawaii", "HI Kauai": "kauai", "HI Maui": "maui"}
	// alaskaRoads are the parts of Alaska with places that the road network around Anchorage and Fairbanks connects.
	alaskaRoads = []string{"Anchorage", "Copper River", "Denali", "Fairbanks North Star", "Kenai Peninsula", "Matanuska-Susitna", "Southeast Fairbanks"}
	// zipLands are ZIP codes in another land than the rest of their county or state.
	zipLands = map[string]string{
		"alaska":  "99686 99693 99730 99733 99756 99758 99760 99704", // Valdez, Whittier, and the roads out of Fairbanks
		"!":       "99663 99682 99738 96898 86435 98852 96742",       // Seldovia, Tyonek, Eagle; Wake; Supai; Stehekin; Kalaupapa
		"molokai": "96729 96748 96757 96770", "lanai": "96763",
		"st_croix": "00820 00821 00822 00823 00824 00840 00841 00850 00851", "st_john": "00830 00831",
		"~vieques": "00765", "~culebra": "00775", "rota": "96951", "tinian": "96952",
		"~nantucket": "02554 02564 02584", "~marthas_vineyard": "02535 02539 02552 02557 02568 02573 02575", "~block_island": "02807",
		"~prudence_island": "02872", "~fishers_island": "06390", "~shelter_island": "11964 11965", "fire_island": "11770",
		"~vinalhaven": "04863", "~islesboro": "04848", "~north_haven": "04853", "~swans_island": "04685", "~matinicus": "04851",
		"~chebeague": "04017", "~peaks_island": "04108", "~long_island_me": "04050", "~cliff_island": "04019", "monhegan": "04852",
		"isle_au_haut": "04645", "cuttyhunk": "02713", "tangier": "23440", "smith_island": "21824 21866", "~ocracoke": "27960",
		"daufuskie": "29915", "~washington_island": "54246", "~madeline_island": "54850", "~beaver_island": "49782", "~bois_blanc": "49775",
		"~drummond_island": "49726", "mackinac_island": "49757", "~put_in_bay": "43456", "~kelleys_island": "43438", "~middle_bass": "43446",
		"north_bass": "43436", "catalina": "90704", "~san_juan": "98250", "~lopez": "98261", "~orcas": "98243 98245 98279 98280",
		"~shaw": "98286", "blakely": "98222", "waldron": "98297", "~vashon": "98070", "~anderson_island": "98303", "~lummi_island": "98262",
		"^point_roberts": "98281", "^northwest_angle": "56711",
	}
)

func landOf(p place) string {
	for land, zips := range zipLands {
		if slices.Contains(strings.Fields(zips), p.zip) {
			return land
		}
	}
	if p.state == "AK" {
		if slices.Contains(alaskaRoads, p.county) {
			return "alaska"
		}

		return "!"
	}
	if land, ok := countyLands[p.state+" "+p.county]; ok {
		return land
	}

	return stateLands[p.state]
}
