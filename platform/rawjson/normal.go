package rawjson

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// Bounds on JSON that a company keeps, so that every database can hold it and whatever reads it can
// read it.
const (
	mostNested       = 32
	mostNumberLength = 400
	mostExponent     = 308
)

var numberPattern = regexp.MustCompile(`^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// Normal brings a valid JSON value into one form, which is that in which PostgreSQL keeps it
// but for spaces: numbers without exponents, the members of an object by the length and then the
// bytes of their names. Its error is an Error.
func Normal(raw []byte) ([]byte, error) {
	if Depth(raw) > mostNested {
		return nil, Error(fmt.Sprintf("must not be nested deeper than %d levels.", mostNested))
	}

	return appendNormal(nil, raw)
}

func appendNormal(to, raw []byte) ([]byte, error) {
	switch raw[0] {
	case '{':
		return appendObject(to, raw)
	case '[':
		return appendList(to, raw)
	case '"':
		text, ok := Unquote(raw)
		if !ok {
			return nil, Error("must have text without the character U+0000 or half of a surrogate pair.")
		}

		return append(to, Quote(text)...), nil
	case 't', 'f', 'n':
		return append(to, raw...), nil
	}
	number, err := plainNumber(string(raw))

	return append(to, number...), err
}

// Error says why JSON cannot be kept, so that "The value " may stand before it.
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// objectMember is a member of an object that is being put in order.
type objectMember struct {
	name  string
	value []byte
}

func appendObject(to, raw []byte) ([]byte, error) {
	var all []objectMember
	for name, value := range Members(raw) {
		text, ok := Unquote(slices.Concat([]byte{'"'}, name, []byte{'"'}))
		if !ok {
			return nil, Error("must have text without the character U+0000 or half of a surrogate pair.")
		}
		all = append(all, objectMember{text, value})
	}
	slices.SortStableFunc(all, func(a, b objectMember) int {
		return cmp.Or(len(a.name)-len(b.name), strings.Compare(a.name, b.name))
	})
	to = append(to, '{')
	for i, m := range all {
		if i > 0 {
			if all[i-1].name == m.name {
				return nil, Error("must not have the key " + naming.Shorten(m.name) + " twice in an object.")
			}
			to = append(to, ',')
		}
		var err error
		if to, err = appendNormal(append(append(to, Quote(m.name)...), ':'), m.value); err != nil {
			return nil, err
		}
	}

	return append(to, '}'), nil
}

func appendList(to, raw []byte) ([]byte, error) {
	to = append(to, '[')
	first := len(to)
	for element := range Elements(raw) {
		if len(to) > first {
			to = append(to, ',')
		}
		var err error
		if to, err = appendNormal(to, element); err != nil {
			return nil, err
		}
	}

	return append(to, ']'), nil
}

// plainNumber writes a JSON number without an exponent, exactly.
func plainNumber(text string) (string, error) {
	parts := numberPattern.FindStringSubmatch(text)
	if parts == nil || len(text) > mostNumberLength {
		return "", Error(fmt.Sprintf("must hold numbers of at most %d characters.", mostNumberLength))
	}
	sign, whole, fraction := parts[1], parts[2], parts[3]
	if parts[4] != "" {
		exponent, err := strconv.Atoi(parts[4])
		if err != nil || exponent > mostExponent || exponent < -mostExponent {
			return "", Error(fmt.Sprintf("must hold numbers with exponents between -%d and %d.", mostExponent, mostExponent))
		}
		whole, fraction = shiftPoint(whole, fraction, exponent)
	}
	whole = cmp.Or(strings.TrimLeft(whole, "0"), "0")
	if whole == "0" && strings.Trim(fraction, "0") == "" {
		sign = ""
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	if plain := sign + whole + fraction; len(plain) <= mostNumberLength {
		return plain, nil
	}

	return "", Error(fmt.Sprintf("must hold numbers of at most %d characters.", mostNumberLength))
}

// shiftPoint moves the point to the right by an exponent, or to the left by a negative one.
func shiftPoint(whole, fraction string, exponent int) (string, string) {
	if exponent >= 0 {
		fraction += strings.Repeat("0", max(0, exponent-len(fraction)))

		return whole + fraction[:exponent], fraction[exponent:]
	}
	whole = strings.Repeat("0", max(0, -exponent-len(whole))) + whole
	at := len(whole) + exponent

	return whole[:at], whole[at:] + fraction
}
