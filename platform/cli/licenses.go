package cli

import (
	"embed"

	"github.com/spf13/cobra"
)

// The licences and notices of what is linked into the binary, which tools/licenses collects.
//
//go:embed licenses/third-party.txt
var licenseFiles embed.FS

func (c *commandLine) licenses() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of the libraries in this program",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := licenseFiles.ReadFile("licenses/third-party.txt")
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)

			return err
		},
	}
}
