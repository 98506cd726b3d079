package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/cli/internal/collector"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/module"
)

func (c *commandLine) serve() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Start the service; shuts down gracefully on Ctrl-C or SIGTERM",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			collector.Start()
			c.limitMemory(memlimit.FromCgroup)
			cfg, err := c.load()
			if err != nil {
				return err
			}
			opening, err := app.Open(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opening.Close()) }()
			options := []fx.Option{opening.Option(), app.Serving()}
			if app.Local(cfg) {
				options = []fx.Option{opening.Option(), app.Seeding(), app.Serving()}
			}
			service, err := app.New(cfg, c.modules, options...)
			if err != nil {
				return err
			}

			return runService(cmd.Context(), service, func() error {
				collector.Serve()

				return printGreeting(cmd.OutOrStdout(), cfg, service)
			})
		},
	}
}

// memoryPercent is how much of the memory of its container the service lets Go use.
const memoryPercent = 90

// limitMemory has Go collect in time when the container, whose limit is asked for, has a limit, unless GOMEMLIMIT says
// something else.
func (c *commandLine) limitMemory(container func() (uint64, error)) {
	limit, err := container()
	if err != nil || limit == 0 || limit > math.MaxInt64/memoryPercent || lookupEnv(c.process.Environ, "GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(int64(limit) * memoryPercent / 100)
}

// runService starts the service, says so, and stops it when ctx ends or its database turns out to be damaged.
func runService(ctx context.Context, service *app.App, started func() error) error {
	start, cancel := context.WithTimeout(ctx, service.StartTimeout())
	defer cancel()
	if err := service.Start(start); err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // told to stop before it had started; what had is stopped again
		}

		return err
	}
	problem := started()
	if problem == nil {
		// A start leaves as much garbage as it builds. The collector would keep that memory for
		// minutes in a service that nobody asks anything.
		debug.FreeOSMemory()
		select {
		case <-ctx.Done():
		case <-service.DB.Damaged():
			problem = database.ErrDamaged
		}
	}

	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), service.StopTimeout())
	defer cancel()

	return errors.Join(problem, service.Stop(stop))
}

// printGreeting tells a person where the service is and, on the local profile, what to try first.
func printGreeting(out io.Writer, cfg *config.Config, service *app.App) error {
	base := "http://" + service.API.Address()
	lines := []string{
		"",
		"  dispatchd " + app.Version() + " is ready.",
	}
	if service.API.Address() != "" { // a worker has none
		lines = append(lines, "", "  API   "+base, "  Docs  "+base+"/docs")
	}
	if app.Local(cfg) {
		token := filepath.Join(app.DataDir(cfg), app.TokenFile)
		lines = append(lines, "  Token "+token, "", "  Try it:", "", "  "+exampleRequest(base, token, service.Areas))
	}
	_, err := fmt.Fprintln(out, strings.Join(append(lines, "", "  Ctrl-C stops it.", ""), "\n"))

	return err
}

// exampleRequest is a line that works when it is pasted: the first example that an area brings along.
func exampleRequest(base, token string, areas []module.Module) string {
	for _, area := range areas {
		for _, example := range module.Values[demo.Example](area) {
			return example.Curl(base, token)
		}
	}

	return "curl " + base + "/"
}
