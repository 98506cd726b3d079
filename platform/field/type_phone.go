package field

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errPhone = Error("must be a phone number, such as +1 202 555 0143.")

// phonePattern keeps to digits and what people put between them, so that letters and extensions,
// which E.164 does not have, are refused and not lost.
var phonePattern = regexp.MustCompile(`^\+?[0-9 ()./-]{2,40}$`)

// linkPattern is what a schema says: no letters but those of the scheme of a link. Digits and spaces may be others than those of ASCII.
const linkPattern = `^\s*([Tt][Ee][Ll]:|[Ss][Mm][Ss]:|[Cc][Aa][Ll][Ll][Tt][Oo]:)?[^A-Za-z]{2,}$`

// extended is what people write with an extension.
var extended = regexp.MustCompile(`^\+?[0-9 ()./-]{2,40}[,; ]*(?i:ext\.?|extension|x|#)[ :.=]*[0-9]{1,8}$`)

// phoneOptions is a phone number in the form of E.164.
type phoneOptions struct {
	stringCells

	DefaultRegion string `json:"default_region"`
}

func phoneType() Type {
	return Type{
		Name: "phone",
		About: "A phone number, stored in E.164: +12025550143. A number without a country code is read as one of " +
			"default_region (US), a two-letter ISO 3166 code.",
		Index:     TextIndex,
		Filter:    kind.Text,
		Operators: searchOperators(),
		Sortable:  true,
		New:       func() Values { return &phoneOptions{DefaultRegion: "US"} },
	}
}

// Check implements Values.
func (p *phoneOptions) Check() error {
	p.DefaultRegion = upperASCII(p.DefaultRegion)
	if !phonenumbers.GetSupportedRegions()[p.DefaultRegion] {
		return OptionError{"default_region", "The default region must be a two-letter ISO 3166 country code."}
	}

	return nil
}

// Parse implements Values.
func (p *phoneOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	number, err := p.normal(given)
	if err != nil {
		return Value{}, err
	}

	return Value{JSON: rawjson.Quote(number), Key: number}, nil
}

// mostPhone is the longest text of a phone number that is read, in bytes.
const mostPhone = 200

// PlainPhone is a phone number as people would type it: with the spaces, hyphens and digits of ASCII in place of those that phones and word processors
// copy, without marks that cannot be seen, and without the scheme of a link (tel:, RFC 3966). It is no normal form: what is no number stays none.
func PlainPhone(text string) string {
	if len(text) > mostPhone {
		return text
	}
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		case unicode.IsSpace(r), unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.Is(unicode.Pd, r), r == '\u2212', r == '\u00b7', r == '\u2022': // a minus sign, dots
			return '-'
		}

		return r
	}, norm.NFKC.String(text))
	plain = strings.TrimSpace(plain)
	for _, scheme := range []string{"tel:", "sms:", "callto:"} {
		if len(plain) > len(scheme) && strings.EqualFold(plain[:len(scheme)], scheme) {
			plain = strings.TrimLeft(plain[len(scheme):], "/ ")
		}
	}

	return plain
}

func (p *phoneOptions) normal(text string) (string, error) {
	text = PlainPhone(text)
	if !phonePattern.MatchString(text) {
		if extended.MatchString(text) {
			return "", Error("must be a phone number without an extension. Put the extension into a field of its own.")
		}

		return "", errPhone
	}
	number, err := phonenumbers.Parse(text, p.DefaultRegion)
	if err == nil && !phonenumbers.IsValidNumber(number) && phonenumbers.IsPossibleNumber(number) {
		return "", Error("must be a valid phone number: no such number exists in " +
			countryOf(number, p.DefaultRegion) + ".")
	}
	if err != nil || !phonenumbers.IsValidNumber(number) {
		return "", errPhone
	}

	return phonenumbers.Format(number, phonenumbers.E164), nil
}

// countryOf names the region whose numbers have the country code of a number: the usual one, if it is among them.
func countryOf(number *phonenumbers.PhoneNumber, usual string) string {
	if phonenumbers.GetCountryCodeForRegion(usual) == int(number.GetCountryCode()) {
		return usual
	}

	return phonenumbers.GetRegionCodeForCountryCode(int(number.GetCountryCode()))
}

// Comparable takes any digits too: a number that no field holds compares with those that some do.
func (p *phoneOptions) Comparable(text string) (any, error) {
	if number, err := p.normal(text); err == nil {
		return number, nil
	}

	return p.Part(text)
}

// Part leaves the digits of a number, and the plus sign before them.
func (*phoneOptions) Part(text string) (string, error) {
	text = PlainPhone(text)
	digits := strings.Map(func(r rune) rune {
		if (r >= '0' && r <= '9') || r == '+' {
			return r
		}

		return -1
	}, text)
	if digits == "" || !phonePattern.MatchString(text+"  ") {
		return "", Error("must be the digits of a phone number.")
	}

	return digits, nil
}

// Schema implements Values.
func (*phoneOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": linkPattern, "maxLength": mostPhone}
}
