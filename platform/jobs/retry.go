package jobs

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/riverqueue/river/rivertype"

	"github.com/dispatchd/dispatchd/platform/clock"
)

const longestWait = 24 * time.Hour

// backoff says when a job that failed is tried again.
type backoff struct {
	first time.Duration
	clock clock.Clock
}

// NextRetry implements river.ClientRetryPolicy. A tenth either way is chance, so that jobs that
// failed together do not meet again.
func (b backoff) NextRetry(job *rivertype.JobRow) time.Time {
	return b.after(len(job.Errors) + 1)
}

// after is when a job is tried again after its nth failure.
func (b backoff) after(n int) time.Time {
	wait := b.wait(n)

	return b.clock.Now().Add(wait - wait/10 + rand.N(wait/5+1)) //nolint:gosec // no secret
}

// wait is the pause after the nth failure.
func (b backoff) wait(n int) time.Duration {
	return time.Duration(min(float64(b.first)*math.Pow(float64(n), 4), float64(longestWait)))
}
