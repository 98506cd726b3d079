package cli

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
)

type logger = *slog.Logger

// runDuring starts something, does the work, and stops it whatever the outcome.
func runDuring(ctx context.Context, start, stop func(context.Context) error, work func(context.Context) error) (err error) {
	if err = start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(context.WithoutCancel(ctx))) }()

	return work(ctx)
}

// withService builds the service without its HTTP server and does the work while its database is
// open and up to date. By options, such as fx.Populate, a command asks for further parts.
func (c *commandLine) withService(cmd *cobra.Command, work func(context.Context, *app.App) error, options ...fx.Option) error {
	service, err := c.build(options...)
	if err != nil {
		return err
	}

	return runDuring(cmd.Context(), service.Start, service.Stop, func(ctx context.Context) error {
		return work(ctx, service)
	})
}

// build makes the service of this configuration; nothing starts.
func (c *commandLine) build(options ...fx.Option) (*app.App, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, err
	}

	return app.New(cfg, c.modules, options...)
}
