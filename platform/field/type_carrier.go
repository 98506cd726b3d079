package field

import (
	"errors"
	"regexp"

	"github.com/dispatchd/dispatchd/platform/fmcsa"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// usdotOptions is the number that the FMCSA gives a carrier (49 CFR 390.21). It is a name, not a
// quantity.
type usdotOptions struct{ stringCells }

func usdotType() Type {
	return Type{
		Name:      "usdot_number",
		About:     "A USDOT number as people write it, such as USDOT 0123456 or 123456C, stored as its digits: 123456.",
		Index:     TextIndex,
		Filter:    kind.Text,
		Operators: searchOperators(),
		Sortable:  true,
		New:       func() Values { return &usdotOptions{} },
	}
}

// Check implements Values.
func (*usdotOptions) Check() error { return nil }

// Parse implements Values.
func (*usdotOptions) Parse(raw []byte) (Value, error) { return parseNumber(raw, normalUSDOT) }

// Comparable implements Values.
func (*usdotOptions) Comparable(text string) (any, error) { return normalUSDOT(text) }

// Schema implements Values.
func (*usdotOptions) Schema() map[string]any { return numberSchema(usdotForms) }

func normalUSDOT(text string) (string, error) {
	number, err := fmcsa.ParseUSDOT(text)
	if err != nil {
		return "", numberError(err)
	}

	return number.String(), nil
}

// mcPart is a prefix and the beginning of a number.
var mcPart = regexp.MustCompile(`^(MC|MX|FF)[ #-]{0,2}0*([1-9][0-9]*)$`)

// mcOptions is a docket number of the FMCSA: of a motor carrier or broker (MC), a Mexican carrier
// (MX) or a freight forwarder (FF).
type mcOptions struct{ stringCells }

var mcType = Type{
	Name:      "mc_number",
	About:     "A docket number with the prefix MC, MX or FF (default MC) as people write it, such as mc 0123456, stored as MC-123456.",
	Index:     TextIndex,
	Filter:    kind.Text,
	Operators: append(named, list.Like),
	Sortable:  true,
	New:       func() Values { return &mcOptions{} },
}

// Check implements Values.
func (*mcOptions) Check() error { return nil }

// Parse implements Values.
func (*mcOptions) Parse(raw []byte) (Value, error) { return parseNumber(raw, normalMC) }

// Comparable implements Values.
func (*mcOptions) Comparable(text string) (any, error) { return normalMC(text) }

// Part normalizes what people write between a prefix and the number.
func (*mcOptions) Part(text string) (string, error) {
	text = upperASCII(text)
	if parts := mcPart.FindStringSubmatch(text); parts != nil {
		text = parts[1] + "-" + parts[2]
	}

	return ComparableText(text)
}

// Schema implements Values.
func (*mcOptions) Schema() map[string]any { return numberSchema(mcForms) }

func normalMC(text string) (string, error) {
	docket, err := fmcsa.ParseDocket(text)
	if err != nil {
		return "", numberError(err)
	}

	return docket.String(), nil
}

// parseNumber reads a JSON string with a number of the FMCSA.
func parseNumber(raw []byte, normal func(string) (string, error)) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	number, err := normal(given)
	if err != nil {
		return Value{}, err
	}

	return Value{JSON: rawjson.Quote(number), Key: number}, nil
}

func numberError(err error) error {
	if wrong, ok := errors.AsType[*fmcsa.Error](err); ok {
		return Error(wrong.Problem)
	}

	return err
}

// The forms of numbers as patterns for schemas, which are somewhat wider than the parser.
const (
	usdotForms = "^[^1-9MXFmxf]*[1-9][0-9]{0,7}[^0-9A-Za-z]*[CVPHBFEXZNRcvphbfexznr]{0,4}[^0-9A-Za-z]*$"
	mcForms    = "^[^0-9A-Za-z]*([Mm][CcXx]|[Ff][Ff])?[^1-9A-Za-z]*([Nn][Oo]|[Nn][Uu][Mm][Bb][Ee][Rr])?[^1-9A-Za-z]*[1-9][0-9]{0,7}[^0-9A-Za-z]*$"
)

func numberSchema(forms string) map[string]any {
	return map[string]any{"type": "string", "pattern": forms, "maxLength": fmcsa.MaxText}
}

var scacPattern = regexp.MustCompile(`^[A-Za-z]{2,4}$`)

// scacOptions is a standard carrier alpha code, as the NMFTA gives it out.
type scacOptions struct{ stringCells }

func scacType() Type {
	return Type{
		Name:      "scac",
		About:     "A standard carrier alpha code: 2 to 4 letters, kept in upper case.",
		Index:     TextIndex,
		Filter:    kind.Text,
		Operators: searchOperators(),
		Sortable:  true,
		New:       func() Values { return &scacOptions{} },
	}
}

// Check implements Values.
func (*scacOptions) Check() error { return nil }

// Parse implements Values.
func (*scacOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	if !scacPattern.MatchString(given) {
		return Value{}, Error("must be 2 to 4 letters.")
	}
	code := upperASCII(given)

	return Value{JSON: rawjson.Quote(code), Key: code}, nil
}

// Comparable implements Values.
func (s *scacOptions) Comparable(text string) (any, error) { return s.Part(text) }

// Part implements PartSearcher.
func (*scacOptions) Part(text string) (string, error) { return ComparableText(upperASCII(text)) }

// Schema implements Values.
func (*scacOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": scacPattern.String()}
}
