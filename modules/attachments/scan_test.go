package attachments_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// clam is a clamd that knows one virus, until its text is cleared, and that can be away.
type clam struct {
	mu    sync.Mutex
	virus string
	says  string // instead of a verdict
	away  bool
}

func (c *clam) set(change func(c *clam)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

func startClam(t *testing.T) (*clam, string) {
	t.Helper()
	c := &clam{virus: "a virus"}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close() //nolint:errcheck // of the fake
				if _, err := io.WriteString(conn, c.answer(bufio.NewReader(conn))); err != nil {
					return
				}
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		running.Wait()
	})

	return c, "tcp://" + listener.Addr().String()
}

func (c *clam) answer(r *bufio.Reader) string {
	content, err := instream(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil || c.away:
		return ""
	case c.says != "":
		return c.says
	case c.virus != "" && bytes.Contains(content, []byte(c.virus)):
		return "stream: Test.Virus FOUND\x00"
	default:
		return "stream: OK\x00"
	}
}

func instream(r *bufio.Reader) ([]byte, error) {
	if _, err := r.ReadString(0); err != nil {
		return nil, err
	}
	var all []byte
	for {
		var size uint32
		if err := binary.Read(r, binary.BigEndian, &size); err != nil || size == 0 {
			return all, err
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(r, part); err != nil {
			return all, err
		}
		all = append(all, part...)
	}
}

// eachScanned is each, with a scanner. The clam is of one service.
func eachScanned(t *testing.T, test func(t *testing.T, a *moduletest.App, p parts, c *clam), settings ...string) {
	t.Helper()
	c, address := startClam(t)
	var turn sync.Mutex
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		turn.Lock()
		defer turn.Unlock()
		c.set(func(c *clam) { c.virus, c.says, c.away = "a virus", "", false })
		test(t, a, p, c)
	}, append(settings, "modules.attachments.scan.clamd="+address, "modules.attachments.scan.retry_after=50ms")...)
}

// nowhere makes sure that no path leads to the content of a file.
func nowhere(t *testing.T, a *moduletest.App, p parts, path, id, shared, code string) {
	t.Helper()
	for _, tail := range []string{"/content", "/content?disposition=inline", "/versions/1/content", "/thumbnails/160"} {
		a.Call(t, a.Owner.Token, http.MethodGet, path+tail, nil).Refused(t, http.StatusConflict, code)
	}
	if shared != "" {
		for _, tail := range []string{"", "/thumbnails/160"} {
			a.Call(t, "", http.MethodGet, shared+tail, nil).Refused(t, http.StatusNotFound, "attachments.link_void")
		}
	}
	a.Call(t, a.Owner.Token, http.MethodPost, path+"/links", map[string]any{}).Refused(t, http.StatusConflict, code)
	a.Call(t, a.Owner.Token, http.MethodPut, path+"/content", "x", "Content-Type", "application/octet-stream").Refused(t, http.StatusConflict, code)
	_, _, err := p.files.Open(as(t, a.Owner), id)
	require.ErrorContains(t, err, code)
	_, err = p.links.Link(as(t, a.Owner), id, attachmentsapi.Share{})
	require.ErrorContains(t, err, code)
}

func TestScan_QuarantinesWhatIsInfectedAndGivesItOutNowhere(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, p parts, _ *clam) {
		t.Helper()
		clean := send(t, a, a.Owner.Token, "a.txt", "clean").OK(t)
		require.Equal(t, []string{"ready", "clean"}, []string{clean.Get("state").String(), clean.Get("scan").String()})
		shared := a.Call(t, a.Owner.Token, http.MethodPost, clean.Header.Get("Location")+"/links", map[string]any{}).OK(t).Get("url").String()

		bad := send(t, a, a.Owner.Token, "b.txt", "it has a virus").OK(t)
		require.Equal(t, []string{"quarantined", "infected", "Test.Virus"}, []string{
			bad.Get("state").String(), bad.Get("scan").String(), bad.Get("quarantine").String(),
		})
		nowhere(t, a, p, bad.Header.Get("Location"), bad.Get("uuid").String(), "", "attachments.quarantined")
		a.Call(t, a.Owner.Token, http.MethodDelete, bad.Header.Get("Location"), nil).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, bad.Header.Get("Location")+"/restore", nil).Refused(t, http.StatusConflict, "attachments.quarantined")

		path := clean.Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodPut, path+"/content", "now a virus", "Content-Type", "application/octet-stream").OK(t)
		nowhere(t, a, p, path, clean.Get("uuid").String(), shared, "attachments.quarantined")
		require.Equal(t, []string{
			"attachments.attachment.stored", "attachments.attachment.quarantined", "attachments.attachment.deleted", "attachments.attachment.quarantined",
		}, a.EventNames(t, a.Owner))
	})
}

func TestScan_HoldsWhatCannotBeScannedYet(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, p parts, c *clam) {
		t.Helper()
		c.set(func(c *clam) { c.away = true })
		made := send(t, a, a.Owner.Token, "a.txt", "clean").OK(t)
		path, id := made.Header.Get("Location"), made.Get("uuid").String()
		require.Equal(t, []string{"scanning", "pending"}, []string{made.Get("state").String(), made.Get("scan").String()})
		nowhere(t, a, p, path, id, "", "attachments.not_ready")
		bad := send(t, a, a.Owner.Token, "b.txt", "it has a virus").OK(t).Header.Get("Location")
		gone := send(t, a, a.Owner.Token, "c.txt", "it has a virus too").OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodDelete, gone, nil).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, gone+"/restore", nil).Refused(t, http.StatusConflict, "attachments.not_ready")
		require.NotContains(t, a.EventNames(t, a.Owner), "attachments.attachment.stored")

		c.set(func(c *clam) { c.away = false })
		is := func(path, state string) func() bool {
			return func() bool {
				return a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("state").String() == state
			}
		}
		a.Eventually(t, is(path, "ready"), "it is given out when it was scanned")
		a.Eventually(t, is(bad, "quarantined"), "or quarantined")
		a.Eventually(t, func() bool {
			return a.Call(t, a.Owner.Token, http.MethodGet, gone, nil).OK(t).Get("scan").String() == "infected"
		}, "one that was deleted is scanned too")
		a.Call(t, a.Owner.Token, http.MethodPost, gone+"/restore", nil).Refused(t, http.StatusConflict, "attachments.quarantined")
		require.Equal(t, "clean", string(a.Call(t, a.Owner.Token, http.MethodGet, path+"/content", nil).OK(t).Body))
		require.ElementsMatch(t, []string{
			"attachments.attachment.stored", "attachments.attachment.quarantined", "attachments.attachment.deleted",
		}, a.EventNames(t, a.Owner))
	})
}

func TestScan_RefusesWhileTheScannerIsAwayIfThatIsConfigured(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, p parts, c *clam) {
		t.Helper()
		for _, says := range []string{"garbage\x00", "stream: broken ERROR\x00"} {
			c.set(func(c *clam) { c.says = says })
			refused := send(t, a, a.Owner.Token, "a.txt", "clean").Refused(t, http.StatusServiceUnavailable, "attachments.not_scanned")
			require.NotEmpty(t, refused.Header.Get("Retry-After"))
		}
		require.Empty(t, stored(t, p.store, a.Owner))
	}, "modules.attachments.scan.away=refuse")
}

func TestScan_TreatsWhatIsTooLargeAsConfigured(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"quarantine": "quarantined", "allow": "ready"} {
		eachScanned(t, func(t *testing.T, a *moduletest.App, _ parts, c *clam) {
			t.Helper()
			c.set(func(c *clam) { c.says = "INSTREAM size limit exceeded. ERROR\x00" })
			made := send(t, a, a.Owner.Token, "a.txt", "large").OK(t)
			require.Equal(t, []string{want, "too_large"}, []string{made.Get("state").String(), made.Get("scan").String()})
		}, "modules.attachments.scan.too_large="+how)
	}
}

func TestRelease_IsForWhoMayAndIsRemembered(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, _ parts, c *clam) {
		t.Helper()
		made := send(t, a, a.Owner.Token, "b.txt", "it has a virus").OK(t)
		path := made.Header.Get("Location")
		why := map[string]any{"reason": "It is a text about viruses."}
		weak := a.Token(t, a.Owner, "attachments:read", "attachments:write")
		keeper := a.Token(t, a.Owner, "attachments:quarantine")
		a.Call(t, weak, http.MethodPost, path+"/release", why).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, weak, http.MethodPost, path+"/rescan", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, a.NewCompany(t).Token, http.MethodPost, path+"/release", why).Refused(t, http.StatusNotFound, "attachments.not_found")
		a.Call(t, a.Owner.Token, http.MethodPost, path+"/release", map[string]any{"reason": ""}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")

		// The same signatures find it again.
		a.Call(t, a.Owner.Token, http.MethodPost, path+"/rescan", nil).OK(t)
		state := func() string { return a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("state").String() }
		a.Eventually(t, func() bool { return state() == "quarantined" }, "it is scanned anew")
		released := a.Call(t, keeper, http.MethodPost, path+"/release", why, "If-Match", `"3"`).OK(t)
		require.Equal(t, []string{"ready", "released"}, []string{released.Get("state").String(), released.Get("scan").String()})
		require.Equal(t, "it has a virus", string(a.Call(t, a.Owner.Token, http.MethodGet, path+"/content", nil).OK(t).Body))
		a.Call(t, a.Owner.Token, http.MethodPost, path+"/release", why).Refused(t, http.StatusConflict, "state.not_allowed")
		require.Contains(t, strings.Join(a.Audited(t, a.Owner), " "), "release")

		// And newer ones find nothing, or something in an old version.
		a.Call(t, a.Owner.Token, http.MethodPut, path+"/content", "clean", "Content-Type", "application/octet-stream").OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, path+"/rescan", nil).OK(t)
		a.Eventually(t, func() bool { return state() == "quarantined" }, "the first version is infected")
		c.set(func(c *clam) { c.virus = "" })
		a.Call(t, a.Owner.Token, http.MethodPost, path+"/rescan", nil).OK(t)
		a.Eventually(t, func() bool { return state() == "ready" }, "nothing was found")
		require.Equal(t, []string{
			"attachments.attachment.quarantined", "attachments.attachment.released", "attachments.attachment.replaced",
			"attachments.attachment.quarantined", "attachments.attachment.released",
		}, a.EventNames(t, a.Owner))
	})
}

func TestRescan_NeedsAScanner(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		made := send(t, a, a.Owner.Token, "a.txt", "clean").OK(t)
		require.Equal(t, "null", made.Get("scan").Raw)
		a.Call(t, a.Owner.Token, http.MethodPost, made.Header.Get("Location")+"/rescan", nil).Refused(t, http.StatusConflict, "attachments.no_scanner")
	})
}

func TestScan_ThatFailsForGoodIsQuarantinedUntilSomebodyHasAllScannedAnew(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, p parts, c *clam) {
		t.Helper()
		c.set(func(c *clam) { c.says = "stream: broken ERROR\x00" })
		made := send(t, a, a.Owner.Token, "a.txt", "clean").OK(t)
		path, id := made.Header.Get("Location"), made.Get("uuid").String()
		require.Equal(t, "scanning", made.Get("state").String())
		scan := func() string { return a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t).Get("scan").String() }
		a.Eventually(t, func() bool { return scan() == "failed" }, "the scanner was asked as often as it is")
		nowhere(t, a, p, path, id, "", "attachments.quarantined")

		c.set(func(c *clam) { c.says = "" })
		a.Call(t, a.Token(t, a.Owner, "attachments:write"), http.MethodPost, base+"/rescan", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		none := a.Call(t, a.NewCompany(t).Token, http.MethodPost, base+"/rescan", nil).OK(t)
		require.JSONEq(t, `{"begun": 0, "left": 0}`, string(none.Body))
		begun := a.Call(t, a.Owner.Token, http.MethodPost, base+"/rescan", nil).OK(t)
		require.JSONEq(t, `{"begun": 1, "left": 0}`, string(begun.Body))
		a.Eventually(t, func() bool { return scan() == "clean" }, "it is scanned anew")
		require.Equal(t, "clean", string(a.Call(t, a.Owner.Token, http.MethodGet, path+"/content", nil).OK(t).Body))
		require.Equal(t, []string{"attachments.attachment.quarantined", "attachments.attachment.released"}, a.EventNames(t, a.Owner))
	}, "jobs.retry_delay=1ms")
}

func TestUpload_TellsWhoSentAFileThatItWasRefused(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, _ parts, c *clam) {
		t.Helper()
		made := invite(t, a, map[string]any{"max_uploads": 5})
		url := made.Get("url").String()
		post := func(name, content string, headers ...string) moduletest.Response {
			body, media := form(t, name, content)

			return a.Call(t, "", http.MethodPost, url, body, append([]string{"Content-Type", media}, headers...)...).OK(t)
		}
		require.Equal(t, "received", post("a.txt", "clean").Get("status").String())
		bad := post("b.txt", "it has a virus")
		require.Equal(t, "refused", bad.Get("status").String())
		require.NotContains(t, string(bad.Body), "Test.Virus", "what was found is for the company")
		require.Contains(t, string(post("c.txt", "a virus", "Accept", html).Body), "That file was refused")
		c.set(func(c *clam) { c.away = true })
		require.Equal(t, "checking", post("d.txt", "a virus, too").Get("status").String())
		c.set(func(c *clam) { c.away = false })

		a.Eventually(t, func() bool {
			asked := a.Call(t, "", http.MethodGet, url, nil).OK(t)
			require.NotContains(t, string(asked.Body), "Test.Virus")

			return asked.Get("refused").Raw == `["d.txt","c.txt","b.txt"]`
		}, "a file that is refused later is seen at the link")
		require.Contains(t, string(a.Call(t, "", http.MethodGet, url, nil, "Accept", html).OK(t).Body), "refused: d.txt, c.txt, b.txt.")
		seen := a.Call(t, a.Owner.Token, http.MethodGet,
			files+"?filter[state]=quarantined&filter[upload_link_uuid]="+made.Get("uuid").String(), nil).OK(t)
		require.EqualValues(t, 3, seen.Get("data.#").Int())
	})
}

func TestScan_TellsTheSenderByAUsedUpLinkWhatBecameOfHisFile(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, _ parts, c *clam) {
		t.Helper()
		made := invite(t, a, map[string]any{})
		url := made.Get("url").String()
		c.set(func(c *clam) { c.away = true })
		path := begin(t, a, "", url+"/tus", 12, "Upload-Metadata", metadata("filename", "papers.txt")).OK(t).Header.Get("Location")
		status := func() string {
			told := a.Call(t, "", http.MethodGet, path, nil, "Tus-Resumable", "1.0.0").OK(t)
			require.NotContains(t, string(told.Body), "Test.Virus")
			require.Equal(t, "null", told.Get("attachment_uuid").Raw)

			return told.Get("status").String()
		}
		require.Equal(t, "arriving", status())
		more(t, a, "", path, 0, "it's a virus").OK(t)
		require.Equal(t, "checking", status())
		require.False(t, a.Call(t, "", http.MethodGet, url, nil).Refused(t, http.StatusNotFound, "link.used_up").Get("details.refused").Exists())
		c.set(func(c *clam) { c.away = false })
		a.Eventually(t, func() bool { return status() == "refused" }, "it is scanned")

		used := a.Call(t, "", http.MethodGet, url, nil).Refused(t, http.StatusNotFound, "link.used_up")
		require.JSONEq(t, `["papers.txt"]`, used.Get("details.refused").Raw)
		page := a.Call(t, "", http.MethodGet, url, nil, "Accept", html)
		require.Contains(t, string(page.Body), "Found to be dangerous, and refused: papers.txt.")
		shown := a.Call(t, a.Owner.Token, http.MethodGet, made.Header.Get("Location"), nil).OK(t)
		require.EqualValues(t, 1, shown.Get("refused").Int())
		require.EqualValues(t, 1, a.Call(t, a.Owner.Token, http.MethodGet, base+"/upload_links", nil).OK(t).Get("data.0.refused").Int())
		far := a.Call(t, "", http.MethodHead, path, nil, "Tus-Resumable", "1.0.0").OK(t)
		until, err := http.ParseTime(far.Header.Get("Upload-Expires"))
		require.NoError(t, err)
		require.Equal(t, made.Get("expires_at").Time().Unix(), until.Unix(), "as long as the link would live")

		a.Call(t, a.Owner.Token, http.MethodPost, made.Header.Get("Location")+"/revoke", nil).OK(t)
		revoked := a.Call(t, "", http.MethodGet, url, nil)
		require.Equal(t, http.StatusNotFound, revoked.Status)
		require.NotContains(t, string(revoked.Body), "papers.txt")
		a.Call(t, "", http.MethodGet, path, nil, "Tus-Resumable", "1.0.0").Refused(t, http.StatusNotFound, "attachments.link_void")
	})
}
