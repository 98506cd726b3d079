package outbound

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// observation is what attempts are reported to; its fields are nil while nobody looks.
type observation struct {
	tracer  trace.Tracer
	made    *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

// Observe reports calls and breakers to o. It is called before the first call.
func (n *Network) Observe(o telemetry.Observer) error {
	n.seen.tracer = o.Tracer
	if o.Metrics == nil {
		return nil
	}
	n.seen.made = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: telemetry.MetricName("outbound_requests_total"),
		Help: "Attempts of outbound calls by client and outcome: the status class, not_sent or unknown.",
	}, []string{"client", "outcome"})
	n.seen.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: telemetry.MetricName("outbound_request_seconds"), Help: "Duration of attempts.", Buckets: telemetry.Buckets,
	}, []string{"client"})

	return errors.Join(o.Metrics.Register(n.seen.made), o.Metrics.Register(n.seen.seconds), o.Metrics.Register(newStates(n)))
}

// attempt notices an attempt. Of the address it tells the host alone: paths and queries may hold secrets.
func (o *observation) attempt(ctx context.Context, c *Client, call Call, u *url.URL, n int) (context.Context, func(Answer, *Error)) {
	if o.tracer == nil && o.made == nil {
		return ctx, func(Answer, *Error) {}
	}
	span := trace.SpanFromContext(nil) //nolint:staticcheck // one that does nothing
	if o.tracer != nil {
		ctx, span = o.tracer.Start(ctx, "HTTP "+call.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("http.request.method", call.Method), attribute.String("server.address", u.Hostname()),
			attribute.String("server.port", portOf(u)), attribute.String("dispatchd.client", c.spec.Name),
			attribute.Int("http.request.resend_count", n-1)))
	}
	began := time.Now() //nolint:forbidigo // to measure, nothing is decided by it

	return ctx, func(answer Answer, failure *Error) {
		if o.made != nil {
			o.made.WithLabelValues(c.spec.Name, outcomeClass(answer, failure)).Inc()
			o.seconds.WithLabelValues(c.spec.Name).Observe(time.Since(began).Seconds())
		}
		status := answer.Status
		if failure != nil {
			status = failure.Status
			span.SetAttributes(attribute.String("error.type", string(failure.Outcome)+"."+string(failure.Reason)))
			span.SetStatus(codes.Error, "")
		}
		if status != 0 {
			span.SetAttributes(attribute.Int("http.response.status_code", status))
		}
		if status >= 400 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// outcomeClass is a word for the outcome of an attempt.
func outcomeClass(answer Answer, failure *Error) string {
	switch {
	case failure == nil:
		return strconv.Itoa(answer.Status/100) + "xx"
	case failure.Outcome == Answered:
		return strconv.Itoa(failure.Status/100) + "xx"
	default:
		return string(failure.Outcome)
	}
}

// states counts breakers when somebody asks.
type states struct {
	network *Network
	what    *prometheus.Desc
}

func newStates(n *Network) *states {
	return &states{network: n, what: prometheus.NewDesc(telemetry.MetricName("outbound_breakers"),
		"Hosts and accounts whose calls are suspended (open) or on trial (half_open).", []string{"client", "state"}, nil)}
}

// Describe implements prometheus.Collector.
func (s *states) Describe(to chan<- *prometheus.Desc) { to <- s.what }

// Collect implements prometheus.Collector.
func (s *states) Collect(to chan<- prometheus.Metric) {
	s.network.mu.Lock()
	sums := map[string][2]int{}
	for _, c := range s.network.clients {
		open, trying := c.breakers.open()
		sum := sums[c.spec.Name]
		sums[c.spec.Name] = [2]int{sum[0] + open, sum[1] + trying}
	}
	s.network.mu.Unlock()
	for name, sum := range sums {
		to <- prometheus.MustNewConstMetric(s.what, prometheus.GaugeValue, float64(sum[0]), name, "open")
		to <- prometheus.MustNewConstMetric(s.what, prometheus.GaugeValue, float64(sum[1]), name, "half_open")
	}
}
