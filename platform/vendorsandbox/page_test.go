package vendorsandbox_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
	"github.com/dispatchd/dispatchd/platform/web"
)

func paying() *vendorsandbox.Pages {
	return vendorsandbox.NewPages("No money moves.", `<p>Pay {{upper .}}</p>`, ".sum { font-weight: 600; }\n", template.FuncMap{"upper": strings.ToUpper})
}

func TestShow_EscapesAndLetsInNoStyleButItsOwn(t *testing.T) {
	t.Parallel()
	shown := paying().Show(vendorsandbox.Page{Heading: "<b>Invoice</b>", Texts: []string{"1 & 2"}, Content: "<i>x</i>"})
	text := string(shown.HTML)
	require.Contains(t, text, "<title>&lt;b&gt;Invoice&lt;/b&gt;</title>")
	require.Contains(t, text, "No money moves.")
	require.Contains(t, text, "<p>Pay &lt;I&gt;X&lt;/I&gt;</p>")
	require.NotContains(t, text, "http-equiv")
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(text)
	require.Len(t, style, 2)
	sum := sha256.Sum256([]byte(style[1]))
	require.Contains(t, shown.Policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	require.Contains(t, style[1], ".sum {")
}

func TestShow_LeadsOn(t *testing.T) {
	t.Parallel()
	const address = "https://example.org/?a=1&b=2"
	text := string(paying().Show(vendorsandbox.Page{Heading: "Paid", Onward: address, Redirect: true}).HTML)
	require.Contains(t, text, `<meta http-equiv="refresh" content="0; url=https://example.org/?a=1&amp;b=2">`)
	require.Contains(t, text, `href="https://example.org/?a=1&amp;b=2"`)
	text = string(paying().Show(vendorsandbox.Page{Heading: "Paid", Onward: address}).HTML)
	require.NotContains(t, text, "http-equiv")
}

func TestRefused_SaysWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	label := func(field string) string { return map[string]string{"card": "Card"}[field] }
	for _, test := range []struct {
		answer web.Answer
		says   []string
	}{
		{web.Answer{Status: http.StatusGone, JSON: []byte(`{"code": "link.expired"}`)}, []string{"This link cannot be used any more"}},
		{web.Answer{Status: http.StatusNotFound, JSON: []byte(`{"code": "link.unknown"}`)}, []string{"This link is not valid"}},
		{web.Answer{Status: http.StatusConflict, JSON: []byte(`{"message": "It was paid already."}`)}, []string{"That did not work", "It was paid already.", "Back"}},
		{
			web.Answer{Status: http.StatusUnprocessableEntity, JSON: []byte(`{"message": "Invalid.", "errors": {"card": ["This is required."], "name": ["Say who you are."]}}`)},
			[]string{"Card: This is required.", ">Say who you are."},
		},
		{web.Answer{Status: http.StatusInternalServerError, JSON: []byte("oops")}, []string{"That did not work"}},
	} {
		text := string(paying().Refused(test.answer, label).HTML)
		for _, says := range test.says {
			require.Contains(t, text, says)
		}
	}
}

func TestCanReturnTo_TakesAddressesOfTheWebAlone(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"https://example.org", "http://localhost:3000/loads?id=7", "https://[::1]:8443/"} {
		require.True(t, vendorsandbox.CanReturnTo(good), good)
	}
	for _, bad := range []string{
		"", "javascript:alert(1)", "ftp://example.org", "https://", "https://a b/", "https://user:pw@example.org/", "/relative",
		`https://example.org/"><x>`, "https://example.org/" + strings.Repeat("x", 500),
	} {
		require.False(t, vendorsandbox.CanReturnTo(bad), bad)
	}
}

func TestReturnTo_KeepsWhatTheAddressHas(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://example.org/?event=paid&id=7", vendorsandbox.ReturnTo("https://example.org/?id=7", "event", "paid"))
	require.Empty(t, vendorsandbox.ReturnTo("", "event", "paid"))
}
