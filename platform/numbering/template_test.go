package numbering

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/errs"
)

func mustParse(t require.TestingT, text string) template {
	parsed, err := parseTemplate(text)
	require.NoError(t, err, text)

	return parsed
}

func TestParse_RefusesWhatMakesNoNumbers(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		"":                                  "once",
		"L-{yyyy}":                          "once",
		"{seq:3}-{seq:3}":                   "once",
		"{seq}":                             "Use {yyyy}, {yy}",
		"{seq:0}":                           "between 1 and 12",
		"{seq:13}":                          "between 1 and 12",
		"{seq:3}{yyy}":                      "Use {yyyy}, {yy}",
		"{seq:3}{":                          "Use {yyyy}, {yy}",
		"L {seq:3}":                         "letters A to Z",
		"Lä{seq:3}":                         "letters A to Z",
		"{seq:3}" + strings.Repeat("x", 29): "longer than 40",
		strings.Repeat("{yyyy}", 100):       "too long",
	} {
		_, err := parseTemplate(text)
		wrong, ok := errors.AsType[*errs.Error](err)
		require.Truef(t, ok, "template %q: %v", text, err)
		require.Equal(t, errInvalidTemplate.Code, wrong.Code)
		require.Containsf(t, strings.Join(wrong.Fields["template"], " "), problem, "template %q", text)
	}
	require.Empty(t, errInvalidTemplate.Fields)
}

func TestNumber_IsWhatTheTemplateSays(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"L-{yyyy}-{seq:5}":                   "L-2026-00042",
		"{seq:1}":                            "42",
		"{yy}{mm}{dd}/{seq:3}.a":             "260304/042.a",
		"{seq:2}#{dd}_{mm}":                  "42#04_03",
		strings.Repeat("x", 28) + "{seq:12}": strings.Repeat("x", 28) + "000000000042",
	} {
		parsed := mustParse(t, text)
		require.Equal(t, want, parsed.shape(day).number(42, parsed.width))
		require.LessOrEqual(t, len(parsed.shape(day).number(maxSeq, parsed.width)), maxLength)
	}
}

func TestRepeats_TellsTemplatesThatCouldGiveANumberAgain(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		old     string
		last    int64
		text    string
		repeats bool
	}{
		{"L-{seq:5}", 123, "L-{seq:7}", false},              // counted on
		{"L-{seq:5}", 123, "L-{yyyy}-{seq:5}", false},       // a hyphen where digits were
		{"L-{yyyy}-{seq:5}", 123, "L-{seq:5}", false},       // the other way
		{"L-{yyyy}-{seq:5}", 123, "L-2026-{seq:5}", false},  // counted on while it is 2026
		{"L-{seq:5}", 123, "M-{seq:5}", false},              // another letter
		{"L-{seq:5}", 123, "L-{yyyy}{seq:4}", false},        // as long only from 10,000,000 on
		{"L-{seq:9}", 123, "L-{yyyy}{seq:5}", false},        // the old ones begin with zeros
		{"L-{seq:9}", 202_600_001, "L-{yyyy}{seq:5}", true}, // not any more
		{"L-{yyyy}{seq:3}", 123, "L-{seq:5}", true},         // L-2026123, one day
		{"L-{yyyy}{seq:3}", 123, "L-{yy}{seq:5}", true},     // L-20 in 2020
		{"L-1{seq:2}", 5, "L-{seq:3}", true},                // L-105
		{"{yyyy}-{seq:4}", 1, "{seq:4}-{mm}{dd}", true},     // 2026-0001, if there were a month 00
		{"{yyyy}-{seq:4}", 1, "{seq:4}-{yyyy}", false},      // a year does not begin with 0
		{"{yyyy}-{seq:4}", 1000, "{seq:4}-{yyyy}", true},    // 2026-1000
		{"L-{seq:5}", 0, "L-{seq:5}", false},
		{"{yyyy}{seq:3}", 123, "{seq:12}", false}, // longer than any before
	} {
		old := mustParse(t, test.old)
		given := counter{shape: old.shape(day), Last: test.last, Width: old.width}
		require.Equalf(t, test.repeats, mustParse(t, test.text).repeats(given), "%s after %s", test.text, test.old)
	}
}

// book is a series in memory that does what Numbers does.
type book struct {
	template template
	counters map[shape]counter
	given    map[string]bool
}

func (b *book) next(t *rapid.T, day time.Time) {
	s := b.template.shape(day)
	c := b.counters[s]
	c.shape, c.Last, c.Width = s, c.Last+1, max(c.Width, b.template.width)
	b.counters[s] = c
	number := s.number(c.Last, b.template.width)
	require.Falsef(t, b.given[number], "%s is given twice", number)
	b.given[number] = true
}

func (b *book) change(to template) {
	for _, c := range b.counters {
		if to.repeats(c) {
			return
		}
	}
	b.template = to
}

// anyTemplate draws from few characters, so that numbers meet.
func anyTemplate() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"", "", "-", "1", "2", "0", "20", "L", "{yyyy}", "{yy}", "{mm}", "{dd}"})

	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(part, 0, 3)

		return strings.Join(parts.Draw(t, "before"), "") +
			rapid.SampledFrom([]string{"{seq:1}", "{seq:2}", "{seq:4}"}).Draw(t, "count") +
			strings.Join(parts.Draw(t, "after"), "")
	})
}

func TestTemplates_NeverGiveANumberTwiceHoweverTheyAreChanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := book{
			template: mustParse(t, anyTemplate().Draw(t, "template")),
			counters: map[shape]counter{}, given: map[string]bool{},
		}
		day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		t.Repeat(map[string]func(*rapid.T){
			"numbers": func(t *rapid.T) {
				for range rapid.IntRange(1, 120).Draw(t, "n") {
					b.next(t, day)
				}
			},
			"another day": func(t *rapid.T) { day = day.AddDate(0, 0, rapid.IntRange(-40, 400).Draw(t, "days")) },
			"template":    func(t *rapid.T) { b.change(mustParse(t, anyTemplate().Draw(t, "template"))) },
			"forward": func(t *rapid.T) {
				s := b.template.shape(day)
				c := b.counters[s]
				c.shape, c.Last, c.Width = s, c.Last+rapid.Int64Range(0, 30_000_000).Draw(t, "by"), max(c.Width, b.template.width)
				b.counters[s] = c
			},
		})
	})
}
