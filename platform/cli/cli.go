// Package cli is the command line of the service.
//
// A binary is a list of modules and one call:
//
//	func main() { os.Exit(cli.Main(append(modules.All(), theirs.Module)...)) }
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/pdfjoin"
)

// Main runs the command that the process was started with and returns its exit code: 0, 1 after
// an error was printed, or 2 if not even that could be. An interrupt or SIGTERM ends it in good order; a second one at once.
func Main(modules ...module.Module) int {
	pdfjoin.ServeChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	return Run(ctx, Process{Args: os.Args[1:], Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr}, modules...)
}

// Process is what a command sees of its process.
type Process struct {
	Args           []string
	Environ        []string
	Stdout, Stderr io.Writer
}

// Run is Main for a process that is given; commands that serve end when ctx does.
func Run(ctx context.Context, p Process, modules ...module.Module) int {
	c := &commandLine{process: p, modules: modules}
	root := c.root() //nolint:contextcheck // commands get theirs from ExecuteContext
	root.SetArgs(p.Args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)

	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if _, err := fmt.Fprintf(p.Stderr, "dispatchd: %s\n", strings.ReplaceAll(err.Error(), "\n", "\n  ")); err != nil {
		return 2
	}

	return 1
}

// commandLine holds what all commands share.
type commandLine struct {
	process Process
	modules []module.Module

	file    string
	dataDir string
	set     []string
}

func (c *commandLine) root() *cobra.Command {
	root := groupCommand("dispatchd", "Dispatch management for logistics and vehicle transport")
	root.Version = app.Version()
	root.SilenceUsage, root.SilenceErrors = true, true
	flags := root.PersistentFlags()
	flags.StringVar(&c.file, "config", "", "configuration file (or DISPATCHD_CONFIG)")
	flags.StringVar(&c.dataDir, "data-dir", "", "data folder (or DISPATCHD_DATA_DIR; default ./data)")
	flags.StringArrayVar(&c.set, "set", nil, "set one configuration key, as in --set web.address=:9000; may be repeated")

	root.AddCommand(
		c.serve(), c.migrate(), c.modulesCommand(), c.moduleCommand(), c.config(), c.company(), c.token(), c.demo(),
		c.audit(), c.ledger(), c.backup(), c.restore(), c.health(), c.openapi(), c.routes(), c.secret(), c.states(), c.licenses(), c.version(),
	)
	root.AddCommand(areaCommands(c)...)

	return root
}

// groupCommand is a command that only has others below it: alone it shows them, and it names the nearest
// for a word that is none of them.
func groupCommand(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				return fmt.Errorf("%s: no command %q; did you mean %q?", cmd.CommandPath(), args[0], near[0])
			}

			return fmt.Errorf("%s: no command %q; see '%s --help'", cmd.CommandPath(), args[0], cmd.CommandPath())
		},
	}
	cmd.AddCommand(commands...)

	return cmd
}

// load reads the configuration that the flags, the environment and the file make together.
func (c *commandLine) load() (*config.Config, error) {
	options := config.LoadOptions{
		Modules: c.modules,
		File:    c.file,
		Environ: c.process.Environ,
		Set:     c.set,
		Flags:   map[string]string{},
	}
	if options.File == "" {
		options.File = lookupEnv(c.process.Environ, "DISPATCHD_CONFIG")
	}
	if c.dataDir != "" {
		options.Flags["data_dir"] = c.dataDir
	}

	return app.Load(options)
}

func lookupEnv(environ []string, name string) string {
	for _, line := range environ {
		if value, found := strings.CutPrefix(line, name+"="); found {
			return value
		}
	}

	return ""
}
