package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// command runs one command in a data folder of its own and returns what it prints.
type command struct {
	dir     string
	environ []string
	modules []module.Module
}

func (c command) run(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errors bytes.Buffer
	code = cli.Run(ctx, cli.Process{
		Args: args, Environ: append([]string{"DISPATCHD_DATA_DIR=" + c.dir, "DISPATCHD_LOG__LEVEL=error"}, c.environ...),
		Stdout: &out, Stderr: &errors,
	}, c.modules...)

	return code, out.String(), errors.String()
}

func (c command) ok(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := c.run(t.Context(), args...)
	require.Zerof(t, code, "%v: %s", args, stderr)

	return stdout
}

func areas() []module.Module {
	return []module.Module{
		module.New("loads", "Loads and their stops").Needs("carriers").Listens("sms"),
		module.New("carriers", "Carriers"),
		module.New("sms", "Text messages"),
	}
}

func TestModules_AreListedDrawnAndExplained(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir(), modules: areas(), environ: []string{"DISPATCHD_MODULES__SMS__ENABLED=false"}}

	require.Regexp(t, `carriers +on +- +Carriers\nloads +on +carriers +Loads and their stops\nsms +off`, c.ok(t, "modules", "list"))
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(c.ok(t, "modules", "list", "--output", "json")), &list))
	require.Equal(t, "carriers", list[0]["id"])
	graph := c.ok(t, "modules", "graph")
	require.Contains(t, graph, "loads --> carriers")
	require.Contains(t, graph, "loads -.-> sms")
	require.Contains(t, c.ok(t, "modules", "explain", "loads"), "needs: carriers")

	code, _, stderr := c.run(t.Context(), "modules", "explain", "lodas")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `area "lodas" is not part of this binary`)
}

type slowArgs struct{}

// Kind implements jobs.Args.
func (slowArgs) Kind() string { return "towing.slow" }

// slow is an area with a job that takes longer than others.
func slow() module.Module {
	return module.New("towing", "Tow trucks", fx.Provide(func() *slowArgs { return &slowArgs{} }, fx.Private),
		jobs.On(func(*slowArgs, context.Context, slowArgs) error { return nil }, jobs.Timeout(2*time.Minute)))
}

func TestConfigCheck_ReportsWhatServeWouldAndTouchesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	c := command{dir: dir, modules: append(areas(), slow())}
	require.Equal(t, "The configuration is valid.\n", c.ok(t, "config", "check"))
	require.NoDirExists(t, dir)

	c.environ = []string{"DISPATCHD_ROLES=worker", "DISPATCHD_PORT=tcp://10.0.0.1:80", "DISPATCHD_WEB_ADDRESS=:80"}
	_, _, stderr := c.run(t.Context(), "config", "check")
	require.Equal(t, "warning: DISPATCHD_WEB_ADDRESS has no effect: it matches no key; the nearest is DISPATCHD_WEB__ADDRESS\n", stderr)
	require.Regexp(t, `(?m)^roles:\s+- worker\n[^ ]`, c.ok(t, "config", "show"))
	c.environ = nil

	for _, broken := range [][]string{
		{"--set", "web.adress=:1"},
		{"--set", "modules.carriers.enabled=false"},
		{"--set", "modules.smss.enabled=false"},
		{"--set", "secret.key=short"},
		{"--set", "database.url=postgres://nobody@127.0.0.1:1/none"}, // and no secret.key
		{"--set", "jobs.rescue=61s"},
	} {
		_, _, check := c.run(t.Context(), append([]string{"config", "check"}, broken...)...)
		code, _, serve := c.run(t.Context(), append([]string{"serve"}, broken...)...)
		require.Equal(t, 1, code)
		require.Equal(t, check, serve)
		require.NotEmpty(t, check)
	}
}

func TestConfigShow_NeverShowsASecret(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir(), environ: []string{"DISPATCHD_DATABASE__URL=postgres://u:hunter2@db/x"}}
	for _, args := range [][]string{{"config", "show"}, {"config", "show", "--output", "json"}, {"config", "show", "--sources"}} {
		shown := c.ok(t, args...)
		require.NotContains(t, shown, "hunter2")
		require.Contains(t, shown, "redacted")
	}
}

func TestCompanyAndToken_AreCreatedListedAndRevoked(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	var made struct{ Company, Owner, Token string }
	require.NoError(t, json.Unmarshal([]byte(c.ok(t, "company", "create", "Roadrunner", "--owner-email", "o@example.com", "-o", "json")), &made))
	require.NotEmpty(t, made.Token)
	require.Contains(t, c.ok(t, "company", "list"), "Roadrunner")

	var issued struct{ ID, Token string }
	require.NoError(t, json.Unmarshal([]byte(c.ok(t, "token", "create", "--company", made.Company, "--scope", "*", "-o", "json")), &issued))
	listed := c.ok(t, "token", "list", "--company", made.Company)
	require.Contains(t, listed, issued.ID)
	require.NotContains(t, listed, issued.Token)
	c.ok(t, "token", "revoke", issued.ID)
	require.Regexp(t, issued.ID+`.*20\d\d-`, c.ok(t, "token", "list", "--company", made.Company))

	code, _, stderr := c.run(t.Context(), "token", "list", "--company", "x")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `--company "x": want a UUID`)

	require.Regexp(t, "dsp_", c.ok(t, "token", "create", "--operator", "--name", "Provisioning"))
	for _, args := range [][]string{{}, {"--operator", "--company", made.Company}, {"--operator", "--user", made.Owner}} {
		code, _, _ := c.run(t.Context(), append([]string{"token", "create"}, args...)...)
		require.Equal(t, 1, code, args)
	}
}

func TestMigrate_GoesUpDownAndReportsItsState(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	require.Contains(t, c.ok(t, "migrate", "status"), "pending")
	c.ok(t, "migrate", "up")
	require.NotContains(t, c.ok(t, "migrate", "status"), "pending")
	code, stdout, stderr := c.run(t.Context(), "migrate", "down", "platform")
	require.Equal(t, 1, code)
	require.Regexp(t, `(?s)\d{5}_\w+\.(sqlite\.)?sql:\n.*  DROP TABLE \w+\n.*  \w+ has 0 rows\n`, stdout)
	require.Contains(t, stderr, "nothing was changed: with --yes")
	require.NotContains(t, c.ok(t, "migrate", "status"), "pending")
	c.ok(t, "migrate", "down", "platform", "--yes")
	require.Contains(t, c.ok(t, "migrate", "status"), "pending")
	for range 20 {
		if _, stdout, _ = c.run(t.Context(), "migrate", "down", "platform"); strings.Contains(stdout, "00020_") {
			break
		}
		c.ok(t, "migrate", "down", "platform", "--yes")
	}
	require.Contains(t, stdout, "00020_add_trust.sql:\n  ALTER TABLE idempotency_answers DROP COLUMN scopes\n")
}

func TestUnknown_CommandsAndFormatsNameTheKnownOnes(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	code, _, stderr := c.run(t.Context(), "serv")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "serve")
	code, _, stderr = c.run(t.Context(), "version", "-o", "xml")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "want one of text, json")
}

// lines collects what a running command prints.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.text.String()
}

func TestServe_SeedsServesAndEndsInGoodOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &lines{}
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, cli.Process{
			Args: []string{"serve"}, Stdout: out, Stderr: out,
			Environ: []string{"DISPATCHD_DATA_DIR=" + dir, "DISPATCHD_WEB__ADDRESS=127.0.0.1:0", "DISPATCHD_PORT=tcp://10.0.0.1:80"},
		})
	}()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "Ctrl-C stops it.") }, time.Minute, 10*time.Millisecond)

	token := filepath.Join(dir, "token")
	info, err := os.Stat(token)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	base := regexp.MustCompile(`http://[\d.:]+`).FindString(out.String())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/healthz", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	cancel()
	require.Zerof(t, <-ended, "%s", out)
}
