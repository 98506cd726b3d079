package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/module"
)

// Command is the manifest line of a command that an area brings along, run as
// `dispatchd <area> <name>` (with dashes for the area's underscores) on the same configuration as
// the service, with the database open and up to date. T is a type of the area. Flags that are given
// stand before the other arguments, as --name=value.
func Command[T any](
	name, short string, run func(t T, ctx context.Context, out io.Writer, args []string) error, flags ...Flag,
) fx.Option {
	return module.Contribute("command", name, commandInfo{name: name, short: short, flags: flags}, func(at module.At) fx.Option {
		return module.Register(at, func(all *app.Commands, t T) error {
			return all.Add(at.Prefix, name, func(ctx context.Context, out io.Writer, args []string) error {
				return run(t, ctx, out, args)
			})
		})
	})
}

// commandInfo is what the manifest says of a command before the graph exists.
type commandInfo struct {
	name, short string
	flags       []Flag
}

// Flag is a flag of an area's command, with a text as its value.
type Flag struct {
	Name, Usage string
	// Switch says that the flag stands alone: it is true if it is given.
	Switch bool
}

// areaCommands are the commands that the modules bring along, one group an area.
func areaCommands(c *commandLine) []*cobra.Command {
	var groups []*cobra.Command
	for _, area := range c.modules {
		infos := module.Values[commandInfo](area)
		if len(infos) == 0 {
			continue
		}
		commands := make([]*cobra.Command, 0, len(infos))
		for _, info := range infos {
			commands = append(commands, c.areaCommand(area, info))
		}
		name := strings.ReplaceAll(area.Prefix(), "_", "-")
		at := slices.IndexFunc(groups, func(group *cobra.Command) bool { return group.Name() == name })
		if at >= 0 {
			groups[at].AddCommand(commands...)

			continue
		}
		groups = append(groups, groupCommand(name, c.titleOf(area.Prefix()), commands...))
	}

	return groups
}

// titleOf returns the title of an area, "" if the binary does not have it.
func (c *commandLine) titleOf(area string) string {
	at := slices.IndexFunc(c.modules, func(m module.Module) bool { return m.ID() == area })
	if at < 0 {
		return ""
	}

	return c.modules[at].Title()
}

func (c *commandLine) areaCommand(area module.Module, info commandInfo) *cobra.Command {
	command := &cobra.Command{
		Use:   info.name,
		Short: info.short,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withService(cmd, func(ctx context.Context, service *app.App) error {
				run := service.Commands.Find(area.Prefix(), info.name)
				if run == nil {
					return fmt.Errorf("area %q is off: set modules.%s.enabled", area.ID(), area.ID())
				}

				return run(ctx, cmd.OutOrStdout(), append(givenFlags(cmd, info.flags), args...))
			})
		},
	}
	for _, flag := range info.flags {
		if flag.Switch {
			command.Flags().Bool(flag.Name, false, flag.Usage)
		} else {
			command.Flags().String(flag.Name, "", flag.Usage)
		}
	}

	return command
}

// givenFlags are the flags that were given, as arguments.
func givenFlags(cmd *cobra.Command, flags []Flag) []string {
	var args []string
	for _, flag := range flags {
		if f := cmd.Flags().Lookup(flag.Name); f.Changed {
			args = append(args, "--"+flag.Name+"="+f.Value.String())
		}
	}

	return args
}
