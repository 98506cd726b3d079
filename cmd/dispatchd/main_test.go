package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

const (
	modulesPath = "/custom_modules/api/v1/modules"
	recordsPath = "/custom_modules/api/v1/records"
)

// snippet is a request that a page shows as a curl line.
var snippet = regexp.MustCompile(`(?s)http://127\.0\.0\.1:8080(/\S+)(?: \\\n +)? -d '(\{.*?\})'`)

// TestReadme_FirstTenMinutes does what the README tells a new user to do.
func TestReadme_FirstTenMinutes(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	snippets := snippet.FindAllSubmatch(readme, -1)
	require.Len(t, snippets, 2, "a record, and a module of one's own")

	dir := filepath.Join(t.TempDir(), "data")
	p := start(t, dir)
	token := demoToken(t, dir)
	var made []answer
	for _, s := range snippets {
		made = append(made, p.ok(t, token, http.MethodPost, string(s[1]), json.RawMessage(s[2])))
	}
	require.JSONEq(t, gjson.GetBytes(snippets[0][2], "payload").Raw, made[0].get("payload").Raw)
	p.interrupt(t)

	p = start(t, dir)
	read := p.ok(t, token, http.MethodGet, recordsPath+"/"+made[0].get("uuid").String(), nil)
	require.JSONEq(t, string(made[0].body), string(read.body))
	p.interrupt(t)
}

// demoToken reads the token as a shell's $(cat …) does.
func demoToken(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "token"))
	require.NoError(t, err)

	return strings.TrimSpace(string(text))
}

// TestServe_PrintsALineThatWorksWhenPasted takes the printed line apart as a shell would.
func TestServe_PrintsALineThatWorksWhenPasted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	p := start(t, dir)
	line := regexp.MustCompile(`curl -H "Authorization: Bearer \$\(cat (\S+)\)" -H 'Content-Type: application/json' -d '(.*)' (http://\S+)`).
		FindStringSubmatch(p.printed())
	require.Lenf(t, line, 4, "%s", p.printed())
	require.Equal(t, filepath.Join(dir, "token"), line[1])
	path, found := strings.CutPrefix(line[3], p.base)
	require.True(t, found)
	made := p.ok(t, demoToken(t, dir), http.MethodPost, path, json.RawMessage(line[2]))
	require.Len(t, made.get("payload").Map(), 8, "the eight keys of the documented example")

	about := p.ok(t, "", http.MethodGet, "/", nil)
	require.Equal(t, "dispatchd", about.get("name").String())
	require.Equal(t, "custom_modules", about.get(`areas.#(id="custom_modules").id`).String())
	p.ok(t, "", http.MethodGet, "/readyz", nil)
	p.interrupt(t)
	require.NotContains(t, p.output.String(), "ERR", "a new user sees no error")
}

// acknowledged creates records from several clients until ctx ends, and returns the VINs for which
// the service answered 200.
func acknowledged(ctx context.Context, p *process, token, module string) map[string]bool {
	var (
		mu   sync.Mutex
		acks = map[string]bool{}
		work sync.WaitGroup
	)
	for client := range 8 {
		work.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				vin := fmt.Sprintf("1HG%03d%011d", client, i)
				made, err := p.call(ctx, token, http.MethodPost, recordsPath, map[string]any{
					"module_uuid": module,
					"payload":     map[string]any{"vin": vin, "year": 2003, "price": "15250.00"},
				})
				if err == nil && made.status == http.StatusOK {
					mu.Lock()
					acks[vin] = true
					mu.Unlock()
				}
			}
		})
	}
	work.Wait()

	return acks
}

func makeModule(t *testing.T, p *process, token string) string {
	t.Helper()
	made := p.ok(t, token, http.MethodPost, modulesPath, map[string]any{
		"name": "Vehicles", "fields": []map[string]any{
			{"key": "vin", "label": "VIN", "type": "vin", "required": true, "indexed": true},
			{"key": "year", "label": "Year", "type": "integer"},
			{"key": "price", "label": "Price", "type": "decimal"},
		},
	})

	return made.get("uuid").String()
}

// stored lists every record of a module by its VIN.
func stored(t *testing.T, p *process, token, module string) map[string]string {
	t.Helper()
	all := map[string]string{}
	query := url.Values{"module_uuid": {module}, "per_page": {"200"}}
	for {
		page := p.ok(t, token, http.MethodGet, recordsPath+"?"+query.Encode(), nil)
		for _, record := range page.get("data").Array() {
			all[record.Get("payload.vin").String()] = record.Get("payload").Raw
		}
		next := page.get("meta.next_cursor")
		if next.String() == "" {
			return all
		}
		query.Set("cursor", next.String())
	}
}

func TestKill_LosesNoAcknowledgedRecordAndLeavesNoneHalfThere(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		dir, environ := t.TempDir(), "DISPATCHD_DATABASE__URL="+url
		token := company(t, dir, environ)
		p := start(t, dir, environ)
		module := makeModule(t, p, token)

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan map[string]bool)
		go func() { done <- acknowledged(ctx, p, token, module) }()
		require.Eventually(t, func() bool {
			page, err := p.call(t.Context(), token, http.MethodGet, recordsPath+"?per_page=200&module_uuid="+module, nil)

			return err == nil && page.get("meta.next_cursor").String() != ""
		}, time.Minute, 20*time.Millisecond)
		p.kill(t)
		cancel()
		acks := <-done
		require.Greater(t, len(acks), 100)

		p = start(t, dir, environ)
		records := stored(t, p, token, module)
		for vin := range acks {
			require.Contains(t, records, vin)
		}
		for vin, payload := range records {
			require.JSONEq(t, fmt.Sprintf(`{"vin": %q, "year": 2003, "price": "15250.00"}`, vin), payload)
		}
		p.interrupt(t)
	})
}

func TestReplicas_MayStartTogetherOnAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		environ := "DISPATCHD_DATABASE__URL=" + url
		dir := t.TempDir()
		processes := make([]*process, 3)
		t.Run("start", func(t *testing.T) {
			for i := range processes {
				t.Run(strconv.Itoa(i), func(t *testing.T) {
					t.Parallel()
					processes[i] = start(t, dir, environ)
					t.Cleanup(func() { processes[i].interrupt(t) })
					processes[i].ok(t, "", http.MethodGet, "/readyz", nil)
				})
			}
		})
		require.NotContains(t, string(run(t, dir, []string{environ}, "migrate", "status")), "pending")
	})
}

func TestDatabaseAway_Answers503AndRecoversWithoutARestart(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, database string) {
		if !strings.HasPrefix(database, "postgres") {
			return // a file does not go away
		}
		direct, err := url.Parse(database)
		require.NoError(t, err)
		wire := newWire(t, direct.Host)
		through := *direct
		through.Host = wire.address()
		dir, environ := t.TempDir(), "DISPATCHD_DATABASE__URL="+through.String()
		token := company(t, dir, environ)
		p := start(t, dir, environ)
		module := makeModule(t, p, token)
		body := map[string]any{"module_uuid": module, "payload": map[string]any{"vin": "1HGCM82633A004352"}}
		p.ok(t, token, http.MethodPost, recordsPath, body)

		wire.cut()
		for range 3 {
			away, err := p.call(t.Context(), token, http.MethodPost, recordsPath, body)
			require.NoError(t, err)
			require.Equalf(t, http.StatusServiceUnavailable, away.status, "%s", away.body)
			// Of what was on its way when the connection went nobody knows whether it was done.
			require.Contains(t, []string{"database.unavailable", "database.outcome_unknown"}, away.get("code").String())
		}
		ready, err := p.call(t.Context(), "", http.MethodGet, "/readyz", nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, ready.status)
		p.ok(t, "", http.MethodGet, "/healthz", nil)

		wire.restore()
		require.Eventually(t, func() bool {
			back, err := p.call(t.Context(), token, http.MethodPost, recordsPath, body)

			return err == nil && back.status == http.StatusOK
		}, time.Minute, 100*time.Millisecond)
		p.interrupt(t)
	})
}

func TestTokens_ThatExpireOrAreRevokedAreRefusedWithinSeconds(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		dir, environ := t.TempDir(), []string{"DISPATCHD_DATABASE__URL=" + url}
		made := gjson.ParseBytes(run(t, dir, environ, "company", "create", "Roadrunner", "-o", "json"))
		issue := func(more ...string) gjson.Result {
			args := append([]string{"token", "create", "--company", made.Get("company").String(), "-o", "json"}, more...)

			return gjson.ParseBytes(run(t, dir, environ, args...))
		}
		p := start(t, dir, environ...)
		revoked, brief := issue(), issue("--expires", "8s")
		refusals := map[string]string{
			brief.Get("token").String():   "identity.token_expired",
			revoked.Get("token").String(): "identity.token_revoked",
		}
		for token := range refusals {
			p.ok(t, token, http.MethodGet, modulesPath, nil)
		}

		run(t, dir, environ, "token", "revoke", revoked.Get("id").String())
		for token, code := range refusals {
			require.Eventually(t, func() bool {
				refused, err := p.call(t.Context(), token, http.MethodGet, modulesPath, nil)

				return err == nil && refused.status == http.StatusUnauthorized && refused.get("code").String() == code
			}, time.Minute, 100*time.Millisecond, code)
		}
		p.interrupt(t)
	})
}
