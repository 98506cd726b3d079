package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/secret"
)

func TestStart_MakesAMasterKeyOnSQLiteAndAsksForOneOnPostgreSQL(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "data")
		start := func(set ...string) error {
			cfg, err := app.Load(config.LoadOptions{Set: append(set, "database.url="+url, "data_dir="+dir, "log.level=error")})
			require.NoError(t, err)
			service, err := app.New(cfg, nil)
			require.NoError(t, err)
			if err := service.Start(t.Context()); err != nil {
				return err
			}

			return service.Stop(context.WithoutCancel(t.Context()))
		}
		if strings.HasPrefix(url, "postgres") {
			require.ErrorContains(t, start(), "dispatchd secret new")
			file := filepath.Join(t.TempDir(), "key")
			require.NoError(t, os.WriteFile(file, []byte(secret.NewKey()+"\n"), 0o600))
			require.NoError(t, start("secret.key=file:"+file))
			require.ErrorContains(t, start("secret.key="+secret.NewKey()), "is not the master key of this database")

			return
		}
		require.NoError(t, start())
		key, err := os.ReadFile(filepath.Join(dir, secret.FileName))
		require.NoError(t, err)
		require.NoError(t, start())
		again, err := os.ReadFile(filepath.Join(dir, secret.FileName))
		require.NoError(t, err)
		require.Equal(t, key, again)
		require.NoError(t, os.Remove(filepath.Join(dir, secret.FileName)))
		require.ErrorContains(t, start(), "is not the master key of this database", "a lost key is not replaced in silence")
	})
}
