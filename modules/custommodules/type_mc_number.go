package custommodules

import (
	"regexp"

	"github.com/dispatchd/dispatchd/platform/list"
)

// mcPattern is a docket number as people write it. Leading zeros come from forms of a fixed width.
var mcPattern = regexp.MustCompile(`^([Mm][CcXx]|[Ff][Ff])?[ #-]{0,2}0*([1-9][0-9]{0,7})$`)

// mcPart is a prefix and the beginning of a number.
var mcPart = regexp.MustCompile(`^(MC|MX|FF)[ #-]{0,2}0*([1-9][0-9]*)$`)

// mcNumber is a docket number of the FMCSA: of a motor carrier or broker (MC), a Mexican carrier
// (MX) or a freight forwarder (FF).
type mcNumber struct{ stringCells }

func mcNumberType() fieldType {
	return fieldType{
		name:      "mc_number",
		about:     "A docket number with the prefix MC, MX or FF (MC if none is given), kept as MC-123456.",
		slot:      textSlot,
		filter:    list.Text,
		operators: append(named(), list.Like),
		sortable:  true,
		options:   func() valueType { return &mcNumber{} },
	}
}

func (*mcNumber) check() error { return nil }

func (*mcNumber) parse(raw []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	number, err := normalMC(given)
	if err != nil {
		return value{}, err
	}

	return value{json: quote(number), key: number}, nil
}

func (*mcNumber) comparable(text string) (any, error) { return normalMC(text) }

// part takes what stands between a prefix and the number in any of the ways in which people write it.
func (*mcNumber) part(text string) (string, error) {
	text = upperASCII(text)
	if parts := mcPart.FindStringSubmatch(text); parts != nil {
		text = parts[1] + "-" + parts[2]
	}

	return comparableText(text)
}

func (*mcNumber) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": mcPattern.String()}
}

func normalMC(text string) (string, error) {
	parts := mcPattern.FindStringSubmatch(text)
	if parts == nil || len(text) > 40 {
		return "", valueError("must be a docket number, such as MC-123456.")
	}
	prefix := upperASCII(parts[1])
	if prefix == "" {
		prefix = "MC"
	}

	return prefix + "-" + parts[2], nil
}
