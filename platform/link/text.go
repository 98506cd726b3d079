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

// digest is the SHA-256 of a link's text: what is stored, and what a link is looked up by. With 256
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
