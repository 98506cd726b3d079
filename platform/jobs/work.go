package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

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

// fencePause is when a job is looked at again that was taken while the process was cut off.
const fencePause = time.Second

// worker is a kind of job as River has it.
type worker[A Args] struct {
	river.WorkerDefaults[envelope[A]]

	area  string
	log   *slog.Logger
	gate  *gate
	seen  *observation
	fence *fence
	held  *ledger
	work  func(context.Context, A) error
	rules rules
}

// Timeout implements river.Worker.
func (w *worker[A]) Timeout(*river.Job[envelope[A]]) time.Duration { return w.rules.timeout }

// Work implements river.Worker: it runs the job as its company.
func (w *worker[A]) Work(ctx context.Context, job *river.Job[envelope[A]]) error {
	ctx = database.InBackground(telemetry.WithArea(ctx, w.area))
	var meta metadata
	if err := json.Unmarshal(job.Metadata, &meta); err != nil {
		return Permanent(err)
	}
	if meta.Request != "" {
		ctx = telemetry.WithRequestID(ctx, meta.Request)
	}
	if job.Args.Company != nil {
		ctx = principal.With(ctx, principal.ForCompany(*job.Args.Company))
	}
	ctx = context.WithValue(ctx, attemptKey{}, Attempt{
		Job: job.ID, Number: job.Attempt, Last: job.Attempt >= job.MaxAttempts, EnqueuedAt: job.CreatedAt.UTC(),
	})

	ctx, free, ok := w.fence.guard(ctx)
	if !ok {
		return Later(fencePause)
	}
	defer free()
	ctx, done := w.seen.attempt(ctx, job.JobRow, meta.Trace)
	this := attemptOf{Job: job.ID, Number: job.Attempt}
	w.held.begin(this)
	err := errNoReturn
	defer func() {
		done(err)
		w.held.end(this, err)
	}()
	err = w.attempt(ctx, job.Args.Args)
	w.logFailure(ctx, err, job.JobRow)

	return err
}

// attempt does the work, unless the job's company does not use the area, or is suspended.
func (w *worker[A]) attempt(ctx context.Context, args A) error {
	if w.rules.gated {
		if err := w.gate.check(ctx, w.area, w.rules.queue == queueOutside); err != nil {
			return err
		}
	}

	if w.rules.together != nil {
		return w.rules.together.do(ctx, func() error { return w.work(ctx, args) })
	}

	return w.work(ctx, args)
}

// logFailure logs an attempt that failed, as an error if it was the last one.
func (w *worker[A]) logFailure(ctx context.Context, err error, job *rivertype.JobRow) {
	if _, later := errors.AsType[*river.JobSnoozeError](err); err == nil || later {
		return
	}
	level := slog.LevelWarn
	if _, permanent := errors.AsType[*river.JobCancelError](err); permanent || job.Attempt >= job.MaxAttempts {
		level = slog.LevelError
	}
	w.log.LogAttrs(ctx, level, "a job failed", slog.String("kind", job.Kind), slog.Int64("job", job.ID),
		slog.Int("attempt", job.Attempt), slog.Int("attempts", job.MaxAttempts), slog.Any("error", err))
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
