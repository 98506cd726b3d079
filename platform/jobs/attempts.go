package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// fencePause is when a job is looked at again that was taken while the process was cut off.
const fencePause = time.Second

// attempts runs the attempts of all jobs of this process, and knows which run.
type attempts struct {
	log   *slog.Logger
	gate  gate
	seen  *observation
	fence *fence
	held  *ledger
}

// ofWork is what is known of the work of a kind: its area, and how it runs.
type ofWork struct {
	area  string
	rules rules
}

// run does the work of a job once, in the trace and the request of who enqueued it. It is noticed, logged if it fails, and cancelled when the
// process is cut off from the database.
func (a *attempts) run(ctx context.Context, job *rivertype.JobRow, of ofWork, work func(context.Context) error) error {
	var meta metadata
	if err := json.Unmarshal(job.Metadata, &meta); err != nil {
		return Permanent(err)
	}
	if meta.Request != "" {
		ctx = telemetry.WithRequestID(ctx, meta.Request)
	}
	ctx = context.WithValue(ctx, attemptKey{}, Attempt{
		Job: job.ID, Number: job.Attempt, Last: job.Attempt >= job.MaxAttempts, EnqueuedAt: job.CreatedAt.UTC(),
	})

	ctx, free, ok := a.fence.guard(ctx)
	if !ok {
		return Later(fencePause)
	}
	defer free()
	ctx, done := a.seen.attempt(ctx, job, meta.Trace)
	this := attemptOf{Job: job.ID, Number: job.Attempt}
	a.held.begin(this)
	err := errNoReturn
	defer func() {
		done(err)
		a.held.end(this, err)
	}()
	err = a.allowed(ctx, of, work)
	a.logFailure(ctx, err, job)

	return err
}

// allowed does the work, unless the job's company does not use the area, or is suspended.
func (a *attempts) allowed(ctx context.Context, of ofWork, work func(context.Context) error) error {
	if of.rules.gated {
		if err := a.gate.check(ctx, of.area, of.rules.queue == queueOutside); err != nil {
			return err
		}
	}
	if of.rules.together != nil {
		return of.rules.together.do(ctx, func() error { return work(ctx) })
	}

	return work(ctx)
}

// logFailure logs an attempt that failed, as an error if it was the last one.
func (a *attempts) logFailure(ctx context.Context, err error, job *rivertype.JobRow) {
	if _, later := errors.AsType[*river.JobSnoozeError](err); err == nil || later {
		return
	}
	level := slog.LevelWarn
	if _, permanent := errors.AsType[*river.JobCancelError](err); permanent || job.Attempt >= job.MaxAttempts {
		level = slog.LevelError
	}
	a.log.LogAttrs(ctx, level, "a job failed", slog.String("kind", job.Kind), slog.Int64("job", job.ID),
		slog.Int("attempt", job.Attempt), slog.Int("attempts", job.MaxAttempts), slog.Any("error", err))
}
