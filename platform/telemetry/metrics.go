package telemetry

import (
	"errors"
	"net"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// MetricsSettings are the keys of the section "metrics".
type MetricsSettings struct {
	Address string `config:"address" doc:"Address at which metrics (/metrics), profiles (/debug/pprof) and the log level (/log/level) are served, such as 127.0.0.1:9464. No token is required. Empty is off."`
}

// MetricsDefaults are no metrics.
func MetricsDefaults() MetricsSettings { return MetricsSettings{} }

// Validate implements the check that config runs.
func (s MetricsSettings) Validate() error {
	if s.Address == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(s.Address); err != nil {
		return errors.New("address: want host:port, such as 127.0.0.1:9464")
	}

	return nil
}

// Metrics are the metrics of one service.
type Metrics struct {
	registry *prometheus.Registry // nil while off
}

// NewMetrics returns the metrics of a version of the service: at first those of the process itself.
func NewMetrics(s MetricsSettings, version string) (*Metrics, error) {
	if s.Address == "" {
		return &Metrics{}, nil
	}
	m := &Metrics{registry: prometheus.NewRegistry()}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: MetricName("build_info"), Help: "Always 1, with the versions of the service and of Go as labels.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	}, func() float64 { return 1 })
	for _, c := range []prometheus.Collector{
		build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := m.registry.Register(c); err != nil {
			return nil, err
		}
	}

	return m, nil
}
