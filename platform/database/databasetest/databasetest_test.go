package databasetest_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// urls are what tests were given.
type urls struct {
	mu   sync.Mutex
	seen []string
}

func (u *urls) add(url string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = append(u.seen, url)
}

func TestEachTemplate_PreparesOnceAndEachTestHasItsOwn(t *testing.T) {
	t.Parallel()
	key := "test" + uuid.NewString()[:8]
	t.Cleanup(func() { forget(t, key) })
	var prepared, given urls
	prepare := func(_ context.Context, url string) error {
		prepared.add(url)
		if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
			return os.WriteFile(path, nil, 0o600)
		}

		return nil
	}
	copies := func(t *testing.T) {
		t.Helper()
		databasetest.EachTemplate(t, key, prepare, func(t *testing.T, url string) {
			t.Helper()
			given.add(url)
		})
	}
	t.Run("first", copies)  //nolint:paralleltest // the second finds what the first made
	t.Run("second", copies) //nolint:paralleltest // the second finds what the first made
	require.Len(t, given.seen, 2*len(prepared.seen))
	slices.Sort(given.seen)
	require.Len(t, slices.Compact(given.seen), 2*len(prepared.seen))
}

// forget drops the templates of a key.
func forget(t *testing.T, key string) {
	t.Helper()
	for _, ending := range []string{".db", ".db.lock"} {
		require.NoError(t, os.RemoveAll(filepath.Join(os.TempDir(), "dispatchd-test-templates", key+ending)))
	}
	server := os.Getenv("DISPATCHD_TEST_POSTGRES_URL")
	if server == "" {
		return
	}
	conn, err := pgx.Connect(context.WithoutCancel(t.Context()), server)
	require.NoError(t, err)
	_, err = conn.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE IF EXISTS dispatchd_template_"+key)
	require.NoError(t, err)
	require.NoError(t, conn.Close(context.WithoutCancel(t.Context())))
}

func TestEach_DropsTheDatabaseAfterwards(t *testing.T) {
	t.Parallel()
	var given urls
	t.Run("inner", func(t *testing.T) {
		databasetest.Each(t, func(t *testing.T, url string) {
			t.Helper()
			given.add(url)
		})
	})
	for _, url := range given.seen {
		if strings.HasPrefix(url, "postgres") {
			_, err := pgx.Connect(t.Context(), url)
			require.ErrorContains(t, err, "does not exist")
		}
	}
}
