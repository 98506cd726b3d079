package qr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/qr"
)

// The finder patterns of ISO/IEC 18004 stand in three corners, so that a reader knows which way is up.
func TestOf_HasItsFinderPatternsInThreeCorners(t *testing.T) {
	t.Parallel()
	code, err := qr.Of("https://example.com/a")
	require.NoError(t, err)
	size := len(code)
	require.Equal(t, 1, size%4, "a version adds four modules to each side")
	finder := func(x, y int) string {
		var drawn strings.Builder
		for row := range 7 {
			for column := range 7 {
				drawn.WriteString(map[bool]string{true: "#", false: "."}[code[y+row][x+column]])
			}
			drawn.WriteString("\n")
		}

		return drawn.String()
	}
	want := "#######\n#.....#\n#.###.#\n#.###.#\n#.###.#\n#.....#\n#######\n"
	require.Equal(t, want, finder(0, 0))
	require.Equal(t, want, finder(size-7, 0))
	require.Equal(t, want, finder(0, size-7))
	require.NotEqual(t, want, finder(size-7, size-7))
}

func TestOf_RefusesWhatNoCodeHolds(t *testing.T) {
	t.Parallel()
	_, err := qr.Of(strings.Repeat("x", 2331))
	require.NoError(t, err)
	_, err = qr.Of(strings.Repeat("x", 2332))
	require.Error(t, err)
}

func TestSVG_IsSafeWhateverItsLabel(t *testing.T) {
	t.Parallel()
	code, err := qr.Of("x")
	require.NoError(t, err)
	require.Contains(t, code.SVG(`"><script>`), `aria-label="&quot;>&lt;script>"`)
}
