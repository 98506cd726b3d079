package modules_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

//nolint:paralleltest // certification counts goroutines first
func TestAreas_KeepWhatEveryAreaPromises(t *testing.T) {
	for _, m := range modules.All() {
		t.Run(m.ID(), func(t *testing.T) {
			moduletest.Certify(t, m.ID(), modules.All()...)
		})
	}
}

// The tests of an area fail if one of its events or error codes is never raised: see moduletest.Main.
func TestAreas_HaveTestsThatRaiseAllTheyDeclare(t *testing.T) {
	t.Parallel()
	for _, m := range modules.All() {
		folder := strings.ReplaceAll(m.ID(), "_", "")
		main := regexp.MustCompile(`moduletest\.Main(Unshared\(m, |\(m, |With\(m, (?s:.*)\)}, )` + folder + `\.Module`)
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		require.NoError(t, err)
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			found = found || main.Match(text)
		}
		require.Truef(t, found, "modules/%s: no TestMain calls moduletest.Main(m, %s.Module)", folder, folder)
	}
}
