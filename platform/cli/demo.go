package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/module"
)

func (c *commandLine) demo() *cobra.Command {
	return groupCommand("demo", "The demo company", c.demoWalk())
}

func (c *commandLine) demoWalk() *cobra.Command {
	var url, token string
	cmd := &cobra.Command{
		Use: "walk", Short: "Do what the areas show, from the beginning to the end, on the running service; it adds to the company's data", Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&url, "url", "", "address of the service; by default that of this configuration on this machine")
	cmd.Flags().StringVar(&token, "token-file", "", "file with a token of the company; by default that of the demo company")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load()
		if err != nil {
			return err
		}
		if url == "" {
			if url, err = localAddress(cfg); err != nil {
				return err
			}
		}
		if token == "" {
			token = filepath.Join(app.DataDir(cfg), app.TokenFile)
		}
		secret, err := os.ReadFile(token) //nolint:gosec // the person at the terminal names it
		if err != nil {
			return err
		}
		taken := 0
		for _, area := range c.modules {
			for _, walk := range module.Values[demo.Walk](area) {
				now := time.Now() //nolint:forbidigo // the clock of the person at the terminal
				if err := walk.Take(cmd.Context(), strings.TrimSuffix(url, "/"), strings.TrimSpace(string(secret)), now, cmd.OutOrStdout()); err != nil {
					return fmt.Errorf("%s: %w", area.ID(), err)
				}
				taken++
			}
		}
		if taken == 0 {
			return errors.New("no area has a walk")
		}

		return nil
	}

	return cmd
}
