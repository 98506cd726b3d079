package inbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

const (
	// longestError is how much of an error is kept, in bytes.
	longestError = 1000
	// spareAttempts are those of the job that a process may die in, beyond inbound.attempts.
	spareAttempts = 3
	// failTime is how long writing down a failure may take, when the time of the job is over.
	failTime = 10 * time.Second
)

// processArgs are the job that processes a delivery.
type processArgs struct {
	Delivery uuid.UUID `json:"delivery"`
}

// Kind implements jobs.Args.
func (processArgs) Kind() string { return "inbound.process" }

// enqueue enqueues the jobs of deliveries.
func (in *Inbox) enqueue(ctx context.Context, ids ...uuid.UUID) error {
	list := make([]jobs.Job, len(ids))
	for i, id := range ids {
		list[i] = jobs.Job{Args: processArgs{Delivery: id}, Options: []jobs.Option{jobs.Attempts(in.settings.Attempts + spareAttempts)}}
	}

	return in.queue.EnqueueMany(ctx, list...)
}

// process does that job. A delivery that is not received any more needs none.
func (in *Inbox) process(ctx context.Context, args processArgs) error {
	r, err := in.rows.find(ctx, args.Delivery)
	if errors.Is(err, ErrDelivery) || err == nil && r.State != Received {
		return nil
	}
	if err != nil {
		return err
	}
	k, here := in.kinds[r.Kind]
	if !here {
		return in.failed(ctx, r, fmt.Errorf("unknown kind %q in this process", r.Kind))
	}
	ctx = telemetry.WithArea(ctx, k.area)
	if used, err := in.uses(ctx, k.area); err != nil {
		return err
	} else if !used {
		return jobs.Later(in.pause)
	}
	err = in.attempt(ctx, k, r)
	if err == nil || jobs.IsLater(err) {
		return err
	}

	return in.failed(ctx, r, err)
}

// uses reports whether the principal's company uses an area.
func (in *Inbox) uses(ctx context.Context, area string) (bool, error) {
	who, _ := principal.From(ctx)
	if in.gate == nil {
		return true, nil
	}

	return in.gate.Allows(ctx, who.Company, area)
}

// attempt has the area process a delivery, in the transaction that says so: whoever is second waits for
// that, and finds nothing to do.
func (in *Inbox) attempt(ctx context.Context, k *receiver, r row) (err error) {
	defer func() {
		if p := recover(); p != nil {
			in.log.LogAttrs(ctx, slog.LevelError, "a processor panicked", slog.String("kind", k.name),
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			err = errPanic
		}
	}()
	n, kept, err := in.request(ctx, r.ID)
	if err != nil {
		return err
	}
	if !kept {
		return jobs.Permanent(ErrBodyGone)
	}

	return in.db.InTx(ctx, func(ctx context.Context) error {
		first, err := in.rows.end(ctx, r.ID, Processed, in.clock.Now())
		if err != nil || !first {
			return err
		}
		err = k.process(ctx, r.delivery(n))
		if ignored, ok := errors.AsType[*ignoredError](err); ok {
			return in.rows.markIgnored(ctx, r.ID, storableText(ignored.reason))
		}

		return err
	})
}

// failed notes an attempt that failed, the last one as the end of the delivery.
func (in *Inbox) failed(ctx context.Context, r row, problem error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), failTime)
	defer cancel()
	attempt, _ := jobs.Current(ctx)
	to := Received
	if jobs.IsPermanent(problem) || attempt.Number >= in.settings.Attempts {
		to = Failed
	}
	err := in.db.InTx(ctx, func(ctx context.Context) error { return in.rows.fail(ctx, r.ID, to, storableText(problem.Error())) })
	switch {
	case err != nil:
		return errors.Join(problem, err)
	case to == Failed && !jobs.IsPermanent(problem):
		return jobs.Permanent(problem)
	default:
		return problem
	}
}

// storableText is a text that both databases can keep.
func storableText(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "")
	if len(text) > longestError {
		text = strings.ToValidUTF8(text[:longestError], "") + "…"
	}

	return text
}
