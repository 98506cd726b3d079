// Command yardline is dispatchd with an area of its own: the areas that dispatchd ships, and docks.
package main

import (
	"os"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/cli"

	"example.com/yardline/docks"
)

func main() {
	os.Exit(cli.Main(append(modules.All(), docks.Module)...))
}
