// Package cardnumber finds the numbers of payment cards in texts, which are to have none.
package cardnumber

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Lengths of card numbers (ISO/IEC 7812), and the shortest identifier in hexadecimal digits that is passed over.
const (
	shortestNumber = 13
	longestNumber  = 19
	identifier     = 32
)

// In reports whether a text contains 13 to 19 digits that meet the Luhn formula. Spaces and hyphens between the digits do not
// count, and escapes of JSON are read. Of a longer or mixed run, as "4111 1111 1111 1111 12/27", groups are tried that begin as card
// numbers do, with 2 to 6. Identifiers of 32 hexadecimal digits or more, such as UUIDs, are passed over.
func In(text []byte) bool {
	var run groups
	inside := false // of a word of hexadecimal digits: identifiers begin where such words do
	for len(text) > 0 {
		if !inside {
			if n := identifierAt(text); n > 0 {
				if run.found() {
					return true
				}
				run.reset()
				text = text[n:]

				continue
			}
		}
		r, n := runeAt(text)
		text = text[n:]
		switch {
		case r >= '0' && r <= '9':
			run.add(byte(r - '0'))
		case unicode.IsSpace(r) || unicode.Is(unicode.Pd, r):
			run.split()
		default:
			if run.found() {
				return true
			}
			run.reset()
		}
		inside = isHex(r)
	}

	return run.found()
}

// groups are the digits of a run, and where its groups begin.
type groups struct {
	digits []byte
	starts []int
	next   bool // the next digit begins a group
}

func (g *groups) reset() { g.digits, g.starts, g.next = g.digits[:0], g.starts[:0], true }

func (g *groups) split() { g.next = true }

func (g *groups) add(digit byte) {
	if g.next || len(g.digits) == 0 {
		g.starts, g.next = append(g.starts, len(g.digits)), false
	}
	g.digits = append(g.digits, digit)
}

func (g *groups) found() bool {
	if len(g.digits) < shortestNumber {
		return false
	}
	if meetsLuhn(g.digits) {
		return true
	}
	ends := append(g.starts[1:len(g.starts):len(g.starts)], len(g.digits))
	for i, from := range g.starts {
		if g.digits[from] < 2 || g.digits[from] > 6 {
			continue
		}
		for _, to := range ends[i:] {
			if to-from > longestNumber {
				break
			}
			if meetsLuhn(g.digits[from:to]) {
				return true
			}
		}
	}

	return false
}

// meetsLuhn reports whether digits are as many as a card number has, and meet the Luhn formula.
func meetsLuhn(digits []byte) bool {
	if len(digits) < shortestNumber || len(digits) > longestNumber {
		return false
	}
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}

	return sum%10 == 0
}

// runeAt reads a character, also one that JSON escapes.
func runeAt(text []byte) (r rune, n int) {
	const unicodeEscape = 6
	if text[0] != '\\' || len(text) < 2 {
		return utf8.DecodeRune(text)
	}
	switch text[1] {
	case 'u':
		if len(text) >= unicodeEscape {
			if code, err := strconv.ParseUint(string(text[2:unicodeEscape]), 16, 16); err == nil {
				return rune(code), unicodeEscape
			}
		}

		return utf8.RuneError, 2
	case 'n', 't', 'r', 'f':
		return ' ', 2
	default:
		return rune(text[1]), 2
	}
}

// identifierAt returns the length of an identifier at the start of a text: a UUID, or 32 hexadecimal digits and more; 0 for none.
func identifierAt(text []byte) int {
	if !isHex(rune(text[0])) {
		return 0
	}
	if n := uuidAt(text); n > 0 {
		return n
	}
	n, letters := 0, false
	for n < len(text) && isHex(rune(text[n])) {
		letters = letters || text[n] > '9'
		n++
	}
	if n < identifier || !letters {
		return 0
	}

	return n
}

// uuidAt returns the length of a UUID at the start of a text, 0 for none.
func uuidAt(text []byte) int {
	const length = 36
	if len(text) < length || len(text) > length && (isHex(rune(text[length])) || text[length] == '-') {
		return 0
	}
	for i, c := range text[:length] {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		if hyphen != (c == '-') || !hyphen && !isHex(rune(c)) {
			return 0
		}
	}

	return length
}

func isHex(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
}
