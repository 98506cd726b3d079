package field

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	errAddress = Error(`must be an address: {"line1": "…", "city": "…", "state": "TX", "postal_code": "75201", "country": "US"}.`)

	mostAddressPart = 200
)

var zipPattern = regexp.MustCompile(`^[0-9]{5}(-[0-9]{4})?$`)

// addressOptions is where something is. Any part but the country may be missing: much of the trade goes by
// city and state.
type addressOptions struct {
	rawCells

	Country string `json:"country"`
}

func addressType() Type {
	return Type{
		Name: "address",
		About: "An address: any of line1, line2, city, state and postal_code, and country, a two-letter ISO 3166 code " +
			"(by default the option country, US). In the US and Canada, state is the two-letter code of the postal service; in the " +
			"US, postal_code is a ZIP code. It cannot be indexed.",
		Filter:    kind.Text,
		Operators: present,
		Facets:    addressFacets(),
		New:       func() Values { return &addressOptions{Country: "US"} },
	}
}

// addressParts are the parts in the order in which PostgreSQL keeps them.
var addressParts = []string{"city", "line1", "line2", "state", "country", "postal_code"}

// usStates are the states, territories and military addresses of USPS Publication 28, appendix B.
func usStates() []string {
	return strings.Fields("AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM " +
		"NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI FM MH PW AA AE AP")
}

// caProvinces are the provinces and territories of Canada Post's addressing guidelines.
func caProvinces() []string { return strings.Fields("AB BC MB NB NL NS NT NU ON PE QC SK YT") }

// StateCode brings the state of a country, which is an ISO 3166 code in capitals, into the form that addresses have: in the US and Canada a code of
// two letters, elsewhere as it is. The error is an Error.
func StateCode(country, state string) (string, error) {
	var codes []string
	kind := "US state code, such as TX"
	switch country {
	case "US":
		codes = usStates()
	case "CA":
		codes, kind = caProvinces(), "code of a Canadian province, such as ON"
	default:
		return state, nil
	}
	code := upperASCII(state)
	if named, is := naming.StateCode(state); is && slices.Contains(codes, named) {
		kind, _, _ = strings.Cut(kind, ",")

		return state, Error("must have a two-letter " + kind + ": " + named + " for " + quoteShortened(state) + ".")
	}
	if code != "" && !slices.Contains(codes, code) {
		return state, Error("must have a two-letter " + kind + ": " + quoteShortened(code) + " is none.")
	}

	return code, nil
}

// Check implements Values.
func (a *addressOptions) Check() error {
	country, ok := CountryCode(a.Country)
	if !ok {
		return OptionError{"country", "The country must be a two-letter ISO 3166 code."}
	}
	a.Country = country

	return nil
}

// Parse implements Values.
func (a *addressOptions) Parse(raw []byte) (Value, error) {
	parts, err := a.read(raw)
	if err != nil {
		return Value{}, err
	}
	if parts["country"] == "" {
		parts["country"] = a.Country
	}
	if err := checkAddress(parts); err != nil {
		return Value{}, err
	}
	json := []byte{'{'}
	for _, name := range addressParts {
		if parts[name] == "" {
			continue
		}
		if len(json) > 1 {
			json = append(json, ',')
		}
		json = append(append(append(json, rawjson.Quote(name)...), ':'), rawjson.Quote(parts[name])...)
	}
	json = append(json, '}')

	return Value{JSON: json, Key: string(json)}, nil
}

// read returns the parts that are there, without space around them.
func (a *addressOptions) read(raw []byte) (map[string]string, error) {
	if raw[0] != '{' {
		return nil, errAddress
	}
	parts := map[string]string{}
	for name, member := range rawjson.Members(raw) {
		part := rawjson.Name(name)
		if _, twice := parts[part]; twice || !slices.Contains(addressParts, part) {
			return nil, wrongPart(part)
		}
		if member[0] == 'n' {
			continue
		}
		text, err := parseString(member)
		if err != nil {
			return nil, Error("must have a string as its " + naming.Spaced(part) + ".")
		}
		text = naming.Normal(text)
		if utf8.RuneCountInString(text) > mostAddressPart || strings.ContainsFunc(text, unicode.IsControl) {
			return nil, Error(fmt.Sprintf("must have a %s of one line with at most %d characters.", naming.Spaced(part), mostAddressPart))
		}
		parts[part] = text
	}

	return parts, nil
}

// wrongPart refuses a part that an address does not have, or has already.
func wrongPart(part string) error {
	if slices.Contains(addressParts, part) {
		return Error("must have its " + naming.Spaced(part) + " once.")
	}

	return Error("must not have a part " + naming.Shorten(part) + ": its parts are line1, line2, city, state, postal_code and country.")
}

// checkAddress normalises the parts that follow rules, and checks them.
func checkAddress(parts map[string]string) error {
	if parts["line1"]+parts["line2"]+parts["city"]+parts["state"]+parts["postal_code"] == "" {
		return errAddress
	}
	country, ok := CountryCode(parts["country"])
	if !ok {
		return Error("must have a two-letter ISO 3166 country code, such as US: " + quoteShortened(parts["country"]) + " is none.")
	}
	parts["country"] = country
	code, err := StateCode(country, parts["state"])
	if err != nil {
		return err
	}
	parts["state"] = code
	if country == "US" {
		parts["postal_code"] = naming.ZIP(parts["postal_code"])
	}
	if country == "US" && parts["postal_code"] != "" && !zipPattern.MatchString(parts["postal_code"]) {
		return Error("must have a postal code of 5 or 5+4 digits, such as 75201-1234: " +
			quoteShortened(parts["postal_code"]) + " is not a ZIP code.")
	}

	return nil
}

// CountryCode returns a code of two letters of ISO 3166-1 in upper case, and whether it is one.
func CountryCode(text string) (string, bool) {
	code := strings.ToUpper(text)
	region, err := language.ParseRegion(code)
	if err != nil || len(code) != 2 || !region.IsCountry() || region.IsPrivateUse() || region.M49() == 0 {
		return "", false
	}
	switch code {
	case "AN", "CS", "NT", "SU", "YU": // withdrawn: several took their places
		return "", false
	}

	return code, region.Canonicalize().String() == code
}

// Comparable implements Values.
func (*addressOptions) Comparable(text string) (any, error) { return ComparableText(text) }

// Schema implements Values.
func (*addressOptions) Schema() map[string]any {
	properties := map[string]any{}
	for _, part := range addressParts {
		properties[part] = map[string]any{"type": []string{"string", "null"}}
	}

	return map[string]any{"type": "object", "properties": properties, "minProperties": 1, "additionalProperties": false}
}
