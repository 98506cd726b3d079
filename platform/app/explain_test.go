package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/module"
)

// gate needs a bell that nobody makes.
type (
	bell struct{}
	gate struct{ bell *bell }
)

func newGate(b *bell) *gate { return &gate{bell: b} }

func TestNew_SaysWhichConstructorIsMissing(t *testing.T) {
	t.Parallel()
	m := module.New("gates", "Gates", fx.Provide(newGate, fx.Private), fx.Invoke(func(*gate) {}))
	cfg, err := app.Load(config.LoadOptions{Modules: []module.Module{m}, Set: []string{"data_dir=" + t.TempDir(), "log.level=error"}})
	require.NoError(t, err)
	_, err = app.New(cfg, []module.Module{m})
	require.ErrorContains(t, err, "building the service: missing dependencies for function")
	require.ErrorContains(t, err, "missing type: *app_test.bell: is what makes it in fx.Provide of the area's manifest?")
}
