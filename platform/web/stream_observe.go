package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// How streams end, in the log and the metrics.
const (
	endDone    = "done"
	endFailed  = "failed"
	endGone    = "gone"
	endSlow    = "slow"
	endLong    = "too_long"
	endStopped = "stopped"
	endRevoked = "revoked"
)

// ending names how the stream came to its end.
func (st *stream) ending(ctx context.Context, err error) string {
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return cmp.Or(st.why, endDone)
	case stuck(st.writer.trouble()):
		return endSlow
	case errors.Is(cause, errStreamGone), cause == nil && st.writer.trouble() != nil:
		return endGone
	case errors.Is(cause, errStreamStopped):
		return endStopped
	case errors.Is(cause, errStreamLong):
		return endLong
	case errors.Is(cause, errStreamRevoked):
		return endRevoked
	default:
		return endFailed
	}
}

// streamMetrics are part of requestMetrics.
type streamMetrics struct {
	open    *prometheus.GaugeVec
	seconds *prometheus.HistogramVec
	bytes   *prometheus.CounterVec
	ended   *prometheus.CounterVec
}

func newStreamMetrics() streamMetrics {
	operation := []string{"operation"}

	return streamMetrics{
		open: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: telemetry.MetricName("http_streams_open"), Help: "Streams that are being written.",
		}, operation),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: telemetry.MetricName("http_stream_seconds"), Help: "How long streams took.",
			Buckets: []float64{.1, 1, 10, 60, 300, 1800, 3600},
		}, operation),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.MetricName("http_stream_bytes_total"), Help: "Bytes of streams that were sent.",
		}, operation),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.MetricName("http_streams_total"), Help: "Streams that ended, by how.",
		}, append(operation, "end")),
	}
}

func (m *streamMetrics) register(r prometheus.Registerer) error {
	return errors.Join(r.Register(m.open), r.Register(m.seconds), r.Register(m.bytes), r.Register(m.ended))
}

// streaming notices that the handler of a stream returned. Its request is no longer in flight, and
// what took time until here is how long the client waited.
func (a *API) streaming(ex *exchange, took time.Duration) {
	if a.metrics == nil {
		return
	}
	id := ex.call.endpoint.info.ID
	a.metrics.inFlight.Dec()
	a.metrics.seconds.WithLabelValues(id).Observe(took.Seconds())
	a.metrics.streams.open.WithLabelValues(id).Inc()
}

// streamed notices that a stream ended.
func (a *API) streamed(st *stream, why string) {
	ex, took := st.exchange, time.Since(st.began)
	if m := a.metrics; m != nil {
		id := st.endpoint.info.ID
		m.count(ex, st.status)
		m.streams.open.WithLabelValues(id).Dec()
		m.streams.seconds.WithLabelValues(id).Observe(took.Seconds())
		m.streams.bytes.WithLabelValues(id).Add(float64(st.writer.sent()))
		m.streams.ended.WithLabelValues(id, why).Inc()
	}
	if ex.span != nil {
		ex.span.SetAttributes(attribute.String("dispatchd.stream_end", why), attribute.Int64("http.response.body.size", st.writer.sent()))
		if why == endFailed {
			ex.span.SetStatus(codes.Error, "")
		}
	}
	a.endSpan(ex, st.status)
	if a.settings.AccessLog {
		a.log.LogAttrs(st.ctx, slog.LevelInfo, "request",
			slog.String("method", st.method), slog.String("route", st.endpoint.info.Path), slog.Int("status", st.status),
			slog.Duration("took", took), slog.Int64("bytes", st.writer.sent()), slog.String("end", why),
		)
	}
}
