// Command areas is a dispatchd that bench measures: with the same thing once by hand and once as a resource, beside custom
// modules, and with as many further resources as AREAS_WIDE says, for starts with many operations.
package main

import (
	"cmp"
	"os"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/cli"
	"github.com/dispatchd/dispatchd/platform/module"
)

func main() {
	count, err := strconv.Atoi(cmp.Or(os.Getenv("AREAS_WIDE"), "0"))
	if err != nil {
		panic(err) // bench set it
	}
	os.Exit(cli.Main(append([]module.Module{custommodules.Module, letters(), cards()}, wide(count)...)...))
}
