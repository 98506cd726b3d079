package exchange

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzShield_ComesBackAndStartsNoFormula(f *testing.F) {
	for _, cell := range []string{"", "'", "''", "=1", "'=1", "-5", "'-5", "-5.", "-1e3", "+1", "@x", "\t", "\r", "\n=", "＝1", "it's"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		text := Shield(cell)
		back, value := unshield(text)
		require.True(t, value, "an empty cell is no value")
		require.Equal(t, cell, back)
		if !plainNumber.MatchString(text) {
			for _, s := range starters {
				require.False(t, strings.HasPrefix(text, s))
			}
		}
		require.Equal(t, text, reshield(text))
	})
}
