package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/secret"
)

func (c *commandLine) secret() *cobra.Command {
	return group("secret", "The master key of this deployment", &cobra.Command{
		Use:   "new",
		Short: "Print a new master key, for secret.key; nothing is stored",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), secret.NewKey())

			return err
		},
	})
}
