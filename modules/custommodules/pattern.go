package custommodules

import (
	"regexp"
	"sync"
)

// compiledLater compiles a pattern when it is first used. Those with classes of Unicode or long counts
// would otherwise be a tenth of what a start costs.
func compiledLater(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
