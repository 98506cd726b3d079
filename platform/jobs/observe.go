package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// observation is what workers report to; its fields are nil while nobody looks.
type observation struct {
	tracer  trace.Tracer
	worked  *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

// Observe reports jobs, and those that wait, to o. It is called before Open.
func (q *Queue) Observe(o telemetry.Observer) error {
	q.seen.tracer = o.Tracer
	if o.Metrics == nil {
		return nil
	}
	q.seen.worked = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: telemetry.MetricName("jobs_worked_total"), Help: "Attempts of jobs by outcome: done, failed, later (not counted as an attempt) or given_up.",
	}, []string{"kind", "outcome"})
	q.seen.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: telemetry.MetricName("job_seconds"), Help: "Duration of attempts.", Buckets: telemetry.Buckets,
	}, []string{"kind"})

	return errors.Join(o.Metrics.Register(q.seen.worked), o.Metrics.Register(q.seen.seconds), o.Metrics.Register(newDepth(q)))
}

// enqueueing makes a span of jobs that are enqueued; they will go on with its trace.
func (o *observation) enqueueing(ctx context.Context, jobs []Job) (context.Context, func(error) error) {
	if o.tracer == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(err error) error { return err }
	}
	kinds := make([]string, 0, len(jobs))
	for _, job := range jobs {
		kinds = append(kinds, job.Args.Kind())
	}
	ctx, span := o.tracer.Start(ctx, "enqueue", trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(attribute.StringSlice("dispatchd.jobs", kinds)))

	return ctx, func(err error) error {
		telemetry.FailSpan(span, err)
		span.End()

		return err
	}
}

// errNoReturn is the outcome of an attempt that panicked.
var errNoReturn = errors.New("jobs: the worker panicked")

// attempt notices an attempt, in the trace of who enqueued the job. What it returns is called when
// the attempt is over.
func (o *observation) attempt(ctx context.Context, job *rivertype.JobRow, parent string) (context.Context, func(error)) {
	if o.tracer == nil && o.worked == nil {
		return ctx, func(error) {}
	}
	ctx = telemetry.Continue(ctx, parent)
	span := trace.SpanFromContext(nil) //nolint:staticcheck // one that does nothing
	if o.tracer != nil {
		ctx, span = o.tracer.Start(ctx, job.Kind, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
			attribute.Int64("dispatchd.job", job.ID), attribute.Int("dispatchd.attempt", job.Attempt)))
	}
	began := time.Now() //nolint:forbidigo // to measure, nothing is decided by it

	return ctx, func(err error) {
		if o.worked != nil {
			o.worked.WithLabelValues(job.Kind, outcomeOf(job, err)).Inc()
			o.seconds.WithLabelValues(job.Kind).Observe(time.Since(began).Seconds())
		}
		if _, later := errors.AsType[*river.JobSnoozeError](err); !later {
			telemetry.FailSpan(span, err)
		}
		span.End()
	}
}

// outcomeOf is a word for how an attempt ended.
func outcomeOf(job *rivertype.JobRow, err error) string {
	_, later := errors.AsType[*river.JobSnoozeError](err)
	_, permanent := errors.AsType[*river.JobCancelError](err)
	switch {
	case err == nil:
		return "done"
	case later:
		return "later"
	case permanent, job.Attempt >= job.MaxAttempts:
		return "given_up"
	default:
		return "failed"
	}
}
