package vpic

import "strings"

// places are the characters of the second place of a VIN in the order in which ISO 3780 assigns them.
const places = "ABCDEFGHJKLMNPRSTUVWXYZ1234567890"

// assigned is a range of second places under one first place.
type assigned struct {
	from, to byte
	country  string
}

// assignments are the countries of ISO 3780 by the first place of a VIN.
var assignments = map[byte][]assigned{
	'1': {{'A', '0', "United States"}},
	'2': {{'A', '0', "Canada"}},
	'3': {
		{'A', 'X', "Mexico"},
		{'4', '4', "Nicaragua"},
		{'5', '5', "Dominican Republic"},
		{'6', '6', "Honduras"},
		{'7', '7', "Panama"},
		{'8', '9', "Puerto Rico"},
	},
	'4': {{'A', '0', "United States"}},
	'5': {{'A', '0', "United States"}},
	'6': {{'A', 'X', "Australia"}, {'Y', '1', "New Zealand"}},
	'7': {{'A', 'E', "New Zealand"}, {'F', '0', "United States"}},
	'8': {
		{'A', 'E', "Argentina"},
		{'F', 'G', "Chile"},
		{'L', 'N', "Ecuador"},
		{'S', 'T', "Peru"},
		{'X', 'Z', "Venezuela"},
		{'2', '2', "Bolivia"},
		{'4', '4', "Costa Rica"},
	},
	'9': {
		{'A', 'E', "Brazil"}, {'F', 'G', "Colombia"}, {'L', 'L', "Paraguay"}, {'S', 'T', "Uruguay"}, {'3', '9', "Brazil"},
	},
	'A': {
		{'A', 'H', "South Africa"},
		{'J', 'K', "Côte D'ivoire"},
		{'L', 'M', "Lesotho"},
		{'N', 'P', "Botswana"},
		{'R', 'S', "Namibia"},
		{'T', 'U', "Madagascar"},
		{'V', 'W', "Mauritius"},
		{'X', 'Y', "Tunisia"},
		{'Z', '1', "Cyprus"},
		{'2', '3', "Zimbabwe"},
		{'4', '5', "Mozambique"},
	},
	'B': {
		{'A', 'B', "Angola"},
		{'C', 'C', "Ethiopia"},
		{'F', 'G', "Kenya"},
		{'H', 'H', "Rwanda"},
		{'L', 'L', "Nigeria"},
		{'R', 'R', "Algeria"},
		{'T', 'T', "Eswatini"},
		{'U', 'U', "Uganda"},
		{'3', '4', "Libya"},
	},
	'C': {{'A', 'B', "Benin"}, {'F', 'G', "Madagascar"}, {'L', 'M', "Tunisia"}},
	'D': {{'A', 'B', "Egypt"}, {'F', 'G', "Morocco"}, {'L', 'M', "Zambia"}},
	'E': {{'A', 'B', "Ethiopia"}, {'F', 'G', "Mozambique"}},
	'F': {{'A', 'B', "Ghana"}, {'F', 'G', "Nigeria"}},
	'H': {{'A', '0', "China"}},
	'J': {{'A', '0', "Japan"}},
	'K': {
		{'F', 'H', "Israel"}, {'L', 'R', "South Korea"}, {'S', 'T', "Jordan"}, {'1', '3', "South Korea"}, {'5', '5', "Kyrgyzstan"},
	},
	'L': {{'A', '0', "China"}},
	'M': {
		{'A', 'E', "India"},
		{'F', 'K', "Indonesia"},
		{'L', 'R', "Thailand"},
		{'S', 'S', "Myanmar"},
		{'U', 'U', "Mongolia"},
		{'X', 'X', "Kazakhstan"},
		{'Y', '0', "India"},
	},
	'N': {
		{'A', 'E', "Iran"},
		{'F', 'G', "Pakistan"},
		{'J', 'J', "Iraq"},
		{'L', 'R', "Turkey"},
		{'S', 'T', "Uzbekistan"},
		{'V', 'V', "Azerbaijan"},
		{'X', 'X', "Tajikistan"},
		{'Y', 'Y', "Armenia"},
		{'1', '5', "Iran"},
		{'7', '8', "Turkey"},
	},
	'P': {
		{'A', 'C', "Philippines"}, {'F', 'G', "Singapore"}, {'L', 'R', "Malaysia"}, {'S', 'T', "Bangladesh"}, {'V', 'V', "Cambodia"}, {'5', '0', "India"},
	},
	'R': {
		{'A', 'B', "United Arab Emirates"},
		{'F', 'K', "Taiwan"},
		{'L', 'N', "Vietnam"},
		{'P', 'P', "Laos"},
		{'S', 'T', "Saudi Arabia"},
		{'U', 'W', "Russia"},
		{'1', '7', "Hong Kong"},
	},
	'S': {
		{'A', 'M', "United Kingdom"}, {'N', 'T', "Germany"}, {'U', 'Z', "Poland"}, {'1', '2', "Latvia"}, {'3', '3', "Georgia"}, {'4', '4', "Iceland"},
	},
	'T': {
		{'A', 'H', "Switzerland"},
		{'J', 'P', "Czech Republic"},
		{'R', 'V', "Hungary"},
		{'W', '2', "Portugal"},
		{'3', '5', "Serbia"},
		{'6', '6', "Andorra"},
		{'7', '8', "Netherlands"},
	},
	'U': {
		{'A', 'C', "Spain"},
		{'H', 'M', "Denmark"},
		{'N', 'R', "Ireland"},
		{'U', 'Z', "Romania"},
		{'1', '2', "North Macedonia"},
		{'5', '7', "Slovakia"},
		{'8', '0', "Bosnia and Herzegovina"},
	},
	'V': {
		{'A', 'E', "Austria"}, {'F', 'R', "France"}, {'S', 'W', "Spain"}, {'X', '2', "Serbia"}, {'3', '5', "Croatia"}, {'6', '8', "Estonia"},
	},
	'W': {{'A', '0', "Germany"}},
	'X': {
		{'A', 'C', "Bulgaria"},
		{'D', 'E', "Russia"},
		{'F', 'H', "Greece"},
		{'J', 'K', "Russia"},
		{'L', 'R', "Netherlands"},
		{'S', 'W', "Russia"},
		{'X', '2', "Luxembourg"},
		{'3', '0', "Russia"},
	},
	'Y': {
		{'A', 'E', "Belgium"},
		{'F', 'K', "Finland"},
		{'N', 'N', "Malta"},
		{'S', 'W', "Sweden"},
		{'X', '2', "Norway"},
		{'3', '5', "Belarus"},
		{'6', '8', "Ukraine"},
	},
	'Z': {
		{'A', 'U', "Italy"}, {'X', 'Z', "Slovenia"}, {'1', '1', "San Marino"}, {'3', '5', "Lithuania"}, {'6', '0', "Russia"},
	},
}

// countryOf is the country that ISO 3780 assigns the first two places of a VIN to, "" for none.
func countryOf(number string) string {
	at := strings.IndexByte(places, number[1])
	if at < 0 {
		return ""
	}
	for _, a := range assignments[number[0]] {
		if at >= strings.IndexByte(places, a.from) && at <= strings.IndexByte(places, a.to) {
			return a.country
		}
	}

	return ""
}

// abroad are manufacturers that sell nothing in North America, or did so under other codes, so that vPIC lacks them: make by WMI.
var abroad = map[string]string{
	// Germany
	"W1T": "Mercedes-Benz", "W1V": "Mercedes-Benz", "WDF": "Mercedes-Benz", "WEB": "Mercedes-Benz", "WKK": "Setra", "WMA": "MAN", "WAG": "Neoplan",
	"WME": "smart", "WJM": "Iveco", "WF0": "Ford", "WV2": "Volkswagen", "WV1": "Volkswagen", "WV3": "Volkswagen", "WVM": "MAN", "WUA": "Audi",
	// France
	"VF2": "Renault", "VF4": "Renault", "VF6": "Renault Trucks", "VF7": "Citroën", "VF8": "Matra", "VF9": "Bugatti", "VFA": "Alpine", "VG6": "Renault Trucks",
	"VNE": "Irisbus", "VNK": "Toyota", "VR1": "DS", "VR3": "Peugeot", "VR7": "Citroën", "VXK": "Opel", "VXE": "Opel",
	// Spain, Portugal
	"VSS": "SEAT", "VS5": "Renault", "VS6": "Ford", "VS7": "Citroën", "VSA": "Mercedes-Benz", "VSE": "Suzuki", "VSK": "Nissan", "VSX": "Opel", "VWA": "Nissan",
	"VWV": "Volkswagen", "TYA": "Mitsubishi Fuso", "TYB": "Mitsubishi Fuso",
	// Italy
	"ZAP": "Piaggio", "ZCF": "Iveco", "ZFC": "Fiat", "ZGA": "Irisbus", "ZLA": "Lancia", "ZAR": "Alfa Romeo", "ZFA": "Fiat",
	// United Kingdom, Poland
	"SAR": "Rover", "SAX": "Austin Rover", "SB1": "Toyota", "SDP": "MG", "SED": "Vauxhall", "SFA": "Ford", "SHH": "Honda", "SHS": "Honda", "SJN": "Nissan",
	"SUF": "Fiat", "SUL": "FSC", "SUP": "FSO", "SUU": "Solaris",
	// Czech Republic, Slovakia, Hungary, Romania
	"TMA": "Hyundai", "TMB": "Škoda", "TMK": "Karosa", "TMT": "Tatra", "TNE": "TAZ", "TRA": "Ikarus", "TRU": "Audi", "TSM": "Suzuki",
	"U5Y": "Kia", "U6Y": "Kia", "UU1": "Dacia", "UU3": "ARO",
	// Sweden, Netherlands, Belgium, Switzerland
	"YS2": "Scania", "YS4": "Scania", "YV2": "Volvo Truck", "YV3": "Volvo", "XLB": "Volvo", "XLE": "Scania", "XLR": "DAF", "XMC": "Mitsubishi",
	"YE1": "Van Hool", "TCC": "smart",
	// Russia
	"XTA": "Lada", "XTC": "KamAZ", "XTH": "GAZ", "XTT": "UAZ", "X96": "GAZ", "X4X": "BMW", "X7L": "Renault", "X7M": "Hyundai", "X9F": "Ford", "XUF": "Chevrolet",
	"XW7": "Toyota", "XW8": "Volkswagen", "XWF": "Chevrolet", "Z8N": "Nissan", "Z8T": "Peugeot", "Z94": "Hyundai",
	// Turkey
	"NLA": "Honda", "NLE": "Mercedes-Benz", "NLH": "Hyundai", "NLR": "Otokar", "NM1": "Renault", "NM3": "Fiat", "NM4": "Fiat", "NMA": "MAN",
	"NMB": "Mercedes-Benz", "NMC": "BMC",
	// Japan, South Korea
	"JDA": "Daihatsu", "JMB": "Mitsubishi", "JMZ": "Mazda", "JN0": "Nissan", "JSA": "Suzuki", "JT1": "Toyota", "JTG": "Daihatsu", "JTN": "Toyota",
	"KLA": "Daewoo", "KPA": "SsangYong", "KPB": "SsangYong", "KPT": "SsangYong",
	// China
	"LBV": "BMW", "LC0": "BYD", "LE4": "Mercedes-Benz", "LFM": "Toyota", "LFV": "Volkswagen", "LGB": "Nissan", "LGX": "BYD", "LHG": "Honda", "LJ1": "NIO",
	"LSG": "Buick", "LSJ": "MG", "LSV": "Volkswagen", "LVG": "Toyota", "LVH": "Honda", "LVS": "Ford", "LVV": "Chery", "LW4": "Li Auto", "L6T": "Geely", "LB3": "Geely",
	// India, Indonesia, Thailand, Malaysia
	"MA1": "Mahindra", "MA3": "Suzuki", "MAK": "Honda", "MAL": "Hyundai", "MAT": "Tata", "MB1": "Ashok Leyland", "MBJ": "Toyota", "MHF": "Toyota", "MHR": "Honda",
	"MM8": "Mazda", "MMB": "Mitsubishi", "MMC": "Mitsubishi", "MMT": "Mitsubishi", "MNB": "Ford", "MNT": "Nissan", "MPA": "Isuzu", "MR0": "Toyota",
	"MR1": "Toyota", "MR2": "Toyota", "MRH": "Honda", "PL1": "Proton", "PM2": "Perodua",
	// Australia, South America, South Africa
	"6F4": "Nissan", "6FP": "Ford", "6G1": "Holden", "6H8": "Holden", "6MM": "Mitsubishi", "6T1": "Toyota",
	"8A1": "Renault", "8AC": "Mercedes-Benz", "8AD": "Peugeot", "8AF": "Ford", "8AG": "Chevrolet", "8AJ": "Toyota", "8AP": "Fiat", "8AT": "Iveco",
	"8AW": "Volkswagen", "935": "Citroën", "936": "Peugeot", "93H": "Honda", "93X": "Mitsubishi", "93Y": "Renault", "94D": "Nissan", "988": "Jeep",
	"9BD": "Fiat", "9BF": "Ford", "9BG": "Chevrolet", "9BH": "Hyundai", "9BM": "Mercedes-Benz", "9BR": "Toyota", "9BS": "Scania", "9BV": "Volvo Truck",
	"9BW": "Volkswagen", "9FB": "Renault", "AAV": "Volkswagen", "ABM": "BMW", "ACV": "Isuzu", "ADN": "Nissan", "AFA": "Ford", "AHT": "Toyota", //nolint:misspell // no AND
}
