package custommodules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/list"
)

const (
	errAddress = valueError(`must be an address: {"line1": "…", "city": "…", "state": "TX", "postal_code": "75201", "country": "US"}.`)

	mostAddressPart = 200
)

var zipPattern = regexp.MustCompile(`^[0-9]{5}(-[0-9]{4})?$`)

// address is where something is. Any part but the country may be missing: much of the trade goes by
// city and state.
type address struct {
	rawCells

	Country string `json:"country"`
}

func addressType() fieldType {
	return fieldType{
		name: "address",
		about: "An address: any of line1, line2, city, state and postal_code, and country (the option country, US, if " +
			"none is given), a code of ISO 3166 in two letters. In the US, the state is the code of the Postal Service and the " +
			"postal code a ZIP code. It cannot be indexed.",
		filter:    list.Text,
		operators: present(),
		facets:    addressFacets(),
		options:   func() valueType { return &address{Country: "US"} },
	}
}

// addressParts are the parts in the order in which PostgreSQL keeps them.
func addressParts() []string {
	return []string{"city", "line1", "line2", "state", "country", "postal_code"}
}

// usStates are the states, territories and military addresses of USPS Publication 28, appendix B.
func usStates() []string {
	return strings.Fields("AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM " +
		"NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI FM MH PW AA AE AP")
}

func (a *address) check() error {
	country, ok := countryCode(a.Country)
	if !ok {
		return optionError{"country", "The country must be a code of ISO 3166 in two letters."}
	}
	a.Country = country

	return nil
}

func (a *address) parse(raw []byte) (value, error) {
	parts, err := a.read(raw)
	if err != nil {
		return value{}, err
	}
	if parts["country"] == "" {
		parts["country"] = a.Country
	}
	if err := checkAddress(parts); err != nil {
		return value{}, err
	}
	json := []byte{'{'}
	for _, name := range addressParts() {
		if parts[name] == "" {
			continue
		}
		if len(json) > 1 {
			json = append(json, ',')
		}
		json = append(append(append(json, quote(name)...), ':'), quote(parts[name])...)
	}
	json = append(json, '}')

	return value{json: json, key: string(json)}, nil
}

// read returns the parts that are there, without space around them.
func (a *address) read(raw []byte) (map[string]string, error) {
	if raw[0] != '{' {
		return nil, errAddress
	}
	parts := map[string]string{}
	for name, member := range members(raw) {
		part := textOf(name)
		if _, twice := parts[part]; twice || !slices.Contains(addressParts(), part) {
			return nil, valueError(fmt.Sprintf("must not have a part %s.", shorten(part)))
		}
		if member[0] == 'n' {
			continue
		}
		text, err := parseString(member)
		if err != nil {
			return nil, valueError("must have text as its " + spoken(part) + ".")
		}
		text = strings.TrimSpace(norm.NFC.String(text))
		if utf8.RuneCountInString(text) > mostAddressPart || strings.ContainsFunc(text, unicode.IsControl) {
			return nil, valueError(fmt.Sprintf("must have a %s of one line of up to %d characters.", spoken(part), mostAddressPart))
		}
		parts[part] = text
	}

	return parts, nil
}

// checkAddress normalises the parts that follow rules, and checks them.
func checkAddress(parts map[string]string) error {
	if parts["line1"]+parts["line2"]+parts["city"]+parts["state"]+parts["postal_code"] == "" {
		return errAddress
	}
	country, ok := countryCode(parts["country"])
	if !ok {
		return valueError("must have a country of ISO 3166 in two letters.")
	}
	parts["country"] = country
	if country != "US" {
		return nil
	}
	parts["state"] = upperASCII(parts["state"])
	switch {
	case parts["state"] != "" && !slices.Contains(usStates(), parts["state"]):
		return valueError("must have a state of the US in two letters.")
	case parts["postal_code"] != "" && !zipPattern.MatchString(parts["postal_code"]):
		return valueError("must have a ZIP code of 5 digits, or of 5 and 4.")
	}

	return nil
}

// countryCode returns the code of a country in upper case.
func countryCode(text string) (string, bool) {
	if len(text) != 2 {
		return "", false
	}
	region, err := language.ParseRegion(text)
	if err != nil || !region.IsCountry() {
		return "", false
	}

	return region.String(), true
}

func (*address) comparable(text string) (any, error) { return comparableText(text) }

func (*address) schema() map[string]any {
	properties := map[string]any{}
	for _, part := range addressParts() {
		properties[part] = map[string]any{"type": []string{"string", "null"}}
	}

	return map[string]any{"type": "object", "properties": properties, "minProperties": 1, "additionalProperties": false}
}
