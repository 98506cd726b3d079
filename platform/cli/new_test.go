package cli_test

import (
	"io/fs"
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

	vet := "-vet=all"
	if testing.Short() {
		vet = "-vet=off" // it reads the sources of every dependency
	}
	runGo(t, dir, "test", vet, "./modules/yardspots/...", "./modules/yardchecks/...")
	runGo(t, dir, "test", "-vet=off", "./modules", "-run", "TestAreas_KeepWhatEveryAreaPromises/yard_(spots|checks)|Area_|Platform_|Contract_|Libraries_|Manifest_|Migrations_|Package_")
}

// TestModuleNewElsewhere_WritesTheExample has the area that examples/external tests and lints be what the command
// writes there today.
func TestModuleNewElsewhere_WritesTheExample(t *testing.T) {
	t.Parallel()
	dir, example := t.TempDir(), filepath.Join("..", "..", "examples", "external")
	copyTree(t, filepath.Join(example, "go.mod"), filepath.Join(dir, "go.mod"))
	_, err := scaffold.Area{Dir: dir, ID: "docks", Noun: "door"}.Write()
	require.NoError(t, err)
	require.Equal(t, filesOf(t, filepath.Join(dir, "docks")), filesOf(t, filepath.Join(example, "docks")),
		"write it anew: rm -r docks && dispatchd module new docks --noun door")
}

// filesOf returns the texts of the files under a folder, by their names.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, texts := os.DirFS(dir), map[string]string{}
	require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		texts[name] = string(text)

		return err
	}))

	return texts
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
