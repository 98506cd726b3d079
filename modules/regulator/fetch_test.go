package regulator_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// openSets serves sets page by page, never more than 1,000 rows, whatever is asked for.
type openSets struct {
	mu       sync.Mutex
	rows     map[string][]string
	modified string
	// failing answers in place of a set from a row on.
	failing map[string]func(http.ResponseWriter, *http.Request)
	from    int
	calls   int
}

const authorityDifference = "/nakq-58th.json"

func newOpenSets(t *testing.T) (*openSets, string) {
	t.Helper()
	o := &openSets{rows: map[string][]string{}, modified: "Mon, 23 Nov 2026 11:00:00 GMT", failing: map[string]func(http.ResponseWriter, *http.Request){}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.calls++
		offset, err := strconv.Atoi(r.URL.Query().Get("$offset"))
		if fail := o.failing[r.URL.Path]; fail != nil && err == nil && offset >= o.from {
			o.mu.Unlock()
			fail(w, r)
			o.mu.Lock()

			return
		}
		if r.Header.Get("X-App-Token") != secretKey || r.URL.Query().Get("$limit") == "" {
			w.WriteHeader(http.StatusBadRequest)

			return
		}
		rows := o.rows[r.URL.Path]
		rows = rows[min(offset, len(rows)):]
		w.Header().Set("Last-Modified", o.modified)
		says(http.StatusOK, "["+strings.Join(rows[:min(1000, len(rows))], ",")+"]")(w, r)
	}))
	t.Cleanup(server.Close)

	return o, server.URL
}

func (o *openSets) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

// eachFetching boots a service that fetches from sets of its own.
func eachFetching(t *testing.T, test func(t *testing.T, sets *openSets, a *moduletest.App), more ...string) {
	t.Helper()
	moduletest.Each(t, modules(), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		sets, url := newOpenSets(t)
		test(t, sets, boot(fetching(url, more...)))
	})
}

// fetching is the settings of tests that fetch by the command: without workers, since the hourly job would fetch as well.
func fetching(url string, more ...string) moduletest.Option {
	return moduletest.Set(append([]string{
		"modules.carriers.regulator.fetch=true", "modules.carriers.regulator.fetch_url=" + url, "modules.carriers.regulator.fetch_token=" + secretKey,
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "outbound.retries=0", "roles=api",
	}, more...)...)
}

func TestFetch_WritesTheDailyDifferences(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t)
		out, err := command(t, a, "fetch")
		require.NoError(t, err)
		require.Empty(t, out, "a set that was never imported has no differences")
	}, fetching("http://127.0.0.1:1"))
	eachFetching(t, func(t *testing.T, sets *openSets, a *moduletest.App) {
		t.Helper()
		sets.rows[authorityDifference] = append(differences(2300), `{"docket_number": "MC500"}`)
		imported(t, a, "census", census(3))
		imported(t, a, "authority", authorityHead+"MC500,1001,"+property+",Active,\nMC501,1002,"+property+",Active,\n")
		out, err := command(t, a, "fetch")
		require.NoError(t, err)
		require.Equal(t, "authority.diff: 2301 rows read, 2300 written, 1 deleted, 0 broken\n", out, "all pages are read")
		got := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/7299", nil).OK(t)
		require.True(t, got.Get("authority.property_active").Bool())
		require.Equal(t, "2026-11-23T11:00:00Z", got.Get("authority.source.as_of").String())
		require.Equal(t, "null", a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1001", nil).OK(t).Get("authority.property_active").Raw)
		out, err = command(t, a, "fetch")
		require.NoError(t, err)
		require.Equal(t, "authority.diff: 0 rows read, 0 written, 0 deleted, 0 broken\n", out, "it is the one that was imported")
		require.NotContains(t, a.Logged(), secretKey)
	})
}

// differences returns rows of the authority's daily differences.
func differences(n int) []string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"docket_number": "MC%d", "usdot_number": "%d", "op_auth_type": "%s", "op_auth_status": "Active"}`, 600+i, 5000+i, property)
	}

	return rows
}

func TestFetch_FailsWithoutALoss(t *testing.T) {
	t.Parallel()
	row := `{"docket_number": "MC501", "usdot_number": "1002", "op_auth_type": "` + property + `", "op_auth_status": "Inactive"}`
	for name, failing := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		why    string
	}{
		"a page of maintenance": {says(http.StatusOK, "<html>Scheduled maintenance</html>"), "the answer is not JSON"},
		"too many requests":     {says(http.StatusTooManyRequests, `{}`), "too many requests"},
		"half a page":           {says(http.StatusOK, `[`+row+`, {"docket_number": "MC5`), "the answer is not JSON"},
		"no such set":           {says(http.StatusNotFound, `{"message": "`+secretKey+`"}`), "404"},
		"another set":           {says(http.StatusOK, `[{"docket_number": "MC501", "blanket_company": "Agents Inc"}]`), "another set"},
		"nothing":               {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachFetching(t, func(t *testing.T, sets *openSets, a *moduletest.App) {
				t.Helper()
				sets.rows[authorityDifference], sets.failing[authorityDifference] = []string{row}, failing.answer
				imported(t, a, "census", census(3))
				imported(t, a, "authority", authorityHead+"MC501,1002,"+property+",Active,\n")
				_, err := command(t, a, "fetch")
				require.ErrorContains(t, err, failing.why)
				health := a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t)
				require.False(t, health.Get("ok").Bool())
				require.Contains(t, health.Get("regulator.why").String(), "authority.diff was not fetched: ")
				require.Contains(t, health.Get("regulator.why").String(), failing.why)
				require.NotContains(t, string(health.Body), secretKey)
				require.NotContains(t, a.Logged(), secretKey)
				require.True(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1002", nil).OK(t).Get("authority.property_active").Bool(), "the old rows stay")

				sets.set(func() { delete(sets.failing, authorityDifference) })
				out, err := command(t, a, "fetch")
				require.NoError(t, err)
				require.Contains(t, out, "1 rows read, 1 written")
				require.True(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t).Get("ok").Bool())
			}, "outbound.header_timeout=1s")
		})
	}
}

func TestFetch_ResumesBehindWhatWasStored(t *testing.T) {
	t.Parallel()
	eachFetching(t, func(t *testing.T, sets *openSets, a *moduletest.App) {
		t.Helper()
		sets.rows[authorityDifference] = differences(7300)
		sets.from, sets.failing[authorityDifference] = 6000, says(http.StatusInternalServerError, `{}`)
		imported(t, a, "authority", authorityHead+"MC501,1002,"+property+",Active,\n")
		_, err := command(t, a, "fetch")
		require.ErrorContains(t, err, "500")
		sets.set(func() { sets.calls = 0; delete(sets.failing, authorityDifference) })
		out, err := command(t, a, "fetch")
		require.NoError(t, err)
		require.Equal(t, "authority.diff: 2300 rows read, 2300 written, 0 deleted, 0 broken\n", out)
		sets.set(func() { require.Equal(t, 5, sets.calls, "the first page, three from row 5,000 on, and the end") })
	})
}
