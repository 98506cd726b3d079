package demo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// childURL is the database that this test binary seeds, instead of running tests, until it kills
// itself on the way.
const childURL = "DISPATCHD_TEST_DEMO_CHILD"

func TestMain(m *testing.M) {
	url := os.Getenv(childURL)
	if url == "" {
		m.Run()

		return
	}
	if err := dieSeeding(context.Background(), url, os.TempDir()); err != nil {
		panic(err)
	}
}

func dieSeeding(ctx context.Context, url, dir string) error {
	p, err := open(ctx, url, dir)
	if err != nil {
		return err
	}

	return p.run(ctx, filepath.Join(dir, "token"), func() error {
		self, err := os.FindProcess(os.Getpid())

		return errors.Join(err, self.Kill(), errors.New("still alive"))
	})
}

func TestRun_KilledOnTheWayLeavesAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		dir := t.TempDir()
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), childURL+"="+url, "TMPDIR="+dir)
		out, err := child.CombinedOutput()
		require.Errorf(t, err, "%s", out)
		require.ErrorContains(t, err, "killed")
		require.NoFileExists(t, filepath.Join(dir, "token"))

		p := start(t, url)
		empty, err := p.who.Empty(t.Context())
		require.NoError(t, err)
		require.True(t, empty)
		require.NoError(t, p.run(t.Context(), filepath.Join(dir, "token"), fine))
		p.requireToken(t, filepath.Join(dir, "token"))
	})
}
