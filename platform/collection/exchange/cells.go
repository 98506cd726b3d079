package exchange

import (
	"regexp"
	"strings"
)

// plainNumber is what a spreadsheet may take for a number: it does no harm, and is of use there.
var plainNumber = regexp.MustCompile(`^-[0-9]+(\.[0-9]+)?$`)

// starters are the beginnings that make spreadsheets take a cell for a formula
// (https://owasp.org/www-community/attacks/CSV_Injection), those of full width among them.
var starters = []string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"}

// Shield writes a value as a cell that no spreadsheet runs: with an apostrophe in front where it might. A
// value that is an empty text is an apostrophe alone, since an empty cell is no value. What unshield would
// take for shielded gets one more apostrophe, so that every value comes back.
func Shield(cell string) string {
	if shielded("'"+cell) && !plainNumber.MatchString(cell) {
		return "'" + cell
	}

	return cell
}

// unshield is the way back. An empty cell is no value.
func unshield(cell string) (text string, value bool) {
	if shielded(cell) {
		return cell[1:], true
	}

	return cell, cell != ""
}

// shielded reports whether a cell is apostrophes, and then nothing or the beginning of a formula.
func shielded(cell string) bool {
	rest := strings.TrimLeft(cell, "'")
	if len(rest) == len(cell) {
		return false
	}
	if rest == "" {
		return true
	}
	for _, s := range starters {
		if strings.HasPrefix(rest, s) {
			return true
		}
	}

	return false
}
