package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/secret"
)

func (c *commandLine) secret() *cobra.Command {
	return groupCommand("secret", "Manage the keys that encrypt stored secrets", newKey(), secretStatus(c), secretRotate(c), secretRetire(c))
}

func newKey() *cobra.Command {
	return &cobra.Command{
		Use:   "new",
		Short: "Print a new master key for secret.key, without storing it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), secret.NewKey())

			return err
		},
	}
}

func secretStatus(c *commandLine) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the keys, and how many values each encrypts",
		Args:  cobra.NoArgs,
	}
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var rotation *secret.Rotation

		return c.withService(cmd, func(ctx context.Context, _ *app.App) error {
			keys, err := rotation.Status(ctx)
			if err != nil {
				return err
			}
			rows := make([][]string, 0, len(keys))
			for _, k := range keys {
				rows = append(rows, []string{
					k.ID, k.Kind, k.State, strconv.FormatInt(k.Values, 10), formatTime(&k.CreatedAt), formatTime(&k.PrimaryFrom), strings.Join(k.Masters, ","),
				})
			}

			return out.print(cmd.OutOrStdout(), keys, textTable([]string{"KEY", "KIND", "STATE", "VALUES", "CREATED", "PRIMARY FROM", "UNDER"}, rows))
		}, fx.Populate(&rotation))
	}

	return cmd
}

func secretRotate(c *commandLine) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Create a new data key; a job re-encrypts existing values with it",
		Args:  cobra.NoArgs,
	}
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var rotation *secret.Rotation

		return c.withService(cmd, func(ctx context.Context, _ *app.App) error {
			made, err := rotation.Rotate(ctx)
			if err != nil {
				return err
			}

			return out.print(cmd.OutOrStdout(), made, textTable([]string{"KEY", "PRIMARY FROM"}, [][]string{{made.ID, formatTime(&made.PrimaryFrom)}}))
		}, fx.Populate(&rotation))
	}

	return cmd
}

func secretRetire(c *commandLine) *cobra.Command {
	return &cobra.Command{
		Use:   "retire KEY",
		Short: "Delete a former key for good, if it no longer encrypts any value",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var rotation *secret.Rotation

			return c.withService(cmd, func(ctx context.Context, _ *app.App) error {
				if err := rotation.Retire(ctx, args[0]); err != nil {
					return err
				}

				return printLines(cmd.OutOrStdout(), "Retired "+args[0]+".")
			}, fx.Populate(&rotation))
		},
	}
}
