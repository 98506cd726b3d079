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
	"github.com/dispatchd/dispatchd/platform/secret"
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
			url := filepath.Join(t.TempDir(), "database_url")
			require.NoError(t, os.WriteFile(url, []byte("postgres://dispatchd@db.internal/dispatchd\n"), 0o600))
			key := filepath.Join(t.TempDir(), "master_key")
			require.NoError(t, os.WriteFile(key, []byte(secret.NewKey()+"\n"), 0o600))
			file := filepath.Join(t.TempDir(), "dispatchd.yaml")
			mounted := strings.NewReplacer("/run/secrets/database_url", url, "/run/secrets/master_key", key).Replace(string(text))
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
