package custommodules

import (
	"regexp"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errPhone = valueError("must be a phone number, such as +1 202 555 0143.")

// phonePattern keeps to digits and what people put between them, so that letters and extensions,
// which E.164 does not have, are refused and not lost.
var phonePattern = regexp.MustCompile(`^\+?[0-9 ()./-]{2,40}$`)

// phone is a phone number in the form of E.164.
type phone struct {
	stringCells

	DefaultRegion string `json:"default_region"`
}

func phoneType() fieldType {
	return fieldType{
		name: "phone",
		about: "A phone number, kept as E.164 has it: +12025550143. One without a country code is of default_region " +
			"(US), an ISO 3166 code of two letters.",
		slot:      textSlot,
		filter:    list.Text,
		operators: searched(),
		sortable:  true,
		options:   func() valueType { return &phone{DefaultRegion: "US"} },
	}
}

func (p *phone) check() error {
	p.DefaultRegion = upperASCII(p.DefaultRegion)
	if !phonenumbers.GetSupportedRegions()[p.DefaultRegion] {
		return optionError{"default_region", "The default region must be a country, as ISO 3166 writes it in two letters."}
	}

	return nil
}

func (p *phone) parse(raw []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	number, err := p.normal(given)
	if err != nil {
		return value{}, err
	}

	return value{json: quote(number), key: number}, nil
}

func (p *phone) normal(text string) (string, error) {
	if !phonePattern.MatchString(text) {
		return "", errPhone
	}
	number, err := phonenumbers.Parse(text, p.DefaultRegion)
	if err != nil || !phonenumbers.IsValidNumber(number) {
		return "", errPhone
	}

	return phonenumbers.Format(number, phonenumbers.E164), nil
}

// comparable takes any digits too: a number that no field holds compares with those that some do.
func (p *phone) comparable(text string) (any, error) {
	if number, err := p.normal(text); err == nil {
		return number, nil
	}

	return p.part(text)
}

// part leaves the digits of a number, and the plus sign before them.
func (*phone) part(text string) (string, error) {
	digits := strings.Map(func(r rune) rune {
		if (r >= '0' && r <= '9') || r == '+' {
			return r
		}

		return -1
	}, text)
	if digits == "" || !phonePattern.MatchString(text+"  ") {
		return "", valueError("must be digits of a phone number.")
	}

	return digits, nil
}

func (*phone) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": phonePattern.String()}
}
