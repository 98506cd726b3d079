package privatefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/privatefile"
)

func TestWrite_LeavesTheWholeFileOrTheOldOneAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "er")
	path := filepath.Join(dir, "key")
	require.NoError(t, privatefile.WriteText(path, "first", privatefile.KeepOld))
	require.NoError(t, privatefile.WriteText(path, "second", privatefile.KeepOld))
	requireOnly(t, path, "first\n")
	require.NoError(t, privatefile.WriteText(path, "third", privatefile.Replace))
	requireOnly(t, path, "third\n")

	broken := errors.New("broken")
	require.ErrorIs(t, privatefile.Write(path, privatefile.Replace, func(string) error { return broken }), broken)
	require.ErrorIs(t, privatefile.Write(path, func(string, string) error { return broken }, func(temp string) error {
		return os.WriteFile(temp, []byte("fourth"), 0o600)
	}), broken)
	requireOnly(t, path, "third\n")
}

// requireOnly requires that a folder has one file, with that text, which nobody else can read.
func requireOnly(t *testing.T, path, text string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err := files[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, string(data))
}

func TestWrite_RemovesWhatAKilledProcessLeftAndLeavesTheLivingAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "copy.db")
	for _, left := range []string{".copy.db-123", ".copy.db-123-wal", ".copy.db-123.lock", ".copy.db-notes"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, left), []byte("left"), 0o600))
	}
	require.NoError(t, privatefile.Write(path, privatefile.Replace, func(temp string) error {
		require.NoError(t, privatefile.RemoveLeft(path))
		require.FileExists(t, temp)

		return os.WriteFile(temp, []byte("whole"), 0o600)
	}))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, ".copy.db-notes", entries[0].Name(), "it is somebody else's")
	require.Equal(t, "copy.db", entries[1].Name())
}

func TestWrite_SucceedsWhileOthersWriteTheSameFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 50 {
				if err := privatefile.WriteText(path, "whole", privatefile.Replace); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	requireOnly(t, path, "whole\n")
}
