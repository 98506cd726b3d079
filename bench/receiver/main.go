// Command receiver is dispatchd with an area that takes notifications, to measure how fast they are
// acknowledged.
package main

import (
	"os"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/cli"
)

func main() { os.Exit(cli.Main(append(modules.All(), area())...)) }
