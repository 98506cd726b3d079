package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/cli/scaffold"
)

var (
	// scaffolded is the command that a tutorial begins with.
	scaffolded = regexp.MustCompile(`(?m)^make module NAME=(\w+)$`)
	// completeFile is a block of a tutorial under the name of its file.
	completeFile = regexp.MustCompile("(?ms)^`([\\w./]+)`:\n\n(```+)\\w+\n(.*?)^```+$")
)

// followTutorial does in dir what a page says: it makes the area and writes the files.
func followTutorial(t *testing.T, page, dir string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	name := scaffolded.FindSubmatch(text)
	require.NotNil(t, name, "the page makes no area")
	id := string(name[1])
	_, err = scaffold.Area{Dir: dir, ID: id, Noun: scaffold.NounOf(id)}.Write()
	require.NoError(t, err)

	files := completeFile.FindAllSubmatch(text, -1)
	require.Greater(t, len(files), 5, "the page shows no files")
	for _, file := range files {
		name := filepath.Join(dir, filepath.FromSlash(string(file[1])))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, file[3], 0o600))
	}
}
