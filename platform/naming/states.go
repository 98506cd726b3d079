package naming

import "strings"

// StateCode returns the code of two letters that the postal service has for a state of the US or a province of Canada, by its name in
// English; false for another text.
func StateCode(name string) (string, bool) {
	code, known := stateCodes[strings.ToLower(strings.Join(strings.Fields(name), " "))]

	return code, known
}

// IsStateCode reports whether a text is the code, in capital letters, of a state of the US, of a region of its armed forces, or of a province of
// Canada.
func IsStateCode(text string) bool {
	for _, code := range stateCodes {
		if code == text {
			return true
		}
	}

	return text == "AA" || text == "AE" || text == "AP"
}

// stateCodes are those of USPS Publication 28, appendix B, and of Canada Post's addressing guidelines.
var stateCodes = map[string]string{
	"alabama": "AL", "alaska": "AK", "arizona": "AZ", "arkansas": "AR", "california": "CA", "colorado": "CO", "connecticut": "CT", "delaware": "DE",
	"district of columbia": "DC", "florida": "FL", "georgia": "GA", "hawaii": "HI", "idaho": "ID", "illinois": "IL", "indiana": "IN", "iowa": "IA",
	"kansas": "KS", "kentucky": "KY", "louisiana": "LA", "maine": "ME", "maryland": "MD", "massachusetts": "MA", "michigan": "MI", "minnesota": "MN",
	"mississippi": "MS", "missouri": "MO", "montana": "MT", "nebraska": "NE", "nevada": "NV", "new hampshire": "NH", "new jersey": "NJ",
	"new mexico": "NM", "new york": "NY", "north carolina": "NC", "north dakota": "ND", "ohio": "OH", "oklahoma": "OK", "oregon": "OR",
	"pennsylvania": "PA", "rhode island": "RI", "south carolina": "SC", "south dakota": "SD", "tennessee": "TN", "texas": "TX", "utah": "UT",
	"vermont": "VT", "virginia": "VA", "washington": "WA", "west virginia": "WV", "wisconsin": "WI", "wyoming": "WY", "american samoa": "AS",
	"guam": "GU", "northern mariana islands": "MP", "puerto rico": "PR", "virgin islands": "VI", "us virgin islands": "VI",
	"alberta": "AB", "british columbia": "BC", "manitoba": "MB", "new brunswick": "NB", "newfoundland and labrador": "NL", "nova scotia": "NS",
	"northwest territories": "NT", "nunavut": "NU", "ontario": "ON", "prince edward island": "PE", "quebec": "QC", "québec": "QC",
	"saskatchewan": "SK", "yukon": "YT", "newfoundland": "NL", "washington dc": "DC",
}
