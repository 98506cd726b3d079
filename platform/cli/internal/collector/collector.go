// Package collector sets how often garbage is collected, unless GOGC in the environment does.
//
// Its import does so already: it comes before most of the libraries make their tables, of which a program that starts would
// else have looked through its memory several times (the order is that of the import paths, as the language has it).
package collector

import (
	"os"
	"runtime/debug"
)

// By how many percent of what lives the heap grows before it is collected.
const (
	// loading leaves out the libraries, whose tables stay.
	loading = 400
	// starting is for a service that starts: most of what that makes stays, and what does not is given back to the system after it.
	starting = 800
	// serving is twice Go's own. So little lives in a service that it would spend an eighth of its time on collecting.
	serving = 200
)

func init() { collectAt(loading) } //nolint:gochecknoinits // nothing else comes before the libraries

// Start is called when a service starts.
func Start() { collectAt(starting) }

// Serve is called once it has started.
func Serve() { collectAt(serving) }

func collectAt(growth int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
}
