package app

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// newOutside is the way to vendors. Its idle connections close when all that calls has stopped.
func newOutside(lc fx.Lifecycle, cfg *config.Config, c clock.Clock) (*outbound.Network, error) {
	network, err := outbound.New(config.Get[outbound.Settings](cfg, "outbound"), c)
	if err == nil {
		lc.Append(fx.StopHook(network.Stop))
	}

	return network, err
}
