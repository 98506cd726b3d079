package template_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/template"
)

func TestRender_FillsInAndNamesEveryMissingVariable(t *testing.T) {
	t.Parallel()
	values := map[string]any{"name": "Ann", "load": map[string]any{"vin": "1HG", "price": 12.5}}
	text, err := template.Render(t.Context(), `Hi {{ name | upcase }}: {{ load.vin }} {{ load.price }}{% if load.note %} {{ load.note }}{% endif %} {{ nick | default: "you" }}`, values)
	require.NoError(t, err)
	require.Equal(t, "Hi ANN: 1HG 12.5 you", text)

	_, err = template.Render(t.Context(), `{{ who }} {{ load.color }} {{ load.a.b }} {{ who }} {{ name }}`, values)
	var missing *template.MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, []string{"load.a.b", "load.color", "who"}, missing.Names)
	require.Len(t, values["load"], 2, "the values are not changed")
}

func TestCheck_RefusesWhatCouldTakeAllTimeOrMemory(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"a loop":             `{% for i in (1..1000000) %}{{ i }}{% endfor %}`,
		"a file":             `{% include "/etc/passwd" %}`,
		"an assignment":      `{% assign a = "x" %}`,
		"a capture":          `{%- capture a %}x{% endcapture %}`,
		"raw":                `{% raw %}{{ a }}{% endraw %}`,
		"a growing filter":   `{{ a | replace: "a", "aa" }}`,
		"a growing filter 2": `{{ a | upcase |inspect }}`,
		"not closed":         `{% if a %}`,
		"a range":            `{{ (1..1000000000) | last }}`,
		"a range of a case":  `{% if (1..9999999) contains a %}x{% endif %}`,
		"a wide date":        `{{ "2026-01-01" | date: "%1000000Y" }}`,
		"a wide date 2":      `{{ "2026-01-01" | upcase | date: '%d.%-05m' }}`,
		"too long":           strings.Repeat("a", template.MaxSource+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var wrong *template.Error
			require.ErrorAs(t, template.Check(source), &wrong)
		})
	}
	require.NoError(t, template.Check(`a | b {{ "x | for" | append: "|include" }} {% unless a == "|" %}x{% endunless %}`))
}

func TestRender_RefusesATextThatIsTooLong(t *testing.T) {
	t.Parallel()
	_, err := template.Render(t.Context(), `{{ a }}{{ a }}`, map[string]any{"a": strings.Repeat("x", template.MaxOutput/2+1)})
	var wrong *template.Error
	require.ErrorAs(t, err, &wrong)
}

func TestCheck_SaysWhereWhatIsNotClosedBegins(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"Hi {{ name":                     "The {{ at line 1, column 4 has no }} that closes it.",
		"Über {{ a }}\n – {{ b } x":      "The {{ at line 2, column 4 has no }} that closes it.",
		"{% if a %}x{% endif %} {% if a": "The {% at line 1, column 24 has no %} that closes it.",
	} {
		require.EqualError(t, template.Check(source), want, source)
		_, err := template.Render(t.Context(), source, map[string]any{"name": "x", "a": "x", "b": "x"})
		require.EqualError(t, err, want, source)
	}
	require.Error(t, template.Check("{{ a {{ b }}"))
	require.NoError(t, template.Check("a }} and { b } and %} 100%"))
}

func TestRender_FormatsDatesWithoutWidths(t *testing.T) {
	t.Parallel()
	values := map[string]any{"at": "2026-01-02", "wide": "%1000000Y", "long": strings.Repeat("%c", 1000), "plain": "%Y"}
	text, err := template.Render(t.Context(), `{{ at | date: "%b %-d, %Y 100%%5" }} {{ at | date: plain }}`, values)
	require.NoError(t, err)
	require.Equal(t, "Jan 2, 2026 100%5 2026", text)
	for _, source := range []string{`{{ at | date: wide }}`, `{{ at | date: long }}`, `{% if true %}{% assign wide = 1 %}{% endif %}`} {
		var wrong *template.Error
		_, err := template.Render(t.Context(), source, values)
		require.ErrorAs(t, err, &wrong, source)
	}
}

func TestRender_Truncates(t *testing.T) {
	t.Parallel()
	values := map[string]any{"a": "Ground control to Major Tom", "u": "ÄÖÜß"}
	text, err := template.Render(t.Context(), `{{ a | truncate: 17 }}|{{ a | truncate: 8, "" }}|{{ a | truncate: 1000000000 }}|{{ u | truncate: 3, "…" }}|{{ a | truncatewords: 2 }}|{{ a | truncatewords: 9 }}`, values)
	require.NoError(t, err)
	require.Equal(t, "Ground control...|Ground c|Ground control to Major Tom|ÄÖ…|Ground control...|Ground control to Major Tom", text)
}

//nolint:paralleltest // it measures what the whole process allocates
func TestRender_BoundsWhatHostileTemplatesAllocate(t *testing.T) {
	fit := func(part string) string { return strings.Repeat(part, template.MaxSource/len(part)) }
	values := map[string]any{
		"a": strings.Repeat("x", 1<<20), "b": strings.Repeat("word ", 3000), "wide": "%1000000Y", "many": make([]any, 1<<16), "n": 1000000000,
	}
	for _, source := range []string{
		fit(`{{ '2026-01-01' | date: '%1000000Y' }}`), fit(`{{ '2026-01-01' | date: wide }}`), fit(`{% if b == '2026-01-01' | date: wide %}{% endif %}`),
		`{{ b` + fit(` | append: b`)[:4000] + ` }}`, `{{ a` + strings.Repeat(` | append: a`, 400) + ` }}`, fit(`{% if a | upcase == b %}{% endif %}`), fit(`{{ a }}`), fit(`{{ b }}`),
		fit(`{{ b | truncate: 1000 }}`), fit(`{% if b | truncate: 999 == '' %}{% endif %}`), fit(`{{ b | truncate: n }}`), fit(`{{ b | slice: 0, n }}`), fit(`{{ (1..100000000) | last }}`), fit(`{{ many | size }}`),
		fit(`{{ missing }}{{ b | upcase | size }}`), fit(`{{ n | times: n | round: n }}`), fit(`{{ b | truncatewords: n | size }}`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := clock.System{}.Now()
		_, err := template.Render(t.Context(), source, values)
		took := clock.System{}.Now().Sub(begun)
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "%.60s: %v", source, err)
		require.Less(t, took, 5*time.Second, source)
	}
}

func TestRender_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := template.Render(ctx, `{{ "a" | upcase }}`, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzRender(f *testing.F) {
	f.Add(`{{ a | default: "b" }}{% if a %}{{ c }}{% endif %}`)
	f.Fuzz(func(t *testing.T, source string) {
		text, err := template.Render(t.Context(), source, map[string]any{"a": "x", "n": 3})
		if err == nil {
			require.LessOrEqual(t, len(text), template.MaxOutput)
		}
	})
}

func TestVariables_AreWhatATemplateReads(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"a", "b.c", "load.number", "n", "stops", "x"}, template.Variables(
		`{{ load.number | append: x | round: 2.5 }} {%- if a == "b" and n > 1.5 or b.c contains 'd.e' -%}{{a|upcase}}{% elsif stops[0].city == nil %}{% endif %} not.one }}`))
	require.Empty(t, template.Variables("no {{ 12 }} and {{ 'x' }}"))
}
