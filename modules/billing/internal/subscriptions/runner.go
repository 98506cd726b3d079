package subscriptions

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// How often and how long the job of renewals runs, and on how many subscriptions it works.
const (
	// RunEvery is how often the service looks for subscriptions with something to do.
	RunEvery = 5 * time.Minute
	// runAtOnce is how many it works on before it looks again.
	runAtOnce = 500
	// runTogether is how many it works on at the same time.
	runTogether = 8
	// runFor is how long a job looks again, nearly until the next one begins.
	runFor = RunEvery - 20*time.Second
	// RunTimeout is how long a job may run.
	RunTimeout = RunEvery + time.Minute
	// retryPending is when to look again at a subscription that failed, or has a payment without a result.
	retryPending = time.Hour
)

// Run is the job that renews, charges and ends the subscriptions of all companies.
type Run struct{}

// Kind implements jobs.Args.
func (Run) Kind() string { return "billing.run" }

// Runner works on subscriptions that are due.
type Runner struct {
	renewer *Renewer
	tables  *store.Tables
	log     *slog.Logger
}

// NewRunner returns a Runner.
func NewRunner(n *Renewer, t *store.Tables, log *slog.Logger) *Runner {
	return &Runner{renewer: n, tables: t, log: log}
}

// Ran is how many subscriptions a run worked on, and how many of them failed.
type Ran struct{ Done, Failed int }

// Work is the job: it goes on until nothing is due, or the time of a job is nearly over.
func (r *Runner) Work(ctx context.Context, _ Run) error {
	for until := time.After(runFor); ; {
		last, err := r.Run(ctx)
		if err != nil || last.Done == 0 {
			return err
		}
		select {
		case <-until:
			return nil
		default:
		}
	}
}

// Run works on up to runAtOnce subscriptions that are due, each in a transaction of its own. One that fails is logged and put off, and does
// not keep others from being worked on.
func (r *Runner) Run(ctx context.Context) (n Ran, err error) {
	places, err := r.tables.Due(ctx, r.tables.Clock.Now(), runAtOnce)
	if err != nil {
		return n, err
	}
	var done, failed atomic.Int64
	var group errgroup.Group
	group.SetLimit(runTogether)
	for _, at := range places {
		group.Go(func() error {
			as := principal.AsCompany(ctx, at.CompanyID)
			failure := r.survive(func() error { return r.steps(as, at.ID) })
			if failure == nil {
				done.Add(1)

				return nil
			}
			failed.Add(1)
			r.log.ErrorContext(ctx, "subscription not advanced", "subscription", at.ID, "company", at.CompanyID, "error", failure)

			return r.tables.Postpone(as, at.ID, r.tables.Clock.Now().Add(retryPending))
		})
	}
	err = group.Wait()

	return Ran{int(done.Load()), int(failed.Load())}, err
}

// steps does what is due with a subscription. A renewal is two steps: the lock on the numbers of invoices, which all renewals wait for, is
// not held while the charge is ordered.
func (r *Runner) steps(ctx context.Context, id uuid.UUID) error {
	for range 2 {
		if more, err := r.renewer.advance(ctx, id); err != nil || !more {
			return err
		}
	}

	return nil
}

// survive has a panic about one subscription be its failure, rather than the end of the process.
func (*Runner) survive(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()

	return do()
}
