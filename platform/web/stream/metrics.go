package stream

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Metrics count streams by operation.
type Metrics struct {
	open    *prometheus.GaugeVec
	seconds *prometheus.HistogramVec
	bytes   *prometheus.CounterVec
	ended   *prometheus.CounterVec
}

// NewMetrics returns metrics that nobody reads yet.
func NewMetrics() Metrics {
	operation := []string{"operation"}

	return Metrics{
		open: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: telemetry.MetricName("http_streams_open"), Help: "Streams in progress.",
		}, operation),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: telemetry.MetricName("http_stream_seconds"), Help: "Duration of streams.",
			Buckets: []float64{.1, 1, 10, 60, 300, 1800, 3600},
		}, operation),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.MetricName("http_stream_bytes_total"), Help: "Bytes sent in streams.",
		}, operation),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.MetricName("http_streams_total"), Help: "Streams that ended, by reason.",
		}, append(operation, "end")),
	}
}

// Register has them read.
func (m *Metrics) Register(r prometheus.Registerer) error {
	return errors.Join(r.Register(m.open), r.Register(m.seconds), r.Register(m.bytes), r.Register(m.ended))
}

// Began notices a stream that begins.
func (m *Metrics) Began(operation string) { m.open.WithLabelValues(operation).Inc() }

// Ended notices how a stream ended.
func (m *Metrics) Ended(r *Run, operation, end string, took time.Duration) {
	m.open.WithLabelValues(operation).Dec()
	m.seconds.WithLabelValues(operation).Observe(took.Seconds())
	m.bytes.WithLabelValues(operation).Add(float64(r.Sent()))
	m.ended.WithLabelValues(operation, end).Inc()
}
