package identity

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNewSecret_HasTheDocumentedShape(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^dsp_[0-9A-Za-z]{49}$`)
	seen := map[string]bool{}
	for range 1000 {
		secret := newSecret()
		require.Regexp(t, shape, secret)
		require.True(t, wellFormed(secret))
		require.False(t, seen[secret])
		seen[secret] = true
	}
}

func TestWellFormed_NoticesOneWrongCharacter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := []byte(newSecret())
		at := rapid.IntRange(0, len(secret)-1).Draw(t, "at")
		wrong := rapid.SampledFrom([]byte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")).
			Filter(func(c byte) bool { return c != secret[at] }).Draw(t, "wrong")
		secret[at] = wrong
		require.False(t, wellFormed(string(secret)))
	})
}

func TestWellFormed_RefusesWhatIsNoToken(t *testing.T) {
	t.Parallel()
	secret := newSecret()
	for _, text := range []string{
		"", "dsp_", "x", secret[:len(secret)-1], secret + "0", strings.ToUpper(secret), " " + secret[1:],
		strings.Repeat("é", tokenLength/2), "Bearer " + secret,
	} {
		require.Falsef(t, wellFormed(text), text)
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add(newSecret())
	f.Add("dsp_0000")
	f.Fuzz(func(t *testing.T, text string) {
		if wellFormed(text) {
			require.Len(t, text, tokenLength)
		}
	})
}
