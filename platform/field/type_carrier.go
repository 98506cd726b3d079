package field

import (
	"regexp"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

var usdotPattern = regexp.MustCompile(`^[1-9][0-9]{0,7}$`)

// usdotOptions is the number that the FMCSA gives a carrier (49 CFR 390.21). It is a name, not a
// quantity.
type usdotOptions struct{ stringCells }

func usdotType() Type {
	return Type{
		Name:      "usdot_number",
		About:     "A USDOT number: 1 to 8 digits without leading zeros, as a string.",
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
func (*usdotOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	if !usdotPattern.MatchString(given) {
		return Value{}, Error("must be 1 to 8 digits without leading zeros.")
	}

	return Value{JSON: rawjson.Quote(given), Key: given}, nil
}

// Comparable implements Values.
func (*usdotOptions) Comparable(text string) (any, error) { return ComparableText(text) }

// Schema implements Values.
func (*usdotOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": usdotPattern.String()}
}

// mcPattern is a docket number as people write it. Leading zeros come from forms of a fixed width.
var mcPattern = regexp.MustCompile(`^([Mm][CcXx]|[Ff][Ff])?[ #-]{0,2}0*([1-9][0-9]{0,7})$`)

// mcPart is a prefix and the beginning of a number.
var mcPart = regexp.MustCompile(`^(MC|MX|FF)[ #-]{0,2}0*([1-9][0-9]*)$`)

// mcOptions is a docket number of the FMCSA: of a motor carrier or broker (MC), a Mexican carrier
// (MX) or a freight forwarder (FF).
type mcOptions struct{ stringCells }

var mcType = Type{
	Name:      "mc_number",
	About:     "A docket number with the prefix MC, MX or FF (default MC), stored as MC-123456.",
	Index:     TextIndex,
	Filter:    kind.Text,
	Operators: append(named, list.Like),
	Sortable:  true,
	New:       func() Values { return &mcOptions{} },
}

// Check implements Values.
func (*mcOptions) Check() error { return nil }

// Parse implements Values.
func (*mcOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	number, err := normalMC(given)
	if err != nil {
		return Value{}, err
	}

	return Value{JSON: rawjson.Quote(number), Key: number}, nil
}

// Comparable implements Values.
func (*mcOptions) Comparable(text string) (any, error) { return normalMC(text) }

// Part takes what stands between a prefix and the number in any of the ways in which people write it.
func (*mcOptions) Part(text string) (string, error) {
	text = upperASCII(text)
	if parts := mcPart.FindStringSubmatch(text); parts != nil {
		text = parts[1] + "-" + parts[2]
	}

	return ComparableText(text)
}

// Schema implements Values.
func (*mcOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": mcPattern.String()}
}

func normalMC(text string) (string, error) {
	parts := mcPattern.FindStringSubmatch(text)
	if parts == nil || len(text) > 40 {
		return "", Error("must be a docket number, such as MC-123456.")
	}
	prefix := upperASCII(parts[1])
	if prefix == "" {
		prefix = "MC"
	}

	return prefix + "-" + parts[2], nil
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
