package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Observer is what a package reports its spans and metrics to. Either is nil while it is off, and
// then there is nothing to be done for it.
type Observer struct {
	Tracer  trace.Tracer
	Metrics prometheus.Registerer
}

// NewObserver returns the observer of these traces and metrics.
func NewObserver(t *Traces, m *Metrics) Observer {
	o := Observer{Tracer: t.tracer()}
	if m.registry != nil {
		o.Metrics = m.registry
	}

	return o
}

// namespace is in front of the names of all metrics.
const namespace = "dispatchd"

// MetricName returns the whole name of a metric.
func MetricName(name string) string { return namespace + "_" + name }

// Buckets are the upper bounds, in seconds, of histograms of durations: from a read out of a cache
// to a request at its deadline.
var Buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
