package app

import (
	"context"
	"fmt"
	"io"
)

// RunCommand does the work of a command: it prints to out and may take arguments.
type RunCommand func(ctx context.Context, out io.Writer, args []string) error

// Commands is the registry of the commands that areas bring along. The cli package fills and reads
// it.
type Commands struct {
	run map[string]RunCommand
}

func newCommands() *Commands { return &Commands{run: map[string]RunCommand{}} }

// Add enters a command of an area. A name is used once in an area.
func (c *Commands) Add(area, name string, run RunCommand) error {
	key := area + " " + name
	if _, taken := c.run[key]; taken {
		return fmt.Errorf("command %q is declared twice", name)
	}
	c.run[key] = run

	return nil
}

// Find returns the command of an enabled area, nil if there is none.
func (c *Commands) Find(area, name string) RunCommand { return c.run[area+" "+name] }
