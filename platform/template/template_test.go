package template_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/template"
)

func TestRender_FillsInAndNamesEveryMissingVariable(t *testing.T) {
	t.Parallel()
	values := map[string]any{"name": "Ann", "load": map[string]any{"vin": "1HG", "price": 12.5}}
	text, err := template.Render(`Hi {{ name | upcase }}: {{ load.vin }} {{ load.price }}{% if load.note %} {{ load.note }}{% endif %} {{ nick | default: "you" }}`, values)
	require.NoError(t, err)
	require.Equal(t, "Hi ANN: 1HG 12.5 you", text)

	_, err = template.Render(`{{ who }} {{ load.color }} {{ load.a.b }} {{ who }} {{ name }}`, values)
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
	_, err := template.Render(`{{ a }}{{ a }}`, map[string]any{"a": strings.Repeat("x", template.MaxOutput/2+1)})
	var wrong *template.Error
	require.ErrorAs(t, err, &wrong)
}

func FuzzRender(f *testing.F) {
	f.Add(`{{ a | default: "b" }}{% if a %}{{ c }}{% endif %}`)
	f.Fuzz(func(t *testing.T, source string) {
		text, err := template.Render(source, map[string]any{"a": "x", "n": 3})
		if err == nil {
			require.LessOrEqual(t, len(text), template.MaxOutput)
		}
	})
}
