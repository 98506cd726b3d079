package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

// The text of a token is "dsp_", 43 characters that stand for 32 random bytes, and 6 that stand for
// the CRC-32 (IEEE) of those 43, all in base 62. It follows GitHub's format
// (https://github.blog/engineering/behind-githubs-new-authentication-token-formats/) for its
// reasons: dsp_[0-9A-Za-z]{49} is easy to find for people and secret scanners, a double click
// selects it, and the checksum tells a typing error or a false find without asking the database.
// Other than GitHub's the checksum is no secret's and decides nothing but the error's code.
const (
	tokenPrefix    = "dsp_"
	randomBytes    = 32
	randomLength   = 43
	checksumLength = 6
	tokenLength    = len(tokenPrefix) + randomLength + checksumLength
	// digits are those of big.Int.Text, in its order.
	digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	// shownLength is how much of a token is kept in the clear for people to recognise it: 6 random
	// characters, which leave 220 bits secret.
	shownLength = len(tokenPrefix) + 6
)

// digest is the SHA-256 of a token's text: what is stored, and what a token is looked up by. With
// 256 random bits it needs neither salt nor stretching, and because no secret is ever compared with
// another, only digests, the time that a look-up takes tells nothing.
type digest [sha256.Size]byte

// newSecret makes the text of a token.
func newSecret() string {
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // never fails, see its documentation
	text := new(big.Int).SetBytes(random).Text(len(digits))
	text = strings.Repeat("0", randomLength-len(text)) + text

	return tokenPrefix + text + checksum(text)
}

// wellFormed reports whether the text can be that of a token.
func wellFormed(secret string) bool {
	if len(secret) != tokenLength || !strings.HasPrefix(secret, tokenPrefix) {
		return false
	}
	random, sum := secret[len(tokenPrefix):tokenLength-checksumLength], secret[tokenLength-checksumLength:]

	return checksum(random) == sum
}

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var out [checksumLength]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = digits[sum%uint32(len(digits))]
		sum /= uint32(len(digits))
	}

	return string(out[:])
}
