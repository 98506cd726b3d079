package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// postgresServer is a PostgreSQL of our own with durable settings, kept by tools/with-postgres.
type postgresServer struct {
	cmd  *exec.Cmd
	hold io.Closer // the server lives until this is closed, by us or because we ended
	url  string
}

// serverScript tells the address and waits for the end of its input.
const serverScript = `echo "$DISPATCHD_TEST_POSTGRES_URL" && exec cat >/dev/null`

// startPostgres starts the server, with its files in a folder, "" being the system's for temporary
// ones.
func startPostgres(ctx context.Context, dir string) (*postgresServer, error) {
	root, err := repository(ctx)
	if err != nil {
		return nil, err
	}
	s := &postgresServer{cmd: command(ctx, filepath.Join(root, "tools", "with-postgres"), "--durable", "sh", "-c", serverScript)}
	s.cmd.Stderr = os.Stderr
	if dir != "" {
		s.cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	}
	if s.hold, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fscanln(bufio.NewReader(out), &s.url); err != nil {
		return nil, errors.Join(fmt.Errorf("tools/with-postgres: %w", err), s.stop())
	}

	return s, nil
}

// stop ends the server and removes its files.
func (s *postgresServer) stop() error { return errors.Join(s.hold.Close(), s.cmd.Wait()) }

// pgbenchBinary finds pgbench: in the path, or where Debian keeps it.
func pgbenchBinary() (string, error) {
	path, err := exec.LookPath("pgbench")
	if err == nil {
		return path, nil
	}
	found, globErr := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if globErr != nil || len(found) == 0 {
		return "", fmt.Errorf("%w: install PostgreSQL's programs, or run with --databases sqlite", err)
	}

	return found[len(found)-1], nil
}
