//go:build soak

package main_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// writer creates records one after the other and keeps those that were acknowledged.
type writer struct {
	mu     sync.Mutex
	acks   map[string]bool
	failed []string
}

// write creates records with VINs of its own, over the given process or what stands in front of it,
// until ctx ends.
func (w *writer) write(ctx context.Context, p *process, token, module string, client int) {
	for i := 0; ctx.Err() == nil; i++ {
		vin := fmt.Sprintf("1HG%03d%011d", client, i)
		made, err := p.call(context.WithoutCancel(ctx), token, http.MethodPost, recordsPath, map[string]any{
			"module_uuid": module, "payload": map[string]any{"vin": vin, "year": 2003, "price": "15250.00"},
		})
		w.note(vin, made, err)
	}
}

func (w *writer) note(vin string, made answer, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		w.failed = append(w.failed, err.Error())
	case made.status != http.StatusOK:
		w.failed = append(w.failed, fmt.Sprintf("%d %s", made.status, made.body))
	default:
		w.acks[vin] = true
	}
}

// acknowledged returns a copy of what was acknowledged by now.
func (w *writer) acknowledged() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()

	return maps.Clone(w.acks)
}

// waitForMore returns once n more are acknowledged than at the call.
func (w *writer) waitForMore(t *testing.T, n int) {
	t.Helper()
	before := len(w.acknowledged())
	require.Eventually(t, func() bool { return len(w.acknowledged()) >= before+n }, 2*time.Minute, 5*time.Millisecond)
}

// requireStored requires that every record of acks is there, whole, and returns how many there are.
func requireStored(t *testing.T, p *process, token, module string, acks map[string]bool) int {
	t.Helper()
	records := stored(t, p, token, module)
	for vin := range acks {
		require.Contains(t, records, vin)
	}
	for vin, payload := range records {
		require.JSONEq(t, fmt.Sprintf(`{"vin": %q, "year": 2003, "price": "15250.00"}`, vin), payload)
	}

	return len(records)
}

// underWrites does the work while four clients write, and returns what was acknowledged before it.
func underWrites(t *testing.T, p *process, token, module string, work func()) (before, all map[string]bool) {
	t.Helper()
	w := &writer{acks: map[string]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() { w.write(ctx, p, token, module, client) })
	}
	w.waitForMore(t, 200)
	before = w.acknowledged()
	work()
	w.waitForMore(t, 50)
	stop()
	clients.Wait()
	require.Empty(t, w.failed)

	return before, w.acknowledged()
}

func TestBackup_UnderWritesRestoresEveryWriteAcknowledgedBeforeIt(t *testing.T) {
	t.Parallel()
	dir, every := t.TempDir(), "DISPATCHD_AUDIT__EVERY_WRITE=true"
	file := filepath.Join(t.TempDir(), "copy.db")
	token := company(t, dir, every)
	p := start(t, dir, every)
	module := makeModule(t, p, token)
	before, all := underWrites(t, p, token, module, func() { run(t, dir, nil, "backup", file) })
	_, err := execute(t, dir, nil, "restore", "--force", file)
	require.ErrorContains(t, err, "stop the service first")
	require.GreaterOrEqual(t, requireStored(t, p, token, module, all), len(all))
	p.interrupt(t)

	elsewhere := t.TempDir()
	key, err := os.ReadFile(filepath.Join(dir, "secret.key"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "secret.key"), key, 0o600))
	run(t, elsewhere, nil, "restore", file)
	require.Regexp(t, `sound|intact, and \d+ entries not sealed yet`, string(run(t, elsewhere, nil, "audit", "verify")))
	p = start(t, elsewhere, every)
	require.Less(t, requireStored(t, p, token, module, before), len(all), "the copy is of the middle of the writes")
	p.interrupt(t)
	require.NotContains(t, string(run(t, elsewhere, nil, "migrate", "status")), "pending")
}

// execute is run for a command that may fail.
func execute(t *testing.T, dir string, environ []string, args ...string) (string, error) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = environment(dir, environ)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}

	return string(out), err
}

// TestPgDump_RestoresEveryWriteAcknowledgedBeforeIt does what docs/operations.md says.
func TestPgDump_RestoresEveryWriteAcknowledgedBeforeIt(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, database string) {
		if !strings.HasPrefix(database, "postgres") {
			return
		}
		dir, environ := t.TempDir(), []string{"DISPATCHD_DATABASE__URL=" + database, "DISPATCHD_AUDIT__EVERY_WRITE=true"}
		file := filepath.Join(dir, "dispatchd.dump")
		token := company(t, dir, environ...)
		p := start(t, dir, environ...)
		module := makeModule(t, p, token)
		before, all := underWrites(t, p, token, module, func() {
			postgres(t, "pg_dump", "--format=custom", "--file="+file, database)
		})
		p.interrupt(t)

		restored := anotherDatabase(t, database)
		postgres(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+restored, file)
		environ[0] = "DISPATCHD_DATABASE__URL=" + restored
		require.Regexp(t, `sound|intact, and \d+ entries not sealed yet`, string(run(t, dir, environ, "audit", "verify")))
		p = start(t, dir, environ...)
		require.Less(t, requireStored(t, p, token, module, before), len(all), "the copy is of the middle of the writes")
		p.interrupt(t)
	})
}

// postgres runs a program of PostgreSQL's, in the PATH as tools/with-postgres leaves it or where
// Debian puts it.
func postgres(t *testing.T, program string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
		require.NoError(t, err)
		require.NotEmptyf(t, found, "no %s: install PostgreSQL's client programs (Debian: apt-get install postgresql-client)", program)
		path = found[len(found)-1]
	}
	out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
}

// anotherDatabase makes an empty database on the same server for the time of the test.
func anotherDatabase(t *testing.T, database string) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, database)
	require.NoError(t, err)
	name := pgx.Identifier{"restored_" + strings.ReplaceAll(uuid.NewString(), "-", "")}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name.Sanitize())
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := conn.Exec(ctx, "DROP DATABASE "+name.Sanitize()+" WITH (FORCE)")
		require.NoError(t, err)
		require.NoError(t, conn.Close(ctx))
	})
	u, err := url.Parse(database)
	require.NoError(t, err)
	u.Path = "/" + name[0]

	return u.String()
}
