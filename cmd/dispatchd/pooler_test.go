//go:build soak

package main_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// TestPooler_WritesAndRunsJobsInBothModes checks what docs/operations.md says of poolers: eight clients write at once, and jobs deliver the events.
func TestPooler_WritesAndRunsJobsInBothModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			databasetest.Each(t, func(t *testing.T, database string) {
				if !strings.HasPrefix(database, "postgres") {
					return // no server, no pooler
				}
				pooler := databasetest.NewPooler(t, database, mode)
				dir, environ := t.TempDir(), []string{"DISPATCHD_DATABASE__URL=" + pooler.URL}
				if mode == "session" {
					environ = append(environ, "DISPATCHD_DATABASE__MAX_CONNECTIONS=10") // and two more: as many as the pooler has
				} else {
					requireRefused(t, dir, environ)
					environ = append(environ, "DISPATCHD_DATABASE__SESSION_URL="+database)
				}
				token := company(t, dir, environ...)
				p := start(t, dir, environ...)
				module := makeModule(t, p, token)
				w := &writer{acks: map[string]bool{}}
				var clients sync.WaitGroup
				for client := range 8 {
					clients.Go(func() {
						for i := range 50 {
							vin := fmt.Sprintf("1HG%03d%011d", client, i)
							body := fmt.Sprintf(`{"module_uuid":%q,"payload":{"vin":%q,"year":2003,"price":"15250.00"}}`, module, vin)
							made, err := p.over(t.Context(), http.DefaultClient, token, http.MethodPost, recordsPath, body)
							w.note(vin, made, err)
						}
					})
				}
				clients.Wait()
				require.Empty(t, w.failed)
				require.Equal(t, 400, requireStored(t, p, token, module, w.acknowledged()))
				requireIdle(t, database)
				ready, err := p.call(t.Context(), "", http.MethodGet, "/readyz", nil)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, ready.status)
				p.interrupt(t)
			})
		})
	}
}

// requireRefused requires that the service does not start, and names the setting.
func requireRefused(t *testing.T, dir string, environ []string) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, "serve")
	cmd.Env = environment(dir, environ)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "set database.session_url")
}

// requireIdle waits until every job of a database has run.
func requireIdle(t *testing.T, url string) {
	t.Helper()
	db := databasetest.Open(t, url)
	require.Eventually(t, func() bool {
		var done, left int
		err := db.SQL().QueryRowContext(t.Context(), `SELECT count(*) FILTER (WHERE state = 'completed'),
			count(*) FILTER (WHERE state IN ('available', 'running', 'retryable')) FROM river_job`).Scan(&done, &left)
		require.NoError(t, err)

		return done > 0 && left == 0
	}, time.Minute, 50*time.Millisecond)
}
