package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// binary builds the real binary once for all tests of this package.
var binary = sync.OnceValues(
	func() (string, error) {
		dir, err := os.MkdirTemp("", "dispatchd")
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, "dispatchd")
		out, err := exec.CommandContext(context.Background(), "go", "build", "-ldflags=-s -w", "-o", path, ".").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}

		return path, nil
	})

func TestMain(m *testing.M) {
	code := m.Run()
	path, err := binary()
	if err == nil {
		err = os.RemoveAll(filepath.Dir(path))
	}
	if err != nil {
		code = 1
	}
	os.Exit(code)
}

// process is the real binary, running.
type process struct {
	cmd    *exec.Cmd
	base   string
	dir    string
	output *bytes.Buffer
	ended  chan error

	mu     sync.Mutex
	stdout strings.Builder
}

// printed returns what the process has printed for people.
func (p *process) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.stdout.String()
}

// start runs `dispatchd serve` and waits until it says where it is. It is killed when the test ends.
func start(t *testing.T, dir string, environ ...string) *process {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	p := &process{dir: dir, output: &bytes.Buffer{}, ended: make(chan error, 1)}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), path, "serve")
	p.cmd.Env = environment(dir, append([]string{"DISPATCHD_WEB__ADDRESS=127.0.0.1:0"}, environ...))
	p.cmd.Stderr = p.output
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		if err := p.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			require.NoError(t, err)
		}
	})

	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		var address string
		for lines.Scan() {
			p.mu.Lock()
			p.stdout.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			if found, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "API   "); ok {
				address = found
			}
			if strings.Contains(lines.Text(), "Ctrl-C stops it.") {
				ready <- address
			}
		}
		p.ended <- p.cmd.Wait()
	}()
	select {
	case p.base = <-ready:
	case err := <-p.ended:
		require.Failf(t, "ended at once", "%v\n%s", err, p.output)
	case <-time.After(60 * time.Second):
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGQUIT)) // it says where it stands
		ended := <-p.ended
		require.Failf(t, "not ready after a minute", "%v\n%s", ended, p.output)
	}

	return p
}

// environment is what a process of the binary sees. PostgreSQL wants a master key.
func environment(dir string, environ []string) []string {
	all := append(os.Environ(), "DISPATCHD_DATA_DIR="+dir)
	for _, line := range environ {
		if strings.HasPrefix(line, "DISPATCHD_DATABASE__URL=postgres") {
			all = append(all, "DISPATCHD_SECRET__KEY=dsk_vembCsy7YgaK6qiZ1z3JT3WQXQjkVVgPRTT2hnzokJM")
		}
	}

	return append(all, environ...)
}

// interrupt ends the process as Ctrl-C does and requires exit code 0.
func (p *process) interrupt(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	select {
	case err := <-p.ended:
		require.NoErrorf(t, err, "%s", p.output)
	case <-time.After(time.Minute):
		require.Fail(t, "still running a minute after the interrupt")
	}
}

// kill ends the process as a power cut does.
func (p *process) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	require.Error(t, <-p.ended, "a killed process does not end well")
}

// run runs another command of the binary on the same data and returns what it prints.
func run(t *testing.T, dir string, environ []string, args ...string) []byte {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = environment(dir, environ)
	out, err := cmd.Output()
	require.NoErrorf(t, err, "%v: %s", args, out)

	return out
}

// company makes a company with an owner and returns the owner's token.
func company(t *testing.T, dir string, environ ...string) string {
	t.Helper()
	out := run(t, dir, environ, "company", "create", "Roadrunner", "--owner-email", "o@example.com", "-o", "json")

	return gjson.GetBytes(out, "token").String()
}

// answer is what the service answered.
type answer struct {
	status int
	body   []byte
}

func (a answer) get(path string) gjson.Result { return gjson.GetBytes(a.body, path) }

// call sends a request; a body other than nil goes out as JSON.
func (p *process) call(ctx context.Context, token, method, path string, body any) (answer, error) {
	var reader io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.base+path, reader)
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}

	return readAnswer(response)
}

// readAnswer reads a response to its end.
func readAnswer(response *http.Response) (answer, error) {
	text, err := io.ReadAll(response.Body)

	return answer{status: response.StatusCode, body: text}, errors.Join(err, response.Body.Close())
}

// ok calls and requires 200.
func (p *process) ok(t *testing.T, token, method, path string, body any) answer {
	t.Helper()
	a, err := p.call(t.Context(), token, method, path, body)
	require.NoError(t, err)
	require.Equalf(t, http.StatusOK, a.status, "%s %s: %s", method, path, a.body)

	return a
}
