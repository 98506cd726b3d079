package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/cli/scaffold"
)

// TestModuleNew_IsGreenAtOnce writes two areas into a copy of this repository, one as the command
// makes it and one as docs/add-an-area.md goes on from there, and runs their tests, the boundary
// tests and their certification. They share the copy because compiling it takes longest.
func TestModuleNew_IsGreenAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, part := range []string{"go.mod", "go.sum", "cmd", "docs", "migrations", "modules", "platform"} {
		copyTree(t, filepath.Join("..", "..", part), filepath.Join(dir, part))
	}
	_, err := scaffold.Area{Dir: dir, ID: "yard_spots", Noun: "spot"}.Write()
	require.NoError(t, err)
	followTutorial(t, filepath.Join("..", "..", "docs", "add-an-area.md"), dir)

	// Built as `make static` does, what was compiled for that, or in another copy, is good for this one.
	static := []string{"CGO_ENABLED=0", "GOFLAGS=-trimpath"}
	runGo(t, dir, static, "vet", "./modules/yardspots/...", "./modules/yardchecks/...", "./cmd/...")
	runGo(t, dir, static, "test", "./modules/yardspots/...", "./modules/yardchecks/...")
	runGo(t, dir, static, "test", "./modules", "-run", "TestAreas_KeepWhatEveryAreaPromises/yard_(spots|checks)|Area_|Platform_|Contract_|Libraries_|Manifest_|Migrations_|Package_")
}

// TestModuleNew_IsGreenInARepositoryOfItsOwn does the same for a repository that imports this one.
func TestModuleNew_IsGreenInARepositoryOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	ours, err := os.ReadFile(filepath.Join(here, "go.mod"))
	require.NoError(t, err)
	theirs := "module example.com/theirs\n" + afterFirstLine(ours) +
		fmt.Sprintf("\nrequire github.com/dispatchd/dispatchd v0.0.0\nreplace github.com/dispatchd/dispatchd => %s\n", here)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(theirs), 0o600))
	copyTree(t, filepath.Join(here, "go.sum"), filepath.Join(dir, "go.sum"))

	_, err = scaffold.Area{Dir: dir, ID: "docks", Noun: "door"}.Write()
	require.NoError(t, err)
	runGo(t, dir, nil, "test", "-mod=mod", "./docks")
}

func afterFirstLine(text []byte) string {
	for i, c := range text {
		if c == '\n' {
			return string(text[i+1:])
		}
	}

	return ""
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	require.NoError(t, err)
	if info.IsDir() {
		require.NoError(t, os.CopyFS(to, os.DirFS(from)))

		return
	}
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, text, 0o600))
}

func runGo(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "go %v:\n%s", args, out)
}
