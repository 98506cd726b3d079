package web

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	otel "go.opentelemetry.io/otel/trace"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const (
	// Headers of W3C Trace Context: what a request belongs to, and which span answered it.
	traceParent   = "traceparent"
	traceResponse = "traceresponse"
	// otherOperation stands for probes, the docs page, and what nobody serves.
	otherOperation = "other"
)

// requestMetrics count requests.
type requestMetrics struct {
	total    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	inFlight prometheus.Gauge
	streams  stream.Metrics
}

// observation is what requests are reported to; its fields are nil while nobody looks.
type observation struct {
	tracer  otel.Tracer
	metrics *requestMetrics
}

// Observe reports requests to o. It is called before Start.
func (a *API) Observe(o telemetry.Observer) error {
	a.seen.tracer = o.Tracer
	if o.Metrics == nil {
		return nil
	}
	operation := []string{"operation"}
	m := &requestMetrics{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.MetricName("http_requests_total"), Help: "Requests answered.",
		}, append(operation, "status")),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: telemetry.MetricName("http_request_seconds"), Help: "Duration of requests.", Buckets: telemetry.Buckets,
		}, operation),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.MetricName("http_refusals_total"), Help: "Requests answered with an error, by error code.",
		}, []string{"code"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: telemetry.MetricName("http_requests_in_flight"), Help: "Requests in progress.",
		}),
		streams: stream.NewMetrics(),
	}
	a.seen.metrics = m

	return errors.Join(o.Metrics.Register(m.total), o.Metrics.Register(m.seconds),
		o.Metrics.Register(m.refused), o.Metrics.Register(m.inFlight), m.streams.Register(o.Metrics))
}

// arrived notices a request.
func (o observation) arrived() {
	if o.metrics != nil {
		o.metrics.inFlight.Inc()
	}
}

// begin goes on with the trace of the caller and begins the span of the operation.
func (e *endpoint) begin(c *call) {
	f := c.fiber
	c.ctx = telemetry.Continue(c.ctx, f.Get(traceParent))
	if e.api.seen.tracer == nil {
		return
	}
	c.ctx, c.exchange.span = e.api.seen.tracer.Start(c.ctx, e.info.ID, otel.WithSpanKind(otel.SpanKindServer), otel.WithAttributes(
		attribute.String("http.request.method", e.info.Method), attribute.String("http.route", e.info.Path),
		attribute.String("dispatchd.area", e.info.Area), attribute.String("dispatchd.request_id", c.exchange.id),
	))
	f.Set(traceResponse, telemetry.TraceParent(c.ctx))
}

// noteRefusal notices the code of an error answer.
func noteRefusal(ctx context.Context, code string) {
	if ex := exchangeOf(ctx); ex != nil {
		ex.refusal = code
	}
}

// answered notices the answer.
func (o observation) answered(c *fiber.Ctx, ex *exchange, took time.Duration) {
	status := c.Response().StatusCode()
	if o.metrics != nil {
		o.metrics.answered(ex, status, took)
	}
	ex.endSpan(status)
}

// endSpan ends the span of a request with what became of it.
func (ex *exchange) endSpan(status int) {
	if ex.span == nil {
		return
	}
	ex.span.SetAttributes(attribute.Int("http.response.status_code", status))
	if who, ok := principal.From(ex.latest()); ok && who.Company != uuid.Nil {
		ex.span.SetAttributes(attribute.String("dispatchd.company", who.Company.String()))
	}
	if ex.refusal != "" {
		ex.span.SetAttributes(attribute.String("error.type", ex.refusal))
	}
	if status >= fiber.StatusInternalServerError {
		ex.span.SetStatus(codes.Error, "")
	}
	ex.span.End()
}

func (m *requestMetrics) answered(ex *exchange, status int, took time.Duration) {
	m.inFlight.Dec()
	m.seconds.WithLabelValues(ex.operation()).Observe(took.Seconds())
	m.count(ex, status)
}

// operation is the label of metrics.
func (ex *exchange) operation() string {
	if ex.call.endpoint == nil {
		return otherOperation
	}

	return ex.call.endpoint.info.ID
}

func (m *requestMetrics) count(ex *exchange, status int) {
	m.total.WithLabelValues(ex.operation(), strconv.Itoa(status)).Inc()
	if ex.refusal != "" && status >= fiber.StatusBadRequest {
		m.refused.WithLabelValues(ex.refusal).Inc()
	}
}
