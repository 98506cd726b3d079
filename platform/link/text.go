package link

import (
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	"strings"
)

// The text of a link is "dsl_" and 43 characters that stand for 32 random bytes in base 62:
// dsl_[0-9A-Za-z]{43} needs no escaping in an address, and is easy to find for secret scanners.
const (
	textPrefix   = "dsl_"
	randomBytes  = 32
	randomLength = 43
	// base is that of big.Int.Text with the digits 0-9, a-z and A-Z.
	base   = 62
	digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	// shownLength is how much of the text is kept in the clear for people to recognise it.
	shownLength = len(textPrefix) + 6
)

// A code is ten characters of Crockford's base 32, which stand for 50 random bits: 7H2KM-9TQXC. It can be read out on the phone.
const (
	codeDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	codeLength = 10
	codeHalf   = codeLength / 2
	// codeShown is how much of a code is kept in the clear.
	codeShown = 3
)

func newCode() string {
	random := make([]byte, codeLength)
	_, _ = rand.Read(random) // never fails, see its documentation
	for i, b := range random {
		random[i] = codeDigits[int(b)%len(codeDigits)] // 32 of 256: none is likelier
	}

	return string(random[:codeHalf]) + "-" + string(random[codeHalf:])
}

// codeOf is a code as it was made of what somebody has entered, who may have taken a letter for a digit; "" for none.
func codeOf(text string) string {
	text = strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(text))
	if len(text) != codeLength || strings.Trim(text, codeDigits) != "" {
		return ""
	}

	return text[:codeHalf] + "-" + text[codeHalf:]
}

// normal is the text of a link of a purpose as it was made, "" for what is none.
func (s *Service) normal(p Purpose, text string) string {
	if s.rules[p].Code {
		return codeOf(text)
	}
	if !wellFormed(text) {
		return ""
	}

	return text
}

// digest is the SHA-256 of a link's text: what is stored, and what a link is looked up by. With its
// random bits it needs neither salt nor stretching, and as only digests are compared, the time that
// a look-up takes tells nothing.
type digest [sha256.Size]byte

func newText() string {
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // never fails, see its documentation
	text := new(big.Int).SetBytes(random).Text(base)

	return textPrefix + strings.Repeat("0", randomLength-len(text)) + text
}

// wellFormed reports whether the text can be that of a link.
func wellFormed(text string) bool {
	random, prefixed := strings.CutPrefix(text, textPrefix)

	return prefixed && len(random) == randomLength && strings.Trim(random, digits) == ""
}

func digestOf(text string) digest { return sha256.Sum256([]byte(text)) }
