// Package databasetest runs tests on both databases.
//
// DISPATCHD_TEST_DATABASES says on which ("sqlite,postgres" if it is not set), and
// DISPATCHD_TEST_POSTGRES_URL where a PostgreSQL is on which databases may be created. A test never
// skips silently: without the URL it fails and says what to do.
package databasetest

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	databasesVariable = "DISPATCHD_TEST_DATABASES"
	urlVariable       = "DISPATCHD_TEST_POSTGRES_URL"
)

// server is a kind of database on which tests run.
type server interface {
	// empty makes an empty database and returns its URL.
	empty(t testing.TB) string
	// copied makes a copy of the database that prepare has prepared once for key.
	copied(t testing.TB, key string, prepare func(ctx context.Context, url string) error) string
}

// Each runs test as the subtests "sqlite" and "postgres", in parallel, each with the URL of an empty
// database of its own that is dropped afterwards.
func Each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	each(t, func(t *testing.T, s server) {
		t.Helper()
		t.Parallel()
		test(t, s.empty(t))
	})
}

// Sequential is Each without running in parallel, for tests that count goroutines.
func Sequential(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	each(t, func(t *testing.T, s server) {
		t.Helper()
		test(t, s.empty(t))
	})
}

// EachTemplate is Each with a copy of a database that prepare prepares once for a key. A key is up
// to 40 letters and digits, and changes with what prepare does.
func EachTemplate(
	t *testing.T, key string, prepare func(ctx context.Context, url string) error, test func(t *testing.T, url string),
) {
	t.Helper()
	EachCopy(t, key, prepare, func(t *testing.T, copied func(testing.TB) string) {
		t.Helper()
		test(t, copied(t))
	})
}

// EachCopy is EachTemplate for tests that may do without a copy: one is made when copied is called, for as long as what it is
// given runs.
func EachCopy(
	t *testing.T, key string, prepare func(ctx context.Context, url string) error,
	test func(t *testing.T, copied func(testing.TB) string),
) {
	t.Helper()
	each(t, func(t *testing.T, s server) {
		t.Helper()
		t.Parallel()
		test(t, func(t testing.TB) string {
			t.Helper()

			return s.copied(t, key, prepare)
		})
	})
}

func each(t *testing.T, test func(t *testing.T, s server)) {
	t.Helper()
	for _, name := range databases() {
		switch name {
		case "sqlite":
			t.Run("sqlite", func(t *testing.T) { test(t, sqliteFiles{}) })
		case "postgres":
			t.Run("postgres", func(t *testing.T) { test(t, postgresServer{url: postgresURL(t)}) })
		default:
			t.Fatalf("%s: %q: want sqlite, postgres or both", databasesVariable, name)
		}
	}
}

// databases are those on which tests run.
func databases() []string {
	names := strings.Split(cmp.Or(os.Getenv(databasesVariable), "sqlite,postgres"), ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}

	return names
}

// HasPostgres reports whether tests run on PostgreSQL, alone or besides.
func HasPostgres() bool { return slices.Contains(databases(), "postgres") }

func postgresURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv(urlVariable)
	if url == "" {
		t.Fatalf("no PostgreSQL: run 'make test', which starts one, set %s, or run 'make test-sqlite'", urlVariable)
	}

	return url
}
