package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

func paying() *page.Layout {
	return page.New(page.Parts{
		Note: "No money moves.", Content: `<p>Pay {{upper .}}</p>`, Style: ".sum { font-weight: 600; }\n", Functions: template.FuncMap{"upper": strings.ToUpper},
	})
}

func TestShow_EscapesAndLetsInNoStyleButItsOwn(t *testing.T) {
	t.Parallel()
	shown := paying().Show(page.Page{Heading: "<b>Invoice</b>", Texts: []string{"1 & 2"}, Content: "<i>x</i>"})
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

func TestShow_LetsInAForeignScriptAndWhatItNeedsAlone(t *testing.T) {
	t.Parallel()
	shown := paying().Show(page.Page{Heading: "Pay", Foreign: &page.Foreign{
		Src: "https://cdn.example.com/v1/fields.js", Code: "mount('</script>')", Frames: []string{"https://*.bank.example"}, Connects: []string{"https://vault.example.com"},
	}})
	text := string(shown.HTML)
	require.Contains(t, text, `<script src="https://cdn.example.com/v1/fields.js"></script>`)
	code := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(text)
	require.Len(t, code, 2)
	require.Regexp(t, `; script-src https://cdn\.example\.com 'sha256-[^']+'; connect-src https://cdn\.example\.com https://vault\.example\.com; frame-src https://cdn\.example\.com https://\*\.bank\.example$`, shown.Policy)
	require.Regexp(t, `style-src 'sha256-[^']+' https://cdn\.example\.com;`, shown.Policy)

	for _, src := range []string{"", "fields.js", "https://", "%"} {
		require.Contains(t, paying().Show(page.Page{Foreign: &page.Foreign{Src: src}}).Policy, "script-src 'none' ", src)
	}
}

func TestShow_LeadsOn(t *testing.T) {
	t.Parallel()
	const address = "https://example.org/?a=1&b=2"
	text := string(paying().Show(page.Page{Heading: "Paid", Onward: address, Redirect: true}).HTML)
	require.Contains(t, text, `<meta http-equiv="refresh" content="0; url=https://example.org/?a=1&amp;b=2">`)
	require.Contains(t, text, `href="https://example.org/?a=1&amp;b=2"`)
	text = string(paying().Show(page.Page{Heading: "Paid", Onward: address}).HTML)
	require.NotContains(t, text, "http-equiv")
}

func TestRefused_SaysWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	label := func(field string) string { return map[string]string{"card": "Card"}[field] }
	for _, test := range []struct {
		answer web.Answer
		says   []string
	}{
		{web.Answer{Status: http.StatusGone, JSON: []byte(`{"code": "link.expired"}`)}, []string{"This link is no longer valid"}},
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

func TestShow_WearsTheBrandWhereItCanBeRead(t *testing.T) {
	t.Parallel()
	shown := func(color string) (text, style string) {
		html := string(paying().Show(page.Page{Brand: page.Brand{Name: "Blue <Ridge>", PrimaryColor: color}, Heading: "Hi"}).HTML)

		return html, regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(html)[1]
	}
	text, style := shown("#1a2b3c")
	require.Contains(t, text, "Blue &lt;Ridge&gt;")
	require.Contains(t, style, "(prefers-color-scheme: light) { :root { --accent: #1a2b3c; --on-accent: #ffffff; } }")
	require.NotContains(t, style, "(prefers-color-scheme: dark) { :root { --accent: #1a2b3c", "too dark to be seen there")
	_, style = shown("#ffe000")
	require.Contains(t, style, "(prefers-color-scheme: dark) { :root { --accent: #ffe000; --on-accent: #000000; } }")
	require.NotContains(t, style, "(prefers-color-scheme: light) { :root { --accent: #ffe000")
	for _, bad := range []string{"", "red", "#fff", "#12345g", "#1a2b3c;} body{display:none"} {
		_, style = shown(bad)
		require.NotContains(t, style, "display:none")
		require.NotContains(t, style, "(prefers-color-scheme: light)")
	}
}

func TestShow_HasTheLogoInPlaceOfTheInitial(t *testing.T) {
	t.Parallel()
	plain := paying().Show(page.Page{Brand: page.Brand{Name: "Blue Ridge"}, Heading: "Hi"})
	require.Contains(t, string(plain.HTML), `<span class="mark" aria-hidden="true">B</span>Blue Ridge</p>`)
	require.Contains(t, plain.Policy, "img-src data:;")
	shown := paying().Show(page.Page{Brand: page.Brand{Name: "Blue Ridge", Logo: "/companies/api/v1/logo/1?v=2"}, Heading: "Hi"})
	require.Contains(t, string(shown.HTML), `<img class="logo" src="/companies/api/v1/logo/1?v=2" alt="">Blue Ridge</p>`)
	require.NotContains(t, string(shown.HTML), `class="mark"`)
	require.Contains(t, shown.Policy, "img-src data: 'self';")
}

func TestForm_TiesLabelsHintsAndProblemsToFields(t *testing.T) {
	t.Parallel()
	fields := []page.Field{
		{Name: "name", Label: "Name", Hint: "As on the <W-9>.", Value: `"><script>alert(1)</script>`, Required: true, MaxLength: 20},
		{Label: "Policy", Type: "group", Fields: []page.Field{{Name: "cargo.expires", Label: "Expires", Type: "date", Was: "On record: 2026-01-31"}}},
		{Name: "winch", Label: "Winch", Type: "checkbox", Value: "true"},
		{Name: "kind", Label: "Kind", Type: "select", Value: "b", Options: []page.Option{{"a", "A"}, {"b", "B"}}},
	}
	rest := page.Explain(fields, map[string][]string{"name": {"Enter the name."}, "cargo.expires": {"Enter a day."}, "other": {"Something else."}})
	require.Equal(t, []string{"Something else."}, rest)
	text := string(page.New(page.Parts{Content: `{{template "form" .}}`}).Show(page.Page{
		Heading: "Form", Problems: rest, Content: page.Form{Fields: fields, Submit: "Save", Hidden: map[string]string{"revision": "3"}},
	}).HTML)
	for _, want := range []string{
		"<title>Error: Form", `<label for="f-name">Name</label>`, `aria-describedby="f-name-problem f-name-hint" aria-invalid="true" required aria-required="true"`,
		`<p class="hint" id="f-name-hint">As on the &lt;W-9&gt;.</p>`, `<a href="#f-name">Name: Enter the name.</a>`, `<legend>Policy</legend>`,
		`<a href="#f-cargo-expires">Policy, Expires: Enter a day.</a>`, `id="f-cargo-expires-was">On record`, `value="true" checked`, `<option value="b" selected>B</option>`,
		`name="revision" value="3"`, `maxlength="20"`,
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "<script>alert")
}

func TestRefused_NeedsNoNamesOfFields(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusInternalServerError} {
		shown := paying().Refused(web.Answer{Status: status, JSON: []byte(`{"errors": {"fbclid": ["This key is not known."]}}`)}, nil)
		require.Contains(t, string(shown.HTML), "<h1")
	}
}

func TestAnsweredForm_KeepsWhatWasEntered(t *testing.T) {
	t.Parallel()
	form := page.Form{Action: "x/accept", Hidden: map[string]string{"shown": "1"}, Submit: "Accept", Fields: []page.Field{
		{Name: "name", Label: "Name", Required: true}, {Name: "driver_phone", Label: "Phone"}, {Name: "why", Label: "Why?", Type: "select"}, {Name: "accepted", Label: "I accept", Type: "checkbox"},
	}}
	entered := url.Values{"name": {"José Peña"}, "driver_phone": {"12"}, "why": {"other"}, "accepted": {"true"}, "shown": {"3"}}
	answer := web.Answer{Status: http.StatusUnprocessableEntity, Path: "/carrier/x/accept", Form: entered, JSON: []byte(
		`{"code": "a.invalid", "message": "Invalid.", "errors": {"crew.driver_phone": ["Give the area code."], "other": ["Something else."]}}`)}
	text := string(page.New(page.Parts{}).AnsweredForm(answer, nil, nil, &form).HTML)
	for _, want := range []string{
		`action="accept"`, `name="shown" value="3"`, `value="José Peña"`, `Phone: Give the area code.`, `<option value="other" selected>`, `value="true" checked`, "Something else.", `href="../x"`,
	} {
		require.Contains(t, text, want)
	}
	answer.Status, answer.JSON = http.StatusConflict, []byte(`{"code": "a.taken", "message": "It is taken."}`)
	require.Equal(t, "../x?problem=a.taken", page.New(page.Parts{}).AnsweredForm(answer, map[string]string{"a.taken": "It is taken."}, nil, &form).Location)
}

func TestMoment_NamesTheZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 18, 30, 0, 0, time.UTC)
	require.Equal(t, []string{"July 1, 2026, 13:30 CDT", "July 1, 2026, 18:30 UTC"}, []string{page.Moment(at, page.Zone("America/Chicago")), page.Moment(at, page.Zone("nowhere"))})
}

func TestAmount_IsWrittenAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]money.Money{
		"$1,236.25": {Amount: "1236.25", Currency: "USD"}, "$0.05": {Amount: "0.05", Currency: "USD"}, "-$1,000.50": {Amount: "-1000.50", Currency: "USD"},
		"-$0.50": {Amount: "-0.50", Currency: "USD"}, "12,345,678.00 CAD": {Amount: "12345678.00", Currency: "CAD"},
		"85,000 JPY": {Amount: "85000.00", Currency: "JPY"}, "1.500 KWD": {Amount: "1.50", Currency: "KWD"},
	} {
		require.Equal(t, want, page.Amount(of.Amount, of.Currency))
	}
	require.Equal(t, "About 1,243 miles", page.Sprintf("About %d miles", 1243))
	require.Equal(t, []string{"December 1, 2026", "soon"}, []string{page.Day("2026-12-01"), page.Day("soon")})
}

func TestRefused_SaysThatALinkOfASwitchedOffPortalMayWorkAgain(t *testing.T) {
	t.Parallel()
	shown := page.RefusedPage(web.Answer{Status: http.StatusNotFound, JSON: []byte(`{"code": "link.unavailable"}`)}, nil)
	require.Equal(t, "This page is not available at the moment", shown.Heading)
	require.Equal(t, "This link is not valid", page.RefusedPage(web.Answer{Status: http.StatusNotFound, JSON: []byte(`{"code": "link.revoked"}`)}, nil).Heading)
}
