package handover

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// grace is how much longer than its time-out a call is left alone.
const grace = 10 * time.Second

// Policy says for how long, and how often, a vendor is called and asked.
type Policy struct {
	// Timeout bounds each call and each question.
	Timeout time.Duration
	// A refusal that may pass is retried while fewer than MaxAttempts calls were made, or for RetryFor.
	MaxAttempts int
	RetryFor    time.Duration
	// RetryPause is the wait before each retry, unless the vendor asks for a longer one. With 0 it grows: 2s, 4s, 8s … 5m.
	RetryPause time.Duration
	// LimitPause is the shortest wait after a rate limit, which does not count as an attempt. With 0 it is a refusal like others.
	LimitPause time.Duration
	// AskFor is for how long after the call its outcome is asked for; 0 if the vendor can neither be asked nor knows repeats.
	AskFor time.Duration
}

// InFlight returns for how long a call may still be going on that was begun, or asked about, at a time; 0 if it cannot be.
func (p Policy) InFlight(called, now time.Time) time.Duration {
	return max(0, called.Add(p.patience()).Sub(now))
}

func (p Policy) patience() time.Duration { return p.Timeout + grace }

// Result is what is known of a call: the vendor's answer, or why it was not accepted. Err is a refusal only if its Taken is No; any
// other leaves open whether the vendor did what it was asked.
type Result[R vendorerror.Reason, A any] struct {
	Answer A
	Err    *vendorerror.Error[R]
}

// CallResult is the result of a call.
func CallResult[R vendorerror.Reason, A any](answer A, err error) Result[R, A] {
	return Result[R, A]{Answer: answer, Err: vendorerror.From[R](err)}
}

// NoAnswer is the result of a question that failed. Even a refused one says nothing of the call that it was about.
func NoAnswer[R vendorerror.Reason, A any](err error) Result[R, A] {
	open := *vendorerror.From[R](err)
	open.Taken = vendorerror.Unknown

	return Result[R, A]{Err: &open}
}

// SearchResult is the result of a question that was answered. One thing found is the one that was handed over. None counts as refused for
// the moment if the answer is complete: the vendor promises that what is not in it was not accepted, and will not be.
func SearchResult[R vendorerror.Reason, A any](found []A, complete bool) Result[R, A] {
	switch {
	case len(found) == 1:
		return Result[R, A]{Answer: found[0]}
	case len(found) == 0 && complete:
		return Result[R, A]{Err: &vendorerror.Error[R]{Reason: vendorerror.ProviderDown, Taken: vendorerror.No, Retryable: true}}
	default:
		return Result[R, A]{Err: &vendorerror.Error[R]{Reason: vendorerror.ProviderDown}}
	}
}

func (r Result[R, A]) limited(p Policy) bool {
	return p.LimitPause > 0 && r.Err != nil && string(r.Err.Reason) == vendorerror.RateLimited
}

// Step is what follows from a result.
type Step int

// The steps.
const (
	// Accept: the vendor has it.
	Accept Step = iota + 1
	// Retry: the vendor does not have it, and may take it after the wait. The next run calls again.
	Retry
	// Refuse: the vendor does not have it, and will not take it.
	Refuse
	// Ask: nobody knows whether the vendor has it. The next run asks, after the wait.
	Ask
	// GiveUp: nobody knows, and asking is of no use any more. A person decides.
	GiveUp
)

// Next decides what follows from a result, and how long to wait before it. Attempts are the calls that were made, this one with them;
// age is how long ago it was called, or first wanted.
func (r Result[R, A]) Next(p Policy, attempts int64, age time.Duration) (Step, time.Duration) {
	switch {
	case r.Err == nil:
		return Accept, 0
	case r.Err.Taken != vendorerror.No && age < p.AskFor:
		return Ask, p.patience()
	case r.Err.Taken != vendorerror.No:
		return GiveUp, 0
	case r.limited(p) && (p.MaxAttempts > 0 || age < p.RetryFor):
		return Retry, max(r.Err.RetryAfter, p.LimitPause)
	case r.Err.Retryable && (attempts < int64(p.MaxAttempts) || age < p.RetryFor):
		return Retry, max(r.Err.RetryAfter, p.retryPause(attempts))
	default:
		return Refuse, 0
	}
}

// retryPause is how long to wait after so many attempts.
func (p Policy) retryPause(attempts int64) time.Duration {
	if p.RetryPause > 0 {
		return p.RetryPause
	}

	return min(time.Second<<min(max(attempts, 1), 10), 5*time.Minute)
}
