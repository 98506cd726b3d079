// Package segment counts the parts in which networks carry a text message.
//
// A text in the GSM 7-bit default alphabet (3GPP TS 23.038) has 160 septets in one part, and 153 in each of
// several. One character outside of it makes the whole message UTF-16 (UCS-2): 70 units, and 67. A character of
// two septets or two units is never cut.
package segment

import (
	"unicode/utf16"
)

// Encoding is how networks carry a text.
type Encoding string

// The encodings.
const (
	GSM7 Encoding = "GSM-7"
	UCS2 Encoding = "UCS-2"
)

// Limits is how much fits: into a message of one part, and into each part of a longer one.
type Limits struct{ Single, Part int }

// gsm7Limits are the limits of GSM-7, units those of UCS-2. tollFree is what some toll-free routes of the United
// States and Canada have in place of both (152 septets, 66 units a part).
func gsm7Limits(tollFree bool) Limits {
	if tollFree {
		return Limits{Single: 160, Part: 152}
	}

	return Limits{Single: 160, Part: 153}
}

func ucs2Limits(tollFree bool) Limits {
	if tollFree {
		return Limits{Single: 70, Part: 66}
	}

	return Limits{Single: 70, Part: 67}
}

// Count is what a text takes.
type Count struct {
	Encoding Encoding
	// Segments is 0 for the empty text.
	Segments int
	// Units are septets or UTF-16 units, by the encoding.
	Units int
	// Left is how many more units fit without a further segment.
	Left int
	// Forcing are the characters outside GSM-7, each once, in the order of the text.
	Forcing []string
}

// Of counts a text. tollFree is for routes with the smaller parts. Invalid UTF-8 counts as U+FFFD.
func Of(text string, tollFree bool) Count {
	forcing := nonGSM7(text)
	c := Count{Encoding: GSM7, Forcing: forcing}
	limits, cost := gsm7Limits(tollFree), septetsOf
	if len(forcing) > 0 {
		c.Encoding = UCS2
		limits, cost = ucs2Limits(tollFree), unitsOf
	}
	c.fill(text, limits, cost)

	return c
}

func (c *Count) fill(text string, limits Limits, cost func(rune) int) {
	for _, r := range text {
		c.Units += cost(r)
	}
	if c.Units <= limits.Single {
		c.Left = limits.Single - c.Units
		if c.Units > 0 {
			c.Segments = 1
		}

		return
	}
	used := limits.Part
	for _, r := range text {
		n := cost(r)
		if used+n > limits.Part {
			c.Segments, used = c.Segments+1, 0
		}
		used += n
	}
	c.Left = limits.Part - used
}

// nonGSM7 returns the characters of a text that GSM-7 does not have.
func nonGSM7(text string) []string {
	var found []string
	seen := map[rune]bool{}
	for _, r := range text {
		if septetsOf(r) == 0 && !seen[r] {
			seen[r] = true
			found = append(found, string(r))
		}
	}

	return found
}

// septetsOf returns how many septets a character takes, 0 for one that GSM-7 does not have.
func septetsOf(r rune) int {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= ' ' && r <= '?':
		return 1
	}
	switch r {
	case '^', '{', '}', '\\', '[', '~', ']', '|', '€', '\f':
		return 2
	case '@', '£', '$', '¥', 'è', 'é', 'ù', 'ì', 'ò', 'Ç', '\n', 'Ø', 'ø', '\r', 'Å', 'å',
		'Δ', '_', 'Φ', 'Γ', 'Λ', 'Ω', 'Π', 'Ψ', 'Σ', 'Θ', 'Ξ', 'Æ', 'æ', 'ß', 'É',
		'¤', '¡', 'Ä', 'Ö', 'Ñ', 'Ü', '§', '¿', 'ä', 'ö', 'ñ', 'ü', 'à':
		return 1
	}

	return 0
}

func unitsOf(r rune) int { return utf16.RuneLen(r) }
