package attachments_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// html is what a browser asks for.
const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestPage_IsWhatABrowserGetsAtAnUploadLink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		url := invite(t, a, map[string]any{
			"title": "Papers </title><script>alert(1)</script>", "brand": "Acme & Sons", "message": "Please\nsend them.", "max_uploads": 3, "max_size": 2_500_000,
			"types": []string{"application/pdf", "image/*"},
		}).Get("url").String()
		page := a.Call(t, "", http.MethodGet, url, nil, "Accept", html).OK(t)
		require.Equal(t, "text/html; charset=utf-8", page.Header.Get("Content-Type"))
		require.Equal(t, "no-store", page.Header.Get("Cache-Control"))
		require.Contains(t, page.Header.Get("Vary"), "Accept")
		text := string(page.Body)
		require.Contains(t, text, "Papers &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;")
		require.Contains(t, text, "Acme &amp; Sons")
		require.Contains(t, text, "Up to 3 files, each of at most 2.5 MB: PDF, photos and other images.")
		require.NotContains(t, text, "http", "it needs nothing from anywhere")

		policy := page.Header.Get("Content-Security-Policy")
		require.NotContains(t, policy, "unsafe")
		for name, directive := range map[string]string{"script": "script-src", "style": "style-src"} {
			found := regexp.MustCompile(`(?s)<`+name+`>(.*?)</`+name+`>`).FindAllStringSubmatch(text, -1)
			require.Len(t, found, 1)
			sum := sha256.Sum256([]byte(found[0][1]))
			require.Contains(t, policy, directive+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
		require.Equal(t, "application/json", a.Call(t, "", http.MethodGet, url, nil).OK(t).Header.Get("Content-Type"))
		require.Equal(t, "Acme & Sons", a.Call(t, "", http.MethodGet, url, nil).OK(t).Get("brand").String())
		plain := a.Call(t, "", http.MethodGet, invite(t, a, map[string]any{}).Get("url").String(), nil, "Accept", html).OK(t)
		require.Contains(t, string(plain.Body), "<h1 id=\"heading\" tabindex=\"-1\">Send files</h1>")
		require.NotContains(t, string(plain.Body), "class=\"brand\"", "who asks is said only if the link says it")
		a.Call(t, a.Owner.Token, http.MethodPost, base+"/upload_links", map[string]any{"brand": "a\nb"}).
			Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
	})
}

func TestPage_TakesAFileWithoutScript(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		url := invite(t, a, map[string]any{"types": []string{"text/plain", "image/*"}}).Get("url").String()
		post := func(name, content string) moduletest.Response {
			body, media := form(t, name, content)

			return a.Call(t, "", http.MethodPost, url, body, "Content-Type", media, "Accept", html)
		}
		refused := post("a.txt", "%PDF-1.7")
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		require.Contains(t, string(refused.Body), "It may be: plain text, photos and other images.")
		empty := a.Call(t, "", http.MethodPost, url, "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--X--\r\n",
			"Content-Type", "multipart/form-data; boundary=X", "Accept", html)
		require.Equal(t, http.StatusUnprocessableEntity, empty.Status)
		require.Contains(t, string(empty.Body), "The file is required.")
		sent := post("<b>.txt", "Hello").OK(t)
		require.Contains(t, string(sent.Body), "&lt;b&gt;.txt has arrived (5 bytes).")
		again := post("b.txt", "Hello")
		require.Equal(t, http.StatusNotFound, again.Status)
		require.Contains(t, string(again.Body), "This link has been used")
	})
}

func TestPage_SaysWhyALinkIsOfNoUse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		heading := func(url string) string {
			answer := a.Call(t, "", http.MethodGet, url, nil, "Accept", html)
			require.Equal(t, http.StatusNotFound, answer.Status)
			require.NotContains(t, string(answer.Body), "<form")

			return regexp.MustCompile(`<title>(.*)</title>`).FindStringSubmatch(string(answer.Body))[1]
		}
		require.Equal(t, "This link is not valid", heading(base+"/uploads/dsl_"+strings.Repeat("A", 43)))
		require.Equal(t, "This link is not valid", heading(base+"/uploads/x"))
		revoked := invite(t, a, map[string]any{})
		a.Call(t, a.Owner.Token, http.MethodPost, revoked.Header.Get("Location")+"/revoke", nil).OK(t)
		require.Equal(t, "This link is not valid", heading(revoked.Get("url").String()))
		soon := invite(t, a, map[string]any{"expires_at": time.Now().Add(time.Second)}).Get("url").String() //nolint:forbidigo // the service has the system's clock
		a.Eventually(t, func() bool {
			return a.Call(t, "", http.MethodGet, soon, nil).Status == http.StatusNotFound
		}, "it expires")
		require.Equal(t, "This link has expired", heading(soon))
	}, "modules.attachments.link_uploads=10000")
}
