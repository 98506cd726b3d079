package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Attempt is a job as it runs.
type Attempt struct {
	// Job is the id of the job, the same on every attempt.
	Job int64
	// Number counts from 1. Last says that there will be no other if this one fails.
	Number int
	Last   bool
	// EnqueuedAt is when the transaction enqueued it.
	EnqueuedAt time.Time
}

type attemptKey struct{}

// Current returns the job that is running, and false outside of one.
func Current(ctx context.Context) (Attempt, bool) {
	a, ok := ctx.Value(attemptKey{}).(Attempt)

	return a, ok
}

// Permanent says that trying the job again is of no use: it has failed for good.
func Permanent(err error) error { return river.JobCancel(err) }

// Later runs the job again after d, without counting this as an attempt or as a failure.
func Later(d time.Duration) error { return river.JobSnooze(d) }

// worker is a kind of job as River has it.
type worker[A Args] struct {
	river.WorkerDefaults[envelope[A]]

	area     string
	rules    rules
	attempts *attempts
	work     func(context.Context, A) error
}

// Timeout implements river.Worker.
func (w *worker[A]) Timeout(*river.Job[envelope[A]]) time.Duration { return w.rules.timeout }

// Work implements river.Worker: it runs the job as its company.
func (w *worker[A]) Work(ctx context.Context, job *river.Job[envelope[A]]) error {
	ctx = database.InBackground(telemetry.WithArea(ctx, w.area))
	if job.Args.Company != nil {
		ctx = principal.With(ctx, principal.ForCompany(*job.Args.Company))
	}

	return w.attempts.run(ctx, job.JobRow, ofWork{w.area, w.rules}, func(ctx context.Context) error { return w.work(ctx, job.Args.Args) })
}

// IsPermanent reports whether err is one of Permanent.
func IsPermanent(err error) bool {
	_, is := errors.AsType[*river.JobCancelError](err)

	return is
}

// IsLater reports whether err is one of Later.
func IsLater(err error) bool {
	_, is := errors.AsType[*river.JobSnoozeError](err)

	return is
}
