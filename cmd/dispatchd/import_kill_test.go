//go:build soak

package main_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// An import whose process is killed, twice, has done each row once when it is over.
func TestServe_ImportSurvivesKills(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		environ := []string{
			"DISPATCHD_DATABASE__URL=" + url, "DISPATCHD_JOBS__POLL=10ms",
			"DISPATCHD_IMPORTS__STALLED_AFTER=1s",
		}
		dir := t.TempDir()
		token := company(t, dir, environ...)
		p := start(t, dir, environ...)
		module := makeModule(t, p, token)
		const rows = 3_000
		var file strings.Builder
		file.WriteString("vin,year,price\n")
		for i := range rows {
			fmt.Fprintf(&file, "1HGCM82633A%06d,2003,15250.00\n", i)
		}
		id := upload(t, p, token, module, file.String())
		p.ok(t, token, http.MethodPost, importsPath+id+"/start", nil)
		for range 2 {
			before := p.ok(t, token, http.MethodGet, importsPath+id, nil).get("progress.done").Int()
			require.Eventually(t, func() bool {
				now := p.ok(t, token, http.MethodGet, importsPath+id, nil)

				return now.get("progress.done").Int() > before || now.get("state").String() == "completed"
			}, time.Minute, 5*time.Millisecond)
			p.kill(t)
			p = start(t, dir, environ...)
		}
		var ended answer
		require.Eventually(t, func() bool {
			ended = p.ok(t, token, http.MethodGet, importsPath+id, nil)

			return ended.get("state").String() == "completed"
		}, 2*time.Minute, 50*time.Millisecond)
		require.EqualValues(t, rows, ended.get("progress.created").Int())
		require.EqualValues(t, rows, p.ok(t, token, http.MethodGet, recordsPath+"?count=exact&per_page=1&module_uuid="+module, nil).get("meta.total").Int())

		p.ok(t, token, http.MethodPost, importsPath+id+"/undo", nil)
		p.kill(t)
		p = start(t, dir, environ...)
		require.Eventually(t, func() bool {
			return p.ok(t, token, http.MethodGet, importsPath+id, nil).get("state").String() == "undone"
		}, 2*time.Minute, 50*time.Millisecond)
		require.Zero(t, p.ok(t, token, http.MethodGet, recordsPath+"?count=exact&per_page=1&module_uuid="+module, nil).get("meta.total").Int())
		p.interrupt(t)
	})
}

const importsPath = "/custom_modules/api/v1/imports/"

// upload sends a file and returns the id of the import.
func upload(t *testing.T, p *process, token, module, file string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost,
		p.base+"/custom_modules/api/v1/modules/"+module+"/imports", strings.NewReader(file))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "text/csv")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	sent, err := readAnswer(response)
	require.NoError(t, err)
	require.Equalf(t, http.StatusOK, sent.status, "%s", sent.body)

	return sent.get("uuid").String()
}
