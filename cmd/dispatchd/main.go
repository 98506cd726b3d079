// Command dispatchd serves the dispatch-management API.
package main

import (
	"os"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/cli"
)

func main() {
	os.Exit(cli.Main(modules.All()...))
}
