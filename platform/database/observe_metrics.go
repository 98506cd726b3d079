package database

import (
	"database/sql"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// newCommitSizes counts how many functions of InTx a commit answers: on PostgreSQL, a commit of those that are one message.
func newCommitSizes() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: telemetry.MetricName("db_commit_size"), Help: "Writes per commit of those that may go together.",
		Buckets: []float64{1, 2, 4, 8, 16, 32, 64, groupSize},
	})
}

// poolMetrics reads, at each scrape, how the connections are used.
type poolMetrics struct {
	db *DB

	inUse, idle, most, waits, waited *prometheus.Desc
}

func newPoolMetrics(db *DB) *poolMetrics {
	desc := func(name, help string, constant prometheus.Labels) *prometheus.Desc {
		return prometheus.NewDesc(telemetry.MetricName(name), help, []string{"pool"}, constant)
	}
	const connections = "Connections to the database."

	return &poolMetrics{
		db:     db,
		inUse:  desc("db_connections", connections, prometheus.Labels{"state": "in_use"}),
		idle:   desc("db_connections", connections, prometheus.Labels{"state": "idle"}),
		most:   desc("db_connections_max", "Maximum number of connections to the database.", nil),
		waits:  desc("db_waits_total", "Number of waits for a database connection.", nil),
		waited: desc("db_wait_seconds_total", "Total time spent waiting for a database connection.", nil),
	}
}

// Describe implements prometheus.Collector.
func (m *poolMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{m.inUse, m.idle, m.most, m.waits, m.waited} {
		out <- desc
	}
}

// Collect implements prometheus.Collector. There is nothing to tell while the database is closed.
func (m *poolMetrics) Collect(out chan<- prometheus.Metric) {
	o, err := m.db.current()
	if err != nil {
		return
	}
	if m.db.dialect == SQLite {
		m.collect(out, "writer", sqlUse(o.sql))
		m.collect(out, "readers", sqlUse(o.readers))
	} else if pool := m.db.pool.Load(); pool != nil {
		s := pool.Stat()
		m.collect(out, "postgres", use{
			inUse: float64(s.AcquiredConns()), idle: float64(s.IdleConns()), most: float64(s.MaxConns()),
			waits: float64(s.EmptyAcquireCount()), waited: s.EmptyAcquireWaitTime().Seconds(),
		})
	}
}

// use is how the connections of a pool are used.
type use struct{ inUse, idle, most, waits, waited float64 }

func sqlUse(pool *sql.DB) use {
	s := pool.Stats()

	return use{
		inUse: float64(s.InUse), idle: float64(s.Idle), most: float64(s.MaxOpenConnections),
		waits: float64(s.WaitCount), waited: s.WaitDuration.Seconds(),
	}
}

func (m *poolMetrics) collect(out chan<- prometheus.Metric, pool string, u use) {
	out <- prometheus.MustNewConstMetric(m.inUse, prometheus.GaugeValue, u.inUse, pool)
	out <- prometheus.MustNewConstMetric(m.idle, prometheus.GaugeValue, u.idle, pool)
	out <- prometheus.MustNewConstMetric(m.most, prometheus.GaugeValue, u.most, pool)
	out <- prometheus.MustNewConstMetric(m.waits, prometheus.CounterValue, u.waits, pool)
	out <- prometheus.MustNewConstMetric(m.waited, prometheus.CounterValue, u.waited, pool)
}
