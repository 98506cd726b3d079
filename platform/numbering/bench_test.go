package numbering

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

// BenchmarkNext tells what a number adds to a transaction that writes a row: the medians of many
// transactions with and without one, in turn, so that what else the machine does falls on both.
func BenchmarkNext(b *testing.B) {
	urls := map[string]string{"sqlite": "sqlite:" + b.TempDir() + "/bench.db"}
	if url := os.Getenv("DISPATCHD_BENCH_POSTGRES_URL"); url != "" {
		urls["postgres"] = url
	}
	for name, url := range urls {
		o := newOffice(b, migrated(b, url))
		ctx := o.company(b)
		write := func(ctx context.Context) error {
			return o.db.Conn(ctx).Create(&seriesRow{Series: database.NewID().String(), Template: "x"}).Error
		}
		number := func(ctx context.Context) error {
			if err := write(ctx); err != nil {
				return err
			}
			_, err := o.Next(ctx, loads)

			return err
		}
		b.Run(name, func(b *testing.B) {
			var without, with []time.Duration
			for b.Loop() {
				without = append(without, timed(b, func() error { return o.db.InTx(ctx, write) }))
				with = append(with, timed(b, func() error { return o.db.InTx(ctx, number) }))
			}
			b.ReportMetric(median(without), "µs-without")
			b.ReportMetric(median(with), "µs-with")
			b.ReportMetric(median(with)-median(without), "µs-added")
		})
	}
}

func timed(b *testing.B, work func() error) time.Duration {
	b.Helper()
	start := time.Now() //nolint:forbidigo // the time that it takes is what is asked for
	require.NoError(b, work())

	return time.Since(start)
}

// median returns the median in microseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)

	return float64(all[len(all)/2].Nanoseconds()) / 1000
}
