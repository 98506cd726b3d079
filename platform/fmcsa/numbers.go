// Package fmcsa reads the numbers that the regulator of US carriers (FMCSA) gives out, in every form in which people and the
// regulator's files write them. It is the only parser of them: custom fields, the structs of areas and the carriers area share it.
package fmcsa

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Kind is a kind of number that the regulator gives out.
type Kind string

// The kinds of numbers.
const (
	KindUSDOT  Kind = "usdot"
	KindDocket Kind = "docket"
	// KindEither is the kind of an [Error] where a number of either kind was expected.
	KindEither Kind = ""
)

// Prefix is the prefix of a docket.
type Prefix string

// The prefixes of dockets.
const (
	MC Prefix = "MC" // motor carriers and brokers
	MX Prefix = "MX" // Mexican carriers
	FF Prefix = "FF" // freight forwarders
)

// USDOT is the number of a registrant.
type USDOT struct {
	// Number has 1 to 8 digits; 0 is no number.
	Number int64
	// Suffix has the letters that the registration system shows after the number, "" for none: C property carrier,
	// V private, P passenger, H household goods, B broker, F forwarder, E enterprise, X and Z Mexico, N other countries,
	// R intrastate. They describe the registration and are not part of the number: compare numbers alone.
	Suffix string
}

// String returns the digits of the number, without its suffix.
func (u USDOT) String() string { return strconv.FormatInt(u.Number, 10) }

// Docket is the number of an operating authority.
type Docket struct {
	Prefix Prefix
	Number int64
}

// String returns the docket as it is stored and shown: "MC-139446".
func (d Docket) String() string { return string(d.Prefix) + "-" + strconv.FormatInt(d.Number, 10) }

// Number is a USDOT number or a docket, as Kind says; the other one is zero.
type Number struct {
	Kind   Kind
	USDOT  USDOT
	Docket Docket
}

// String returns the number in its stored form.
func (n Number) String() string {
	if n.Kind == KindDocket {
		return n.Docket.String()
	}

	return n.USDOT.String()
}

// ErrAmbiguous is the error of digits alone where either kind may stand: they are a USDOT number of one carrier and the docket of another.
var ErrAmbiguous = errors.New("the number may be a USDOT number or a docket: write USDOT 1234567 or MC-123456")

// Error is the error of a text that is not a number of the expected kind.
type Error struct {
	Kind Kind
	// Problem is what is wrong and what is right, to follow the name of the value: "has 9 digits: it must be 1 to 8 digits, such as …".
	Problem string
}

// Error implements error.
func (e *Error) Error() string {
	noun := map[Kind]string{KindUSDOT: "USDOT number", KindDocket: "docket", KindEither: "number"}[e.Kind]

	return "The " + noun + " " + e.Problem
}

// Predicate returns what an answer says after the name of the value.
func (e *Error) Predicate() string { return e.Problem }

// Want describes a valid number.
func (e *Error) Want() string { return wants[e.Kind] }

var wants = map[Kind]string{
	KindUSDOT:  "1 to 8 digits, such as 1234567 or USDOT 1234567",
	KindDocket: "MC, MX or FF and 1 to 8 digits, such as MC-123456",
	KindEither: "USDOT 1234567 or MC-123456",
}

// MaxText is how many bytes a text with a number may have.
const MaxText = 64

const (
	mostDigits = 8
	// suffixLetters are those that the registration system shows after USDOT numbers.
	suffixLetters = "CVPHBFEXZNR"
	mostSuffixes  = 4
)

// numberPattern matches a prefix, digits with zeros and separators in front, and letters.
var numberPattern = regexp.MustCompile(`^(US[- ]?DOT|DOT|MC|MX|FF)?[-#:. ]*(?:NO[-#:. ]+|NUMBER[-#:. ]+)?((?:[-#:. ]*[0-9]+)*)[- ]?([A-Z]*)$`)

// ParseUSDOT reads a USDOT number, with or without "USDOT" in front, leading zeros, and the letters of its suffix. The error is an *[Error].
func ParseUSDOT(text string) (USDOT, error) {
	p, ok := split(text)
	switch {
	case !ok:
		return USDOT{}, invalid(KindUSDOT, "must be %s.", wants[KindUSDOT])
	case p.isDocket():
		return USDOT{}, invalid(KindUSDOT, "must be %s; %s-%s is a docket.", wants[KindUSDOT], p.prefix, p.digits)
	}

	return p.usdot()
}

// ParseDocket reads a docket. One without a prefix is an MC number. The error is an *[Error].
func ParseDocket(text string) (Docket, error) {
	p, ok := split(text)
	switch {
	case !ok:
		return Docket{}, invalid(KindDocket, "must be %s.", wants[KindDocket])
	case p.prefix != "" && !p.isDocket():
		return Docket{}, invalid(KindDocket, "must be %s, not a USDOT number.", wants[KindDocket])
	case p.prefix == "":
		p.prefix = string(MC)
	}

	return p.docket()
}

// ParseNumber reads a number of either kind. Digits alone are [ErrAmbiguous]; digits with the letters of a suffix are a USDOT
// number. Any other error is an *[Error].
func ParseNumber(text string) (Number, error) {
	p, ok := split(text)
	switch {
	case !ok:
		return Number{}, invalid(KindEither, "must be %s.", wants[KindEither])
	case p.isDocket():
		d, err := p.docket()

		return Number{Kind: KindDocket, Docket: d}, err
	case p.prefix == "" && p.digits == "" && !p.zeros:
		return Number{}, invalid(KindEither, "has no digits: it must be %s.", wants[KindEither])
	case p.prefix == "" && p.suffix == "":
		if _, err := p.usdot(); err != nil {
			return Number{}, err
		}

		return Number{}, ErrAmbiguous
	}
	u, err := p.usdot()

	return Number{Kind: KindUSDOT, USDOT: u}, err
}

// parts are what a number was written of: digits are without zeros in front.
type parts struct {
	prefix, digits, suffix string
	zeros                  bool
}

func (p parts) isDocket() bool {
	return p.prefix == string(MC) || p.prefix == string(MX) || p.prefix == string(FF)
}

// split takes a text apart; false if it cannot be a number.
func split(text string) (parts, bool) {
	if len(text) > MaxText {
		return parts{}, false
	}
	if p, ok := splitPlain(text); ok {
		return p, true
	}
	text = plain(text)
	found := numberPattern.FindStringSubmatch(text)
	if found == nil || found[1] == "" && strings.IndexAny(text, "-:.") == 0 { // -1 is no number, MC-1 is
		return parts{}, false
	}
	var digits strings.Builder
	groups := strings.FieldsFunc(found[2], func(r rune) bool { return r < '0' || r > '9' })
	for i, group := range groups {
		// Only zeros may stand apart from the number: 12 34 is two numbers.
		if i < len(groups)-1 && strings.Trim(group, "0") != "" {
			return parts{}, false
		}
		digits.WriteString(group)
	}
	kept := strings.TrimLeft(digits.String(), "0")

	return parts{prefix: found[1], digits: kept, suffix: found[3], zeros: kept == "" && digits.Len() > 0}, true
}

// splitPlain is split for digits after nothing or a docket's prefix, as files of millions of rows have them.
func splitPlain(text string) (parts, bool) {
	prefix := ""
	if len(text) > 2 && (text[:2] == string(MC) || text[:2] == string(MX) || text[:2] == string(FF)) {
		prefix, text = text[:2], text[2:]
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return parts{}, false
		}
	}
	kept := strings.TrimLeft(text, "0")

	return parts{prefix: prefix, digits: kept, zeros: kept == ""}, text != ""
}

// plain writes a text in capitals, with the spaces and dashes of ASCII.
func plain(text string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Pd, r):
			return '-'
		}

		return unicode.ToUpper(r)
	}, text)

	return strings.Join(strings.Fields(mapped), " ")
}

func (p parts) usdot() (USDOT, error) {
	number, err := p.number(KindUSDOT)
	if err != nil {
		return USDOT{}, err
	}
	if len(p.suffix) > mostSuffixes || strings.Trim(p.suffix, suffixLetters) != "" {
		return USDOT{}, invalid(KindUSDOT, "may end with up to %d of the letters %s, not with %s.", mostSuffixes, suffixLetters, p.suffix)
	}

	return USDOT{Number: number, Suffix: p.suffix}, nil
}

func (p parts) docket() (Docket, error) {
	number, err := p.number(KindDocket)
	if err != nil {
		return Docket{}, err
	}
	if p.suffix != "" {
		return Docket{}, invalid(KindDocket, "has letters after its digits: it must be %s.", wants[KindDocket])
	}

	return Docket{Prefix: Prefix(p.prefix), Number: number}, nil
}

func (p parts) number(kind Kind) (int64, error) {
	switch {
	case p.zeros:
		return 0, invalid(kind, "has only zeros: it must be %s.", wants[kind])
	case p.digits == "":
		return 0, invalid(kind, "has no digits: it must be %s.", wants[kind])
	case len(p.digits) > mostDigits:
		return 0, invalid(kind, "has %d digits: it must be %s.", len(p.digits), wants[kind])
	}
	number, err := strconv.ParseInt(p.digits, 10, 64)
	if err != nil {
		return 0, invalid(kind, "must be %s.", wants[kind])
	}

	return number, nil
}

func invalid(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Problem: fmt.Sprintf(format, args...)}
}
