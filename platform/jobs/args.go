package jobs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
)

// Args are what a job needs to know: a struct that is stored as JSON, so ids rather than things. A
// newer version of the service must still read what an older one has enqueued.
type Args interface {
	// Kind names the sort of job, "<area>.<verb>". It answers on the zero value, and is never
	// changed while such jobs may be waiting.
	Kind() string
}

// envelope is what is stored: the arguments and whose they are. The company is part of it, not of
// the metadata, so that two companies' jobs are never the same to Unique.
type envelope[A Args] struct {
	Company *uuid.UUID `json:"company,omitempty"`
	Args    A          `json:"args"`
}

// Kind implements river.JobArgs.
func (e envelope[A]) Kind() string { return e.Args.Kind() }

// outgoing is an envelope of any arguments. It is encoded once, by us, so that River sees one
// document and nothing of its types.
type outgoing struct {
	kind    string
	encoded json.RawMessage
}

// Kind implements river.JobArgs.
func (o outgoing) Kind() string { return o.kind }

// MarshalJSON implements json.Marshaler.
func (o outgoing) MarshalJSON() ([]byte, error) { return o.encoded, nil }

func encodeJob(company uuid.UUID, args Args) (outgoing, error) {
	e := envelope[Args]{Args: args}
	if company != uuid.Nil {
		e.Company = &company
	}
	encoded, err := json.Marshal(e)
	if err != nil {
		return outgoing{}, fmt.Errorf("arguments of job %q: %w", args.Kind(), err)
	}

	return outgoing{kind: args.Kind(), encoded: encoded}, nil
}

// metadata is what travels with a job and plays no part in Unique.
type metadata struct {
	Request string `json:"request_id,omitempty"`
	Trace   string `json:"traceparent,omitempty"`
}

// Option changes how one job is enqueued.
type Option func(*river.InsertOpts)

// At enqueues the job to run at a time, or shortly after it.
func At(at time.Time) Option {
	return func(o *river.InsertOpts) { o.ScheduledAt = at }
}

// Attempts is how often the job is tried, instead of jobs.attempts.
func Attempts(n int) Option {
	return func(o *river.InsertOpts) { o.MaxAttempts = n }
}

// Background lets the job wait for all others that are due.
func Background() Option {
	return func(o *river.InsertOpts) { o.Priority = lowest }
}

// Unique enqueues the job only if the company has none with the same kind and arguments that waits
// or runs. One that runs may have looked already at what the transaction at hand changes: where that
// matters, use Unique together with At a few seconds ahead, or look again at the end of the job.
func Unique() Option {
	return func(o *river.InsertOpts) { o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: unfinished} }
}

// UniqueFor is Unique that counts finished jobs as well, within the same stretch of time of that
// length (time.Time.Truncate), up to jobs.keep.
func UniqueFor(d time.Duration) Option {
	return func(o *river.InsertOpts) { o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByPeriod: d} }
}
