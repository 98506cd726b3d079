//go:build soak

package main_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// TestRolling_ReplacesBothProcessesUnderLoadWithoutARefusedRequest does what docs/operations.md says
// of a release, behind the balancer of deploy/haproxy.cfg.
func TestRolling_ReplacesBothProcessesUnderLoadWithoutARefusedRequest(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, database string) {
		if !strings.HasPrefix(database, "postgres") {
			return // a file has one process
		}
		dir, environ := t.TempDir(), []string{"DISPATCHD_DATABASE__URL=" + database, "DISPATCHD_WEB__DRAIN_DELAY=2s"}
		token := company(t, dir, environ...)
		addresses := freeAddresses(t, 4)
		replicas := make([]*process, 2)
		startReplica := func(i int) {
			replicas[i] = start(t, dir, append(environ, "DISPATCHD_WEB__ADDRESS="+addresses[i])...)
		}
		startReplica(0)
		startReplica(1)
		module := makeModule(t, replicas[0], token)
		front := &process{base: "http://" + addresses[2]}
		balance(t, dir, addresses)
		waitUntilUp := func(server string) {
			require.Eventually(t, func() bool { return isUp(t, addresses[3], server) }, time.Minute, 20*time.Millisecond)
		}
		waitUntilUp("one")
		waitUntilUp("two")

		w := &writer{acks: map[string]bool{}}
		ctx, stop := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		for client := range 8 {
			clients.Go(func() { w.writeAndRead(ctx, front, token, module, client) })
		}
		w.waitForMore(t, 100)
		for i, server := range []string{"one", "two"} {
			replicas[i].terminate(t)
			startReplica(i)
			waitUntilUp(server)
			w.waitForMore(t, 100)
		}
		stop()
		clients.Wait()

		require.Empty(t, w.failed)
		requireStored(t, front, token, module, w.acknowledged())
	})
}

// writeAndRead creates records and reads them back, over one connection that it keeps.
func (w *writer) writeAndRead(ctx context.Context, front *process, token, module string, client int) {
	whole := context.WithoutCancel(ctx)
	connection := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer connection.CloseIdleConnections()
	for i := 0; ctx.Err() == nil; i++ {
		vin := fmt.Sprintf("1HG%03d%011d", client, i)
		body := fmt.Sprintf(`{"module_uuid":%q,"payload":{"vin":%q,"year":2003,"price":"15250.00"}}`, module, vin)
		made, err := front.over(whole, connection, token, http.MethodPost, recordsPath, body)
		if err == nil && made.status == http.StatusOK {
			made, err = front.over(whole, connection, token, http.MethodGet, recordsPath+"/"+made.get("uuid").String(), "")
		}
		w.note(vin, made, err)
	}
}

// over is call over a client of one's own.
func (p *process) over(ctx context.Context, client *http.Client, token, method, path, body string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	text, err := io.ReadAll(response.Body)

	return answer{status: response.StatusCode, body: text}, errors.Join(err, response.Body.Close())
}

// terminate ends the process as systemd, Docker and Kubernetes do and requires exit code 0.
func (p *process) terminate(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-p.ended:
		require.NoErrorf(t, err, "%s", p.output)
	case <-time.After(time.Minute):
		require.Fail(t, "still running a minute after SIGTERM")
	}
}

// isUp reports whether the balancer sends requests to a server, as its page of statistics says.
func isUp(t *testing.T, state, server string) bool {
	t.Helper()
	page, err := (&process{base: "http://" + state}).call(t.Context(), "", http.MethodGet, "/;csv", nil)
	if err != nil {
		return false
	}
	rows, err := csv.NewReader(bytes.NewReader(page.body)).ReadAll()
	require.NoError(t, err)
	status := slices.Index(rows[0], "status")

	return slices.ContainsFunc(rows, func(row []string) bool {
		return row[0] == "processes" && row[1] == server && row[status] == "UP"
	})
}

// balance runs HAProxy with the example's configuration until the test ends, with checks more often
// and other addresses: of both processes, of the API, and of the statistics.
func balance(t *testing.T, dir string, addresses []string) {
	t.Helper()
	haproxy, err := exec.LookPath("haproxy")
	if err != nil {
		haproxy = "/usr/sbin/haproxy"
	}
	require.FileExists(t, haproxy, "the test needs HAProxy: install it (Debian: apt-get install haproxy; macOS: brew install haproxy)")
	example, err := os.ReadFile(filepath.Join("..", "..", "deploy", "haproxy.cfg"))
	require.NoError(t, err)
	text := string(example)
	for from, to := range map[string]string{
		"10.89.64.11:8080": addresses[0], "10.89.64.12:8080": addresses[1], "bind :8080": "bind " + addresses[2],
		"127.0.0.1:8404": addresses[3], "inter 1s": "inter 200ms",
	} {
		require.Equal(t, 1, strings.Count(text, from), from)
		text = strings.ReplaceAll(text, from, to)
	}
	file := filepath.Join(dir, "haproxy.cfg")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))

	var said bytes.Buffer
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), haproxy, "-db", "-f", file)
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // it ends by the signal
		if t.Failed() {
			t.Logf("haproxy: %s", said.String())
		}
	})
}

// freeAddresses returns addresses where nobody listens. Another process may still take one first.
func freeAddresses(t *testing.T, n int) []string {
	t.Helper()
	all := make([]string, n)
	for i := range all {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { require.NoError(t, listener.Close()) }()
		all[i] = listener.Addr().String()
	}

	return all
}
