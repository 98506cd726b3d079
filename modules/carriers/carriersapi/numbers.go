package carriersapi

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Kind is a kind of number that the regulator gives out.
type Kind string

// The kinds of numbers.
const (
	KindUSDOT  Kind = "usdot"
	KindDocket Kind = "docket"
)

// Prefix is what a docket number begins with.
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
	// Suffix has the letters that the registration system shows behind the number, "" for none: C property carrier,
	// V private, P passenger, H household goods, B broker, F forwarder, E enterprise, X and Z Mexico, N other countries,
	// R intrastate. They belong to the registration, not to the number: compare numbers alone.
	Suffix string
}

// String returns the number in digits, without its suffix.
func (u USDOT) String() string { return strconv.FormatInt(u.Number, 10) }

// Docket is an operating authority's number.
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

// Failures of the parser. Details have what kind of number was wanted and how one is written.
var (
	ErrInvalidNumber = errs.New(errs.Invalid, "carriers.invalid_number", "The number is not one of the regulator's.")
	// ErrAmbiguousNumber is the failure of digits alone, which are a USDOT number of one carrier and a docket of another.
	ErrAmbiguousNumber = errs.New(errs.Invalid, "carriers.ambiguous_number",
		"The number may be a USDOT number or a docket. Write USDOT 1234567 or MC-123456.")
)

const (
	wantUSDOT  = "1 to 8 digits, such as 1234567 or USDOT 1234567"
	wantDocket = "MC, MX or FF and 1 to 8 digits, such as MC-123456"
	wantEither = "USDOT 1234567, or MC-123456"

	maxNumberText = 64
	mostDigits    = 8
	// suffixLetters are those that the registration system shows behind USDOT numbers.
	suffixLetters = "CVPHBFEXZNR"
	mostSuffixes  = 4
)

// numberPattern takes a number apart: its prefix, its digits with zeros and separators in front, what follows.
var numberPattern = regexp.MustCompile(`^(US[- ]?DOT|DOT|MC|MX|FF)?[-#:. ]*(?:NO[-#:. ]+|NUMBER[-#:. ]+)?((?:[-#:. ]*[0-9]+)*)[- ]?([A-Z]*)$`)

// ParseUSDOT reads a USDOT number, with or without "USDOT" in front, zeros, and the letters of its suffix.
func ParseUSDOT(text string) (USDOT, error) {
	p, ok := split(text)
	switch {
	case !ok:
		return USDOT{}, invalid(KindUSDOT, "The USDOT number must be %s.", wantUSDOT)
	case p.isDocket():
		return USDOT{}, invalid(KindUSDOT, "%s-%s is a docket, not a USDOT number. The USDOT number must be %s.", p.prefix, p.digits, wantUSDOT)
	}

	return p.usdot()
}

// ParseDocket reads a docket. One without a prefix is an MC number.
func ParseDocket(text string) (Docket, error) {
	p, ok := split(text)
	switch {
	case !ok:
		return Docket{}, invalid(KindDocket, "The docket must be %s.", wantDocket)
	case p.prefix != "" && !p.isDocket():
		return Docket{}, invalid(KindDocket, "That is a USDOT number, not a docket. The docket must be %s.", wantDocket)
	case p.prefix == "":
		p.prefix = string(MC)
	}

	return p.docket()
}

// ParseNumber reads a number of either kind. Digits alone are refused with ErrAmbiguousNumber; digits with the letters of a
// suffix are a USDOT number.
func ParseNumber(text string) (Number, error) {
	p, ok := split(text)
	switch {
	case !ok:
		return Number{}, invalid("", "The number must be %s.", wantEither)
	case p.isDocket():
		d, err := p.docket()

		return Number{Kind: KindDocket, Docket: d}, err
	case p.prefix == "" && p.digits == "":
		return Number{}, invalid("", "The number has no digits: it must be %s.", wantEither)
	case p.prefix == "" && p.suffix == "":
		if _, err := p.usdot(); err != nil {
			return Number{}, err
		}

		return Number{}, ErrAmbiguousNumber.WithDetail("want", wantEither)
	}
	u, err := p.usdot()

	return Number{Kind: KindUSDOT, USDOT: u}, err
}

// parts are what a number was written of: digits are without zeros in front.
type parts struct {
	prefix, digits, suffix string
	zeros                  bool
}

func (p parts) isDocket() bool { return p.prefix == "MC" || p.prefix == "MX" || p.prefix == "FF" }

// split takes a text apart; false if it cannot be a number.
func split(text string) (parts, bool) {
	if len(text) > maxNumberText {
		return parts{}, false
	}
	text = plain(text)
	found := numberPattern.FindStringSubmatch(text)
	if found == nil || found[1] == "" && strings.IndexAny(text, "-:.") == 0 { // -1 is no number, MC-1 is
		return parts{}, false
	}
	var digits strings.Builder
	groups := strings.FieldsFunc(found[2], func(r rune) bool { return r < '0' || r > '9' })
	for i, group := range groups {
		// Only zeros may stand apart from the number: 12 34 is two numbers, not one.
		if i < len(groups)-1 && strings.Trim(group, "0") != "" {
			return parts{}, false
		}
		digits.WriteString(group)
	}
	kept := strings.TrimLeft(digits.String(), "0")

	return parts{prefix: found[1], digits: kept, suffix: found[3], zeros: kept == "" && digits.Len() > 0}, true
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
	number, err := p.number(KindUSDOT, "USDOT number", wantUSDOT)
	if err != nil {
		return USDOT{}, err
	}
	if len(p.suffix) > mostSuffixes || strings.Trim(p.suffix, suffixLetters) != "" {
		return USDOT{}, invalid(KindUSDOT, "The letters behind a USDOT number must be up to %d of %s, not %s.", mostSuffixes, suffixLetters, p.suffix)
	}

	return USDOT{Number: number, Suffix: p.suffix}, nil
}

func (p parts) docket() (Docket, error) {
	number, err := p.number(KindDocket, "docket", wantDocket)
	if err != nil {
		return Docket{}, err
	}
	if p.suffix != "" {
		return Docket{}, invalid(KindDocket, "A docket has no letters behind its digits: it must be %s.", wantDocket)
	}

	return Docket{Prefix: Prefix(p.prefix), Number: number}, nil
}

func (p parts) number(kind Kind, name, want string) (int64, error) {
	switch {
	case p.zeros:
		return 0, invalid(kind, "The %s is only zeros: it must be %s.", name, want)
	case p.digits == "":
		return 0, invalid(kind, "The %s has no digits: it must be %s.", name, want)
	case len(p.digits) > mostDigits:
		return 0, invalid(kind, "The %s has %d digits, at most %d are possible: it must be %s.", name, len(p.digits), mostDigits, want)
	}
	number, err := strconv.ParseInt(p.digits, 10, 64)
	if err != nil {
		return 0, invalid(kind, "The %s must be %s.", name, want)
	}

	return number, nil
}

// invalid is the failure of a number; kind is "" where either would do.
func invalid(kind Kind, format string, args ...any) error {
	want := map[Kind]string{KindUSDOT: wantUSDOT, KindDocket: wantDocket, "": wantEither}[kind]
	e := ErrInvalidNumber.WithMessage("%s", fmt.Sprintf(format, args...)).WithDetail("want", want)
	if kind != "" {
		e = e.WithDetail("kind", string(kind))
	}

	return e
}
