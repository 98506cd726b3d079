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

	runGo(t, dir, "test", "-vet=all", "./modules/yardspots/...", "./modules/yardchecks/...")
	runGo(t, dir, "test", "-vet=off", "./modules", "-run", "TestAreas_KeepWhatEveryAreaPromises/yard_(spots|checks)|Area_|Platform_|Contract_|Libraries_|Manifest_|Migrations_|Package_")
}

// TestModuleNew_IsGreenInARepositoryOfItsOwn does the same for a repository that imports this one.
func TestModuleNew_IsGreenInARepositoryOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	ours, err := os.ReadFile(filepath.Join(here, "go.mod"))
	require.NoError(t, err)
	theirs := "module example.com/theirs\n" + afterFirstLine(ours)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(theirs), 0o600))
	copyTree(t, filepath.Join(here, "go.sum"), filepath.Join(dir, "go.sum"))
	workspace := fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%s\n)\n", here)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.work"), []byte(workspace), 0o600))

	_, err = scaffold.Area{Dir: dir, ID: "docks", Noun: "door"}.Write()
	require.NoError(t, err)
	runGo(t, dir, "test", "-vet=all", "./docks")
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

// runGo compiles as `make test` does: without paths in them, packages that were compiled elsewhere are good here too.
func runGo(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{args[0], "-ldflags=-s -w"}, args[1:]...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath")
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "go %v:\n%s", args, out)
}
