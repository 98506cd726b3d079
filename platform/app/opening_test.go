package app_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

func TestOpen_OpensForTheServiceAndLetsGoWithoutOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg, err := app.Load(config.LoadOptions{Set: []string{"data_dir=" + dir, "web.address=127.0.0.1:0"}})
	require.NoError(t, err)
	begin := func() *app.Opening {
		opening, err := app.Open(t.Context(), cfg)
		require.NoError(t, err)

		return opening
	}

	opening := begin()
	_, err = app.New(cfg, nil, opening.Option(), app.Serving(), fx.Invoke(func() error { return errors.New("built wrong") }))
	require.ErrorContains(t, err, "built wrong")
	require.NoError(t, opening.Close())

	opening = begin()
	service, err := app.New(cfg, nil, opening.Option(), app.Serving())
	require.NoError(t, err)
	require.NoError(t, service.Start(t.Context()))
	require.NoError(t, service.DB.Ping(t.Context()))
	copied := filepath.Join(dir, "copy.db")
	require.NoError(t, service.DB.Backup(t.Context(), copied, false))
	require.NoError(t, service.Stop(t.Context()))
	require.NoError(t, opening.Close())
	_, err = service.DB.Restore(t.Context(), copied, true, func(context.Context, *database.DB) error { return nil })
	require.NoError(t, err, "nobody has the file any more")
}

func TestOpen_SaysWhatStartWould(t *testing.T) {
	t.Parallel()
	cfg, err := app.Load(config.LoadOptions{Set: []string{"data_dir=" + t.TempDir(), "database.url=sqlite:/dev/null/x.db", "web.address=127.0.0.1:0"}})
	require.NoError(t, err)
	opening, err := app.Open(t.Context(), cfg)
	require.NoError(t, err)
	service, err := app.New(cfg, nil, opening.Option(), app.Serving())
	require.NoError(t, err)
	require.ErrorContains(t, service.Start(t.Context()), "opening the database: ")
	require.NoError(t, opening.Close())
}
