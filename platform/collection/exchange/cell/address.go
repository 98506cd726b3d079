package cell

import (
	"encoding/json"
	"regexp"
	"strings"
)

const errAddress = Error("is not an address that can be read in one way; such as 12 Main St, Springfield, IL 62701")

// stateAndZIP is the last part of an address in the US.
var stateAndZIP = regexp.MustCompile(`^([A-Za-z]{2})(?:[ ,]+([0-9]{5}(?:-[0-9]{4})?))?$`)

// parseAddress reads an address of the US in one cell: lines, city, state and ZIP code, with commas or line ends between
// them. The field says whether there is such a state.
func parseAddress(text string) (string, error) {
	if text[0] == '{' {
		return text, nil
	}
	var parts []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' || r == ';' }) {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			parts = append(parts, part)
		}
	}
	if n := len(parts); n > 1 && isUS(parts[n-1]) {
		parts = parts[:n-1]
	}
	if n := len(parts); n > 2 && stateAndZIP.MatchString(parts[n-2]+" "+parts[n-1]) && len(parts[n-2]) == 2 {
		parts = append(parts[:n-2], parts[n-2]+" "+parts[n-1])
	}
	n := len(parts)
	if n < 2 || n > 4 {
		return "", errAddress
	}
	last := stateAndZIP.FindStringSubmatch(parts[n-1])
	if last == nil || strings.ContainsAny(parts[n-2], "0123456789") {
		return "", errAddress
	}
	found := map[string]string{"city": parts[n-2], "state": strings.ToUpper(last[1]), "country": "US"}
	if last[2] != "" {
		found["postal_code"] = last[2]
	}
	for i, line := range []string{"line1", "line2"} {
		if i < n-2 {
			found[line] = parts[i]
		}
	}
	raw, err := json.Marshal(found)

	return string(raw), err
}

func isUS(name string) bool {
	switch strings.ToUpper(strings.ReplaceAll(name, ".", "")) {
	case "US", "USA", "UNITED STATES", "UNITED STATES OF AMERICA":
		return true
	}

	return false
}
