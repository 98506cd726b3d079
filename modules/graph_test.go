package modules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
)

func TestProfiles_BuildTheServiceTheyDescribe(t *testing.T) {
	t.Parallel()
	profiles, err := filepath.Glob(filepath.Join("..", "config", "profiles", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, profiles)
	for _, profile := range profiles {
		t.Run(filepath.Base(profile), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(profile)
			require.NoError(t, err)
			secret := filepath.Join(t.TempDir(), "database_url")
			require.NoError(t, os.WriteFile(secret, []byte("postgres://dispatchd@db.internal/dispatchd\n"), 0o600))
			file := filepath.Join(t.TempDir(), "dispatchd.yaml")
			mounted := strings.ReplaceAll(string(text), "/run/secrets/database_url", secret)
			require.NoError(t, os.WriteFile(file, []byte(mounted), 0o600))

			cfg, err := app.Load(config.LoadOptions{Modules: modules.All(), File: file})
			require.NoError(t, err)
			require.False(t, app.Local(cfg), "a deployment is never seeded")
			_, err = app.New(cfg, modules.All(), app.Serving())
			require.NoError(t, err)
		})
	}
}

func TestModules_AreListedInOrder(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, m := range modules.All() {
		ids = append(ids, m.ID())
	}
	require.True(t, slices.IsSorted(ids), "%v", ids)
}

func TestConfig_DocumentsEveryKey(t *testing.T) {
	t.Parallel()
	require.NoError(t, config.CheckDocs(app.Specs(), modules.All()))
}
