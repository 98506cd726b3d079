package database_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

// eachProxied is eachPostgres for a second process as well, whose way to the same database is a proxy.
func eachProxied(t *testing.T, test func(t *testing.T, f, far fixture, proxy *databasetest.Proxy)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		f := setUp(t, url)
		if f.Dialect() != database.Postgres {
			return // no network lies between
		}
		proxy := databasetest.NewProxy(t, url)
		test(t, f, fixture{DB: databasetest.Open(t, proxy.URL), ctx: f.ctx, other: f.other}, proxy)
	})
}

func TestInTx_DoesNotRunAgainWhatMayBeCommitted(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(t *testing.T, f, far fixture, proxy *databasetest.Proxy) {
		for _, c := range []struct {
			name, answerTo string
			write          func(ctx context.Context, name string) error
		}{
			{"COMMIT", "commit\x00", far.create},
			{"a message that commits by itself", "alone", far.queueThing},
			{"COMMIT after what was left", "commit\x00", func(ctx context.Context, name string) error {
				return errors.Join(far.queueThing(ctx, name), far.Conn(ctx).Find(&[]thing{}).Error)
			}},
		} {
			name := c.name
			require.NoError(t, far.InTx(far.ctx, func(ctx context.Context) error { return c.write(ctx, "warm up "+name) }))
			lost := proxy.LoseAnswer(c.answerTo)
			runs := 0
			err := far.InTx(far.ctx, func(ctx context.Context) error {
				runs++

				return c.write(ctx, fmt.Sprintf("alone %s %d", name, runs))
			})
			<-lost
			require.ErrorIs(t, err, database.ErrOutcomeUnknown, name)
			require.NotErrorIs(t, err, database.ErrUnavailable, name)
			require.Equal(t, 1, runs, name)
			require.Contains(t, f.names(t), "alone "+name+" 1", name)
			require.NotContains(t, f.names(t), "alone "+name+" 2", name)
		}
	})
}

func TestInTx_WritesOnceThroughANetworkThatResetsConnections(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(t *testing.T, f, far fixture, proxy *databasetest.Proxy) {
		const clients, during = 8, time.Second
		ctx, stop := context.WithTimeout(t.Context(), during)
		defer stop()
		var mu sync.Mutex
		acknowledged, attempted := map[string]bool{}, 0
		var work sync.WaitGroup
		for c := range clients {
			work.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					name := fmt.Sprintf("%d-%d", c, i)
					err := far.InTx(far.ctx, func(ctx context.Context) error {
						if i%2 == 0 {
							return far.queueThing(ctx, name)
						}

						return database.Translate(far.create(ctx, name))
					})
					mu.Lock()
					attempted++
					if err == nil {
						acknowledged[name] = true
					}
					mu.Unlock()
					if err != nil && !errors.Is(err, database.ErrUnavailable) && !errors.Is(err, database.ErrOutcomeUnknown) {
						t.Errorf("%s: %v", name, err) // a duplicate is what ran again
					}
				}
			})
		}
		for ticks := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; {
			select {
			case <-ticks.C:
				proxy.ResetOne()
				proxy.LoseAnswer("commit\x00")
			case <-ctx.Done():
				ticks.Stop()
			}
		}
		work.Wait()
		there := f.names(t)
		for name := range acknowledged {
			require.Contains(t, there, name)
		}
		require.NotEmpty(t, acknowledged)
		require.Less(t, len(acknowledged), attempted, "nothing was reset")
	})
}
