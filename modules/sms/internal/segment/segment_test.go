package segment_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
)

func TestOf_CountsAsNetworksDo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text     string
		encoding segment.Encoding
		segments int
		left     int
	}{
		"nothing":                    {"", segment.GSM7, 0, 160},
		"160 A":                      {strings.Repeat("A", 160), segment.GSM7, 1, 0},
		"161 A":                      {strings.Repeat("A", 161), segment.GSM7, 2, 145},
		"306 A":                      {strings.Repeat("A", 306), segment.GSM7, 2, 0},
		"307 A":                      {strings.Repeat("A", 307), segment.GSM7, 3, 152},
		"80 brackets":                {strings.Repeat("[", 80), segment.GSM7, 1, 0},
		"81 brackets":                {strings.Repeat("[", 81), segment.GSM7, 2, 143},
		"a bracket at the edge":      {strings.Repeat("A", 152) + "[" + strings.Repeat("A", 10), segment.GSM7, 2, 141},
		"an edge that costs a part":  {strings.Repeat(strings.Repeat("A", 152)+"[", 2), segment.GSM7, 3, 150},
		"70 of UCS-2":                {strings.Repeat("—", 70), segment.UCS2, 1, 0},
		"71 of UCS-2":                {strings.Repeat("—", 71), segment.UCS2, 2, 63},
		"35 emoji":                   {strings.Repeat("🚚", 35), segment.UCS2, 1, 0},
		"36 emoji":                   {strings.Repeat("🚚", 36), segment.UCS2, 2, 67 - 6},
		"an emoji at the edge":       {strings.Repeat("я", 66) + "🚚" + strings.Repeat("я", 5), segment.UCS2, 2, 67 - 7},
		"euro, form feed":            {"€\f", segment.GSM7, 1, 156},
		"greek capitals and accents": {"ΔΦΓΛΩΠΨΣΘΞ éèùìò ÄÖÑÜäöñüà ¿¡§¤", segment.GSM7, 1, 160 - 31},
		"a small c with a cedilla":   {"ç", segment.UCS2, 1, 69},
		"a backtick":                 {"`", segment.UCS2, 1, 69},
		"curly quotes":               {"“”", segment.UCS2, 1, 68},
		"a tab":                      {"\t", segment.UCS2, 1, 69},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := segment.Of(test.text, false)
			require.Equal(t, test.encoding, got.Encoding)
			require.Equal(t, test.segments, got.Segments)
			require.Equal(t, test.left, got.Left)
		})
	}
}

func TestOf_NamesTheCharactersThatForceUCS2Once(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"—", "🚚"}, segment.Of("a — b — 🚚 [é]", false).Forcing)
	require.Nil(t, segment.Of("plain", false).Forcing)
}

func TestOf_KnowsTheSmallerPartsOfTollFreeRoutes(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2, segment.Of(strings.Repeat("A", 304), true).Segments)
	require.Equal(t, 3, segment.Of(strings.Repeat("A", 305), true).Segments)
	require.Equal(t, 2, segment.Of(strings.Repeat("—", 132), true).Segments)
	require.Equal(t, 3, segment.Of(strings.Repeat("—", 133), true).Segments)
}

func TestOf_NeverPutsMoreIntoAPartThanFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + rapid.StringMatching(`[A-Z\[€é]{0,400}`).Draw(t, "more")
		got := segment.Of(text, false)
		part := 153
		if got.Encoding == segment.UCS2 {
			part = 67
			require.Equal(t, len(utf16.Encode([]rune(text))), got.Units)
			require.NotEmpty(t, got.Forcing)
		}
		if got.Segments > 1 {
			least := (got.Units + part - 1) / part
			require.GreaterOrEqual(t, got.Segments, least)
			require.GreaterOrEqual(t, got.Units, (got.Segments-1)*(part-1)+1, "a part is left with one unit empty at most")
		}
		require.GreaterOrEqual(t, got.Left, 0)
		require.Equal(t, text == "", got.Segments == 0)
	})
}

func FuzzOf(f *testing.F) {
	f.Add("A[€🚚\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := segment.Of(text, false)
		require.Equal(t, text == "", got.Segments == 0)
	})
}
