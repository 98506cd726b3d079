package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// stopTimeout is how long a process may take to end after it was asked to.
const stopTimeout = 30 * time.Second

// command is a command that is interrupted, not killed, when ctx ends.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // the programs that this package names
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTimeout

	return cmd
}

// output runs a command and returns what it printed; an error carries what it complained of.
func output(cmd *exec.Cmd) (string, error) {
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, problems.String())
	}

	return strings.TrimSpace(out.String()), nil
}

// The ports of services are below those that the system gives to connections: one of these may take
// a port between two starts of a service.
const firstPort, ports = 10_000, 10_000

// freePort returns a TCP port that nobody listens on.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	var problem error
	for range 100 {
		port := firstPort + rand.IntN(ports) //nolint:gosec // any will do
		listener, err := config.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, listener.Close()
		}
		problem = err
	}

	return 0, problem
}

// tail returns the end of a file, for an error.
func tail(file string) string {
	const most = 4000
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return err.Error()
	}

	return string(text[max(0, len(text)-most):])
}
