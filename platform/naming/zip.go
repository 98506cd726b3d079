package naming

import (
	"regexp"
	"strings"
	"unicode"
)

// spacedZIP is a ZIP+4 code without its hyphen, or with something else in its place.
var spacedZIP = regexp.MustCompile(`^([0-9]{5})[ -]*([0-9]{4})$`)

// ZIP returns a ZIP code as the postal service writes it: 77049-1968 for "77049 1968", "770491968" and what word processors make of its hyphen. What
// is none stays, without space around it.
func ZIP(text string) string {
	plain := strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Pd, r), r == '\u2212':
			return '-'
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		case r >= '０' && r <= '９': // full-width digits
			return r - '０' + '0'
		}

		return r
	}, text))
	if m := spacedZIP.FindStringSubmatch(plain); m != nil {
		return m[1] + "-" + m[2]
	}

	return plain
}
