package moduletest

import (
	"strconv"
	"sync/atomic"
)

// issued counts the numbers that USDOT has returned.
var issued atomic.Int64

// USDOT returns a USDOT number that no other call returned. Without an imported census, nothing is known of it, so that a carrier with it can have loads.
func USDOT() string {
	const first = 1_000_000

	return strconv.FormatInt(first+issued.Add(1), 10)
}
