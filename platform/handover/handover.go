// Package handover gives something to a vendor at most once, though processes die and answers are lost: an area commits that it is
// about to call, calls, and commits what came of it. Where no outcome was committed, the next run asks the vendor instead of calling
// again. See docs/handover.md.
package handover

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// Flow hands over things of one sort. R are the area's reasons of failures, C is a begun call as the area has it, and A what the
// vendor answers to one that it accepts.
type Flow[R vendorerror.Reason, C, A any] struct {
	DB     *database.DB
	Policy func(c C) Policy
	// Call calls the vendor, outside of a transaction and within Policy.Timeout.
	Call func(ctx context.Context, c C) (A, error)
	// Find asks the vendor about a call whose outcome was not committed, likewise; nil if no vendor can be asked. The result is what the
	// vendor says (Found, NoAnswer), the error anything else, which fails the job.
	Find func(ctx context.Context, c C) (Result[R, A], error)
	// Finish stores the outcome in a transaction, as Result.Next decides for the rows as they are by then, and returns for how long the
	// job has to wait. An outcome that was stored already, by a notification that was faster, stays.
	Finish func(ctx context.Context, c C, r Result[R, A]) (wait time.Duration, err error)
	// Failed is called after Finish, outside of the transaction, with why a call was not accepted: accounts note credentials that are
	// refused. It may be nil.
	Failed func(ctx context.Context, c C, err error) error
}

// Run calls, or asks where an earlier run has called, and commits what came of it. The area has committed before that it is about to
// call; until Policy.InFlight has passed, another run must not come here.
func (f Flow[R, C, A]) Run(ctx context.Context, c C, called bool) error {
	result, err := f.outcome(ctx, c, called)
	if err != nil {
		return err
	}
	if policy := f.Policy(c); called && result.limited(policy) {
		return jobs.Later(max(result.Err.RetryAfter, policy.patience()))
	}

	return f.Commit(ctx, c, result)
}

// Commit commits the outcome of a call.
func (f Flow[R, C, A]) Commit(ctx context.Context, c C, r Result[R, A]) error {
	var wait time.Duration
	err := f.DB.InTx(ctx, func(ctx context.Context) (err error) {
		wait, err = f.Finish(ctx, c, r)

		return err
	})
	if err == nil && r.Err != nil && f.Failed != nil {
		err = f.Failed(ctx, c, r.Err)
	}

	return RetryAfter(wait, err)
}

func (f Flow[R, C, A]) outcome(ctx context.Context, c C, called bool) (Result[R, A], error) {
	ctx, cancel := context.WithTimeout(ctx, f.Policy(c).Timeout)
	defer cancel()
	switch {
	case !called:
		return CallResult[R](f.Call(ctx, c)), nil
	case f.Find == nil:
		return SearchResult[R, A](nil, false), nil
	}

	return f.Find(ctx, c)
}

// RetryAfter has the job run again after a wait, unless that is 0 or there is an error.
func RetryAfter(wait time.Duration, err error) error {
	if err == nil && wait > 0 {
		return jobs.Later(wait)
	}

	return err
}
