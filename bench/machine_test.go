package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProcValue_ReadsTheLineOfAKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "status")
	require.NoError(t, os.WriteFile(file, []byte("Name:\tx\nVmRSS:\t   21504 kB\n"), 0o600))
	require.Equal(t, "21504 kB", procValue(file, "VmRSS"))
	require.Equal(t, int64(21504*1024), kibibytes(procValue(file, "VmRSS")))
	require.Equal(t, "unknown", procValue(file, "VmHWM"))
	require.Equal(t, "unknown", procValue(file+"-none", "VmRSS"))
	require.Zero(t, kibibytes("unknown"))
}

func TestParseCPUTime_AddsUserAndSystem(t *testing.T) {
	t.Parallel()
	line := "42 (a (b) c) S 1 42 42 0 -1 4194304 500 0 0 0 150 50 0 0 20 0 9 0 1 0 0"
	require.Equal(t, 2*time.Second, parseCPUTime(line))
	require.Zero(t, parseCPUTime(""))
}
