package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// healthTime is how long the service may take to answer.
const healthTime = 5 * time.Second

func (c *commandLine) health() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Check whether the service of this configuration on this machine is ready; fails if it is not",
		Args:  cobra.NoArgs,
	}
	live := cmd.Flags().Bool("live", false, "check only that the process responds, not its database")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load()
		if err != nil {
			return err
		}
		base, err := localAddress(cfg)
		if err != nil {
			return err
		}
		path := "/readyz"
		if *live || !servesRequests(cfg) {
			path = "/healthz"
		}

		return ask(cmd.Context(), base+path)
	}

	return cmd
}

// servesRequests reports whether a process of this configuration answers requests. One that does not has
// only the address of its metrics, where nothing knows whether it is ready.
func servesRequests(cfg *config.Config) bool {
	return slices.Contains(config.Get[app.Settings](cfg, "").Roles, app.API)
}

// localAddress returns where a process of this configuration is reached from its own machine.
func localAddress(cfg *config.Config) (string, error) {
	key, address := "web.address", config.Get[web.Settings](cfg, "web").Address
	if !servesRequests(cfg) {
		key, address = "metrics.address", config.Get[telemetry.MetricsSettings](cfg, "metrics").Address
	}
	if address == "" {
		return "", errors.New(`a process without the role "api" is asked at metrics.address, which is not set`)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	if port == "0" {
		return "", fmt.Errorf("%s has port 0, so the actual port is unknown", key)
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}

	return "http://" + net.JoinHostPort(host, port), nil
}

func ask(ctx context.Context, url string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}

	return nil
}
