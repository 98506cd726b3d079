package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
)

func (c *commandLine) config() *cobra.Command {
	return groupCommand("config", "Inspect the configuration", configShow(c), configCheck(c), configExample(c))
}

func configShow(c *commandLine) *cobra.Command {
	var sources bool
	cmd := &cobra.Command{Use: "show", Short: "Print the effective configuration, with secrets redacted", Args: cobra.NoArgs}
	cmd.Flags().BoolVar(&sources, "sources", false, "show where each value comes from")
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load()
		if err != nil {
			return err
		}
		if sources {
			values := cfg.Values()
			rows := make([][]string, 0, len(values))
			for _, v := range values {
				rows = append(rows, []string{v.Path, fmt.Sprint(v.Value), v.Source})
			}

			return out.print(cmd.OutOrStdout(), values, textTable([]string{"KEY", "VALUE", "SOURCE"}, rows))
		}

		return out.print(cmd.OutOrStdout(), cfg, map[string]func(io.Writer) error{
			"text": func(w io.Writer) error { return cfg.Print(w, "yaml") },
		})
	}

	return cmd
}

func configCheck(c *commandLine) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the configuration as serve does, without changing anything",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.load()
			if err != nil {
				return err
			}
			service, err := app.New(cfg, c.modules)
			if err != nil {
				return err
			}
			if err := service.CheckKeys(); err != nil {
				return err
			}
			for _, v := range cfg.Unread() {
				_, err := fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s has no effect: it matches no key; the nearest is %s\n", v.Name, v.Nearest)
				if err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "The configuration is valid.")

			return err
		},
	}
}

func configExample(c *commandLine) *cobra.Command {
	return &cobra.Command{
		Use:   "example",
		Short: "Print a configuration file with every key, its default and its documentation",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return config.Example(cmd.OutOrStdout(), app.Specs(), c.modules)
		},
	}
}
