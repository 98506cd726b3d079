package damage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/damage"
)

func TestCodes_SayWhatIsDamagedAndHow(t *testing.T) {
	t.Parallel()
	codes, err := damage.Load()
	require.NoError(t, err)
	for code, want := range map[string]string{
		"20065": "Glass, windshield: Cracked (other than glass), 5: over 12 in",
		"14042": "Fender, left front: Dented, paint or chrome damaged, 2: over 1 in, up to 3 in",
		"14047": "", "00042": "", "14992": "", "1404": "", "140422": "", "": "",
	} {
		area, kind, severity, ok := codes.AIAG(code)
		require.Equal(t, want != "", ok, code)
		if ok {
			require.Equal(t, want, area.Label+": "+kind.Label+", "+severity.Label)
		}
	}
	letter, ok := codes.Letter("SC")
	require.True(t, ok)
	require.Equal(t, "Scuffed", letter.Label)
	_, ok = codes.Letter("ZZ")
	require.False(t, ok)
}
