package cli_test

import (
	"database/sql"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver

	"github.com/dispatchd/dispatchd/platform/secret"
)

// fails requires that a command fails, and returns what it says.
func (c command) fails(t *testing.T, args ...string) string {
	t.Helper()
	code, _, stderr := c.run(t.Context(), args...)
	require.Equalf(t, 1, code, "%v", args)

	return stderr
}

// copied makes a deployment with one company and a backup of it.
func copied(t *testing.T) (c command, file string) {
	t.Helper()
	c = command{dir: t.TempDir()}
	file = filepath.Join(t.TempDir(), "copy.db")
	c.ok(t, "company", "create", "Roadrunner")
	said := c.ok(t, "backup", file)
	require.Contains(t, said, "Copied "+filepath.Join(c.dir, "dispatchd.db")+" to "+file)
	require.Contains(t, said, "Keep a copy of it somewhere else, once: "+filepath.Join(c.dir, secret.FileName))

	return c, file
}

func change(t *testing.T, file, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestRestore_NeedsTheMasterKeyOfTheBackup(t *testing.T) {
	t.Parallel()
	from, file := copied(t)
	key, err := os.ReadFile(filepath.Join(from.dir, secret.FileName))
	require.NoError(t, err)

	to := command{dir: filepath.Join(t.TempDir(), "new")}
	said := to.ok(t, "restore", file)
	require.Contains(t, said, "put its master key at "+filepath.Join(to.dir, secret.FileName))
	require.NoError(t, os.WriteFile(filepath.Join(to.dir, secret.FileName), key, 0o600))
	require.NotContains(t, to.ok(t, "restore", "--force", file), "put the master key")
	require.Contains(t, to.ok(t, "audit", "verify"), "COMPANY")

	other := command{dir: t.TempDir(), environ: []string{"DISPATCHD_SECRET__KEY=" + secret.NewKey()}}
	require.Contains(t, other.fails(t, "restore", file), "is not the master key of this database")
	require.NoFileExists(t, filepath.Join(other.dir, "dispatchd.db"))
}

func TestRestore_RefusesWhatThisBinaryCannotServe(t *testing.T) {
	t.Parallel()
	from, file := copied(t)
	require.Contains(t, from.fails(t, "backup", file), "--force replaces it")
	require.Contains(t, from.fails(t, "restore", file), "--force replaces it")

	change(t, file, "INSERT INTO goose_platform (version_id, is_applied) VALUES (99999, 1)")
	require.Contains(t, from.fails(t, "restore", "--force", file), `migration 99999 of area "platform" is in the backup and not in this binary`)

	strange := filepath.Join(t.TempDir(), "strange.db")
	change(t, strange, "CREATE TABLE songs (title text)")
	require.Contains(t, from.fails(t, "restore", "--force", strange), "not one of dispatchd's")
	empty := command{dir: filepath.Join(t.TempDir(), "data")}
	require.Contains(t, empty.fails(t, "backup", file+"2"), "there is no database")
	require.NoDirExists(t, empty.dir)
}

func TestBackup_OfPostgreSQLSaysWhichToolToUse(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir(), environ: []string{"DISPATCHD_DATABASE__URL=postgres://nobody@127.0.0.1:1/x"}}
	require.Contains(t, c.fails(t, "backup", "x"), "pg_dump --format=custom")
	require.Contains(t, c.fails(t, "restore", "x"), "pg_restore --no-owner")
}

func TestHealth_AsksTheServiceOfTheConfiguration(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(service.Close)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(service.URL, "http://"))
	require.NoError(t, err)
	c := command{dir: t.TempDir(), environ: []string{"DISPATCHD_WEB__ADDRESS=0.0.0.0:" + port}}
	c.ok(t, "health", "--live")
	require.Contains(t, c.fails(t, "health"), "503 Service Unavailable")

	worker := command{dir: c.dir, environ: []string{"DISPATCHD_METRICS__ADDRESS=127.0.0.1:" + port}}
	worker.ok(t, "health", "--set", "roles=worker")
	worker.environ = nil
	require.Contains(t, worker.fails(t, "health", "--set", "roles=worker"), "metrics.address, which is not set")

	service.Close()
	require.Contains(t, c.fails(t, "health", "--live"), "connection refused")
	c.environ = []string{"DISPATCHD_WEB__ADDRESS=127.0.0.1:0"}
	require.Contains(t, c.fails(t, "health"), "port 0")
}
