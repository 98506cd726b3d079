package app_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
)

// yards is an area with a listener and a purpose of links.
type yards struct{ told chan int }

func (y *yards) changed(key int) { y.told <- key }
func (y *yards) all()            { y.told <- 0 }

const yardChanged broadcast.Topic[int] = "yards.yard"

func TestManifest_LinesOfBroadcastAndLinkReachTheirRegistries(t *testing.T) {
	t.Parallel()
	area := &yards{told: make(chan int, 2)}
	build := func(purpose link.Purpose) error {
		m := module.New("yards", "Yards",
			fx.Provide(func(*slog.Logger) *yards { return area }, fx.Private),
			broadcast.On(yardChanged, (*yards).changed, (*yards).all),
			link.Declare(purpose, link.Rules{Life: time.Hour}),
		)
		cfg, err := app.Load(config.LoadOptions{Modules: []module.Module{m}, Set: []string{"data_dir=" + t.TempDir(), "log.level=error"}})
		require.NoError(t, err)
		var bus *broadcast.Bus
		service, err := app.New(cfg, []module.Module{m}, fx.Populate(&bus))
		if err != nil {
			return err
		}
		require.NoError(t, service.Start(t.Context()))
		require.NoError(t, broadcast.Publish(t.Context(), bus, yardChanged, 7))
		require.NoError(t, service.Stop(t.Context()))

		return nil
	}
	err := build("yards.gate")
	require.NoError(t, err)
	require.Equal(t, 7, <-area.told)
	err = build("loads.share")
	require.ErrorContains(t, err, `want a name that begins with "yards."`)
}
