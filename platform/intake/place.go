package intake

import (
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// Place is where a transport begins or ends.
type Place struct{ City, State, ZIP string }

var (
	zipRule    = regexp.MustCompile(`^[0-9]{5}(-[0-9]{4})?$`)
	postalRule = regexp.MustCompile(`(?i)^[a-z][0-9][a-z][ -]?[0-9][a-z][0-9]$`)
	// nation ends an address, lastCode is a ZIP code or a Canadian postal code at its end, firstZIP a ZIP code at its beginning.
	nation   = regexp.MustCompile(`(?i)[,\s]+(usa?|u\.s\.a?\.?|united states( of america)?|canada)$`)
	lastCode = regexp.MustCompile(`(?i)(?:^|[\s,])([0-9]{5}(?:[ -]*[0-9]{4})?|[a-z][0-9][a-z][ -]?[0-9][a-z][0-9])$`)
	firstZIP = regexp.MustCompile(`^([0-9]{5}(?:-[0-9]{4})?)(?:[\s,]+|$)`)
)

// longestState is how many words the name of a state has at most: Newfoundland and Labrador.
const longestState = 3

// PlaceOf reads "Dallas, TX 75201", "Dallas, Texas", "Toronto, ON", "75201, TX", "75201-1234" and addresses that end so.
func PlaceOf(text string) (Place, bool) {
	text = strings.Trim(strings.Join(strings.Fields(naming.ZIP(text)), " "), " ,.;")
	text = nation.ReplaceAllString(text, "")
	var p Place
	if m := lastCode.FindStringSubmatchIndex(text); m != nil {
		p.ZIP, text = strings.ToUpper(naming.ZIP(text[m[2]:m[3]])), strings.Trim(text[:m[0]], " ,")
	} else if m := firstZIP.FindStringSubmatch(text); m != nil {
		p.ZIP, text = m[1], strings.Trim(text[len(m[0]):], " ,")
	}
	text, p.State = cutState(text)
	if at := strings.LastIndexByte(text, ','); at >= 0 { // a street before the city
		text = text[at+1:]
	}
	p.City = strings.Trim(text, " ,")

	return p, p.ZIP != "" || p.City != "" && p.State != ""
}

// cutState takes a state off the end of a text: its name, or its two letters.
func cutState(text string) (rest, state string) {
	words := strings.Fields(strings.ReplaceAll(text, ",", " , "))
	for n := min(longestState, len(words)); n > 0; n-- {
		before, last := words[:len(words)-n], strings.Join(words[len(words)-n:], " ")
		if state = stateOf(last); state != "" {
			return strings.ReplaceAll(strings.Trim(strings.Join(before, " "), " ,"), " ,", ","), state
		}
	}
	const letters = 2
	if n := len(words); n > 0 && len(words[n-1]) == letters && words[n-1] != "," { // of Mexico, or none: who reads the place knows
		return strings.ReplaceAll(strings.Trim(strings.Join(words[:n-1], " "), " ,"), " ,", ","), strings.ToUpper(words[n-1])
	}

	return text, ""
}

// shortStates are abbreviations of states other than their two letters (AP Stylebook).
var shortStates = map[string]string{
	"ala": "AL", "ariz": "AZ", "ark": "AR", "calif": "CA", "colo": "CO", "conn": "CT", "del": "DE", "fla": "FL", "ill": "IL", "ind": "IN", "kan": "KS",
	"mass": "MA", "mich": "MI", "minn": "MN", "miss": "MS", "mont": "MT", "neb": "NE", "nebr": "NE", "nev": "NV", "okla": "OK", "ore": "OR", "penn": "PA",
	"tenn": "TN", "tex": "TX", "wash": "WA", "wis": "WI", "wisc": "WI", "wyo": "WY", "ont": "ON", "que": "QC", "alta": "AB", "sask": "SK", "man": "MB",
}

// stateOf is the two letters of a state of the US or a province of Canada that is named by them, in full or in short; "" for none.
func stateOf(text string) string {
	plain := strings.ToLower(strings.ReplaceAll(strings.Join(strings.Fields(text), " "), ".", ""))
	if code, known := naming.StateCode(plain); known {
		return code
	}
	if code := shortStates[plain]; code != "" {
		return code
	}
	if upper := strings.ToUpper(plain); naming.IsStateCode(upper) {
		return upper
	}

	return ""
}
