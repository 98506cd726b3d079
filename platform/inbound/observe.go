package inbound

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// What became of a request.
const (
	outcomeAccepted  = "accepted"
	outcomeDuplicate = "duplicate"
	outcomeRefused   = "refused"
	outcomeUnknown   = "unknown"
	outcomeBusy      = "busy"
)

// observation is what notifications are reported to; nil while nobody looks.
type observation struct{ came *prometheus.CounterVec }

// Observe reports notifications to o. It is called before anything runs.
func (in *Inbox) Observe(o telemetry.Observer) error {
	if o.Metrics == nil {
		return nil
	}
	in.seen.came = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: telemetry.MetricName("inbound_notifications_total"),
		Help: "Notifications of vendors: accepted, duplicate, refused (not verified), unknown (no such endpoint) or busy (no room for the body).",
	}, []string{"kind", "outcome"})

	return o.Metrics.Register(in.seen.came)
}

func (o observation) count(kind, outcome string) {
	if o.came != nil {
		o.came.WithLabelValues(kind, outcome).Inc()
	}
}
