package paper

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawnOrder is a text in the order in which it is drawn.
func drawnOrder(text string, begins direction) string {
	runes := joined([]rune(text))
	levels, _ := levelsOf(runes, begins)
	glyphs := make([]glyph, len(runes))
	for i, r := range runes {
		glyphs[i].r = r
	}
	var out strings.Builder
	for _, g := range ordered(glyphs, levels) {
		out.WriteRune(g.r)
	}

	return out.String()
}

func TestOrdered_IsTheOrderOfReading(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		begins direction
		want   string
	}{
		{"abc", fromLeft, "abc"},
		{"אבג", fromLeft, "גבא"},
		{"Signed by אבג (David)", fromLeft, "Signed by גבא (David)"},
		{"אבג (David)", byLetters, "(David) גבא"},
		{"אב (גד)", fromLeft, "(דג) בא"},
		{"אב (גד)", byLetters, "(דג) בא"},
		{"x אב 123 גד y", fromLeft, "x דג 123 בא y"},
		{"אב, (312) 555-0190", fromLeft, "בא, (312) 555-0190"},
		{"אב, (312) 555-0190", byLetters, "(312) 555-0190 ,בא"},
		{"אב 1FTFW1E50MFA00001", fromLeft, "בא 1FTFW1E50MFA00001"},
		{"אב 12%", byLetters, "12% בא"},
		{"abc אב", fromTheRight, "בא abc"},
		{"אב\u05b8ג", fromLeft, "גב\u05b8א"},
	} {
		require.Equal(t, c.want, drawnOrder(c.text, c.begins), c.text)
	}
}

func TestJoined_JoinsArabicLetters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"سلام":     "\ufeb3\ufefc\ufee1",
		"محمد":     "\ufee3\ufea4\ufee4\ufeaa",
		"الله":     "\ufe8d\ufedf\ufee0\ufeea",
		"لا":       "\ufefb",
		"بب بب":    "\ufe91\ufe90 \ufe91\ufe90",
		"پژ":       "\ufb58\ufb8b",
		"بَب":      "\ufe91\u064e\ufe90",
		"ب\u200cب": "\ufe8f\u200c\ufe8f",
		"abc":      "abc",
	} {
		require.Equal(t, want, string(joined([]rune(text))), text)
	}
}

func TestParseRich_ReadsTheMarkup(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]richPart{
		"plain":                                 {{"", []richSpan{{text: "plain"}}}},
		"a **b** c":                             {{"", []richSpan{{text: "a "}, {text: "b", bold: true}, {text: " c"}}}},
		"a *b* c":                               {{"", []richSpan{{text: "a "}, {text: "b", italic: true}, {text: " c"}}}},
		"5 * 3 * 2":                             {{"", []richSpan{{text: "5 * 3 * 2"}}}},
		"a ** b":                                {{"", []richSpan{{text: "a ** b"}}}},
		"- one\n- two":                          {{"•", []richSpan{{text: "one"}}}, {"•", []richSpan{{text: "two"}}}},
		"3. one\ntwo":                           {{"3.", []richSpan{{text: "one\ntwo"}}}},
		"one\n\ntwo":                            {{"", []richSpan{{text: "one"}}}, {"", []richSpan{{text: "two"}}}},
		"[a](https://b.c/d)":                    {{"", []richSpan{{text: "a", link: "https://b.c/d"}}}},
		"[a](data:x)":                           {{"", []richSpan{{text: "[a](data:x)"}}}},
		Escape("**a** [b](https://c)\\ 1. - x"): {{"", []richSpan{{text: "**a** [b](https://c)\\ 1. - x"}}}},
		"":                                      nil,
	} {
		require.Equal(t, want, parseRich(text), text)
	}
}

func TestAccent_IsDarkEnoughToBeRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, rgb{0x1d, 0x3b, 0x5c}, accentOf(""))
	require.Equal(t, rgb{0x1d, 0x3b, 0x5c}, accentOf("red"))
	require.Equal(t, rgb{0x80, 0, 0}, accentOf("#800000"))
	require.LessOrEqual(t, accentOf("#ffff00").bright(), 105)
	require.LessOrEqual(t, accentOf("#ffffff").bright(), 105)
}
