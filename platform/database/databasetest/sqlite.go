package databasetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
)

// sqliteFiles makes SQLite databases, files in the test's own folder.
type sqliteFiles struct{}

func (sqliteFiles) empty(t testing.TB) string {
	t.Helper()

	return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
}

// copied keeps the prepared files in a folder for all tests of the machine.
func (sqliteFiles) copied(t testing.TB, key string, prepare func(context.Context, string) error) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "dispatchd-test-templates")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	template := filepath.Join(dir, key+".db")
	lock := flock.New(template + ".lock")
	require.NoError(t, lock.Lock())
	defer func() { require.NoError(t, lock.Unlock()) }()
	if _, err := os.Stat(template); err != nil {
		fresh := template + ".new"
		require.NoError(t, removeAll(fresh, fresh+"-wal", fresh+"-shm"))
		require.NoError(t, prepare(t.Context(), "sqlite:"+fresh))
		require.NoError(t, os.Rename(fresh, template))
	}
	text, err := os.ReadFile(template) //nolint:gosec // made above
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "test.db")
	require.NoError(t, os.WriteFile(path, text, 0o600)) //nolint:gosec // in the folder of the test

	return "sqlite:" + path
}

func removeAll(paths ...string) error {
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}

	return nil
}
