package databasetest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Pooler is PgBouncer before a PostgreSQL server.
type Pooler struct {
	// URL is of the database through the pooler.
	URL string

	write func(mode string) error
	cmd   *exec.Cmd
}

// SetMode changes the mode while clients are connected: session or transaction.
func (p *Pooler) SetMode(t testing.TB, mode string) {
	t.Helper()
	require.NoError(t, p.write(mode))
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
}

// NewPooler runs PgBouncer before the PostgreSQL server of a URL until the test ends. mode is session or transaction. Few
// server connections serve many clients in turns, so that what relies on a session of its own fails soon.
func NewPooler(t testing.TB, server, mode string) *Pooler {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
	}
	require.FileExists(t, program, "the test needs PgBouncer: install it (Debian: apt-get install pgbouncer; macOS: brew install pgbouncer)")
	of, err := pgx.ParseConfig(server)
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, listener.Close())

	dir := t.TempDir()
	login := "user=" + of.User
	if of.Password != "" {
		login += " password=" + of.Password
	}
	const text = `[databases]
* = host=%s port=%d %s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = 12
max_client_conn = 500
%s
`
	file, user := filepath.Join(dir, "pgbouncer.ini"), ""
	if os.Geteuid() == 0 {
		user = "user = nobody"                                 // it refuses to run as root
		require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755)) //nolint:gosec // nobody reads the file again
	}
	write := func(mode string) error {
		return os.WriteFile(file, fmt.Appendf(nil, text, of.Host, of.Port, login, port, mode, user), 0o644) //nolint:gosec // as above
	}
	require.NoError(t, write(mode))
	var said bytes.Buffer
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, file) //nolint:gosec // a program of the test's
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
		require.Error(t, cmd.Wait(), "it ends by the signal")
		if t.Failed() {
			t.Logf("pgbouncer: %s", said.String())
		}
	})

	through, err := url.Parse(server)
	require.NoError(t, err)
	through.Host = net.JoinHostPort("127.0.0.1", port)
	query := through.Query()
	query.Set("sslmode", "disable")
	through.RawQuery = query.Encode()
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), through.String())
		if err != nil {
			return false
		}

		return conn.Close(t.Context()) == nil
	}, 10*time.Second, 20*time.Millisecond, "PgBouncer on port "+strconv.Quote(port))

	return &Pooler{URL: through.String(), write: write, cmd: cmd}
}
