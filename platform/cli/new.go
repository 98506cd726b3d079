package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/cli/scaffold"
)

func (c *commandLine) moduleCommand() *cobra.Command {
	return groupCommand("module", "Generate areas", moduleNew())
}

func moduleNew() *cobra.Command {
	area := scaffold.Area{Dir: "."}
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Generate a new area: its files, migration, tests and documentation, and its line in modules.go",
		Long: "Writes a new area below the working folder, which is the top of this repository or of one of your\n" +
			"own. NAME is the area's id, as in yard_spots. The result compiles and passes its tests.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			area.ID = args[0]
			if area.Noun == "" {
				area.Noun = scaffold.NounOf(area.ID)
			}
			written, err := area.Write()
			if err != nil {
				return err
			}
			for _, name := range written {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), name); err != nil {
					return err
				}
			}

			return nil
		},
	}
	cmd.Flags().StringVar(&area.Noun, "noun", "", "singular name of the area's items (default: from NAME, as spot from yard_spots)")
	cmd.Flags().StringVar(&area.Fields, "fields", "", "fields of an item, such as \"code:text! odometer:integer spot:yard.spot\"; ! is required "+
		"(default: "+scaffold.DefaultFields+")")
	cmd.Flags().StringVar(&area.Title, "title", "", "one-line description of the area (default: from NAME)")

	return cmd
}
