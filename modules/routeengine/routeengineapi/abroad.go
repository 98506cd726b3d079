package routeengineapi

// The countries of places, as ISO 3166 has them.
const (
	UnitedStates = "US"
	Canada       = "CA"
	Mexico       = "MX"
)

// Region is a province or territory of Canada, or a state of Mexico.
type Region struct {
	// Country is CA or MX, TimeZone that of most of the region, as the IANA database names it.
	Country, TimeZone string
}

// regions are those of Canada by their two letters, and those of Mexico by their codes of ISO 3166-2.
var regions = map[string]Region{
	"AB": {Canada, "America/Edmonton"}, "BC": {Canada, "America/Vancouver"}, "MB": {Canada, "America/Winnipeg"}, "NB": {Canada, "America/Moncton"},
	"NL": {Canada, "America/St_Johns"}, "NS": {Canada, "America/Halifax"}, "NT": {Canada, "America/Yellowknife"}, "NU": {Canada, "America/Iqaluit"},
	"ON": {Canada, "America/Toronto"}, "PE": {Canada, "America/Halifax"}, "QC": {Canada, "America/Toronto"}, "SK": {Canada, "America/Regina"},
	"YT": {Canada, "America/Whitehorse"},

	"AGU": {Mexico, "America/Mexico_City"}, "BCN": {Mexico, "America/Tijuana"}, "BCS": {Mexico, "America/Mazatlan"}, "CAM": {Mexico, "America/Merida"},
	"CHH": {Mexico, "America/Chihuahua"}, "CHP": {Mexico, "America/Mexico_City"}, "CMX": {Mexico, "America/Mexico_City"}, "COA": {Mexico, "America/Monterrey"},
	"COL": {Mexico, "America/Mexico_City"}, "DUR": {Mexico, "America/Monterrey"}, "GRO": {Mexico, "America/Mexico_City"}, "GUA": {Mexico, "America/Mexico_City"},
	"HID": {Mexico, "America/Mexico_City"}, "JAL": {Mexico, "America/Mexico_City"}, "MEX": {Mexico, "America/Mexico_City"}, "MIC": {Mexico, "America/Mexico_City"},
	"MOR": {Mexico, "America/Mexico_City"}, "NAY": {Mexico, "America/Mazatlan"}, "NLE": {Mexico, "America/Monterrey"}, "OAX": {Mexico, "America/Mexico_City"},
	"PUE": {Mexico, "America/Mexico_City"}, "QUE": {Mexico, "America/Mexico_City"}, "ROO": {Mexico, "America/Cancun"}, "SIN": {Mexico, "America/Mazatlan"},
	"SLP": {Mexico, "America/Mexico_City"}, "SON": {Mexico, "America/Hermosillo"}, "TAB": {Mexico, "America/Mexico_City"}, "TAM": {Mexico, "America/Monterrey"},
	"TLA": {Mexico, "America/Mexico_City"}, "VER": {Mexico, "America/Mexico_City"}, "YUC": {Mexico, "America/Merida"}, "ZAC": {Mexico, "America/Mexico_City"},
}

// shortStates are the two letters by which states of Mexico are known beside their codes.
var shortStates = map[string]string{
	"AG": "AGU", "BC": "BCN", "BS": "BCS", "CM": "CAM", "CH": "CHH", "CS": "CHP", "DF": "CMX", "CO": "COA", "CL": "COL", "DG": "DUR", "GR": "GRO", "GT": "GUA", "HG": "HID",
	"JA": "JAL", "EM": "MEX", "MI": "MIC", "MO": "MOR", "NA": "NAY", "NL": "NLE", "OA": "OAX", "PU": "PUE", "QT": "QUE", "QR": "ROO", "SI": "SIN", "SL": "SLP", "SO": "SON",
	"TB": "TAB", "TM": "TAM", "TL": "TLA", "VE": "VER", "YU": "YUC", "ZA": "ZAC",
}

// RegionOf returns the province or state of a code in capital letters: two for Canada, and three for Mexico.
func RegionOf(code string) (Region, bool) {
	r, known := regions[code]

	return r, known
}

// MexicanState returns the code of ISO 3166-2 of a Mexican state that is named by it, or by two letters.
func MexicanState(code string) (string, bool) {
	if long, known := shortStates[code]; known {
		return long, true
	}

	return code, regions[code].Country == Mexico
}
