package broadcast

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

const thingChanged Topic[uuid.UUID] = "things.thing"

// replica is a bus with a listener, as one of several processes would have it.
type replica struct {
	*Bus

	told chan string // a key, or "all"
}

func newReplica(t *testing.T, url string) replica {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, t.TempDir(), log)
	require.NoError(t, err)
	require.NoError(t, db.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) })

	r := replica{Bus: New(db, log), told: make(chan string, 100)}
	r.quiet = 20 * time.Millisecond
	require.NoError(t, Listen(r.Bus, thingChanged,
		func(key uuid.UUID) { r.told <- key.String() }, func() { r.told <- "all" }))

	return r
}

// start begins to listen, and passes over that everything may have changed at the start.
func (r replica) start(t *testing.T) {
	t.Helper()
	require.NoError(t, r.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, r.Stop(context.WithoutCancel(t.Context()))) })
	if r.db.Dialect() == database.Postgres {
		r.hears(t, "all")
	}
}

// hears waits until the listener was told of something.
func (r replica) hears(t *testing.T, want string) {
	t.Helper()
	for {
		select {
		case got := <-r.told:
			if got == want {
				return
			}
		case <-time.After(time.Minute):
			require.FailNow(t, "not told", want)
		}
	}
}

func (r replica) publish(t *testing.T) string {
	t.Helper()
	key := uuid.New()
	require.NoError(t, Publish(t.Context(), r.Bus, thingChanged, key))

	return key.String()
}

func TestPublish_TellsTheSameProcessBeforeInTxReturnsAndOnlyOfWhatIsCommitted(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		r := newReplica(t, url)
		key, refused := uuid.New(), errors.New("refused")
		require.NoError(t, r.db.InTx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, Publish(ctx, r.Bus, thingChanged, key))
			require.Empty(t, r.told)

			return nil
		}))
		require.Equal(t, key.String(), <-r.told)
		require.ErrorIs(t, r.db.InTx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, Publish(ctx, r.Bus, thingChanged, key))

			return refused
		}), refused)
		require.Empty(t, r.told)
		require.NoError(t, Publish(t.Context(), r.Bus, Topic[int]("things.nobody_listens_to"), 1))
	})
}

func TestPublish_OutlivesAListenerThatPanics(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		r := newReplica(t, url)
		other := Topic[string]("things.other")
		told := make(chan string, 1)
		require.NoError(t, Listen(r.Bus, other, func(string) { panic("first") }, func() {}))
		require.NoError(t, Listen(r.Bus, other, func(key string) { told <- key }, func() {}))
		require.NoError(t, Publish(t.Context(), r.Bus, other, "key"))
		require.Equal(t, "key", <-told)
	})
}

func TestPublish_RefusesAKeyThatNoMessageHolds(t *testing.T) {
	t.Parallel()
	postgres(t, func(t *testing.T, url string) {
		t.Helper()
		err := Publish(t.Context(), newReplica(t, url).Bus, Topic[string]("things.long"), strings.Repeat("x", maxMessage))
		require.ErrorIs(t, err, errTooLong)
	})
}

func TestListen_RefusesATopicWithTwoTypesOfKeys(t *testing.T) {
	t.Parallel()
	bus := New(nil, slog.New(slog.DiscardHandler))
	require.NoError(t, Listen(bus, Topic[string]("a.b"), func(string) {}, func() {}))
	require.EqualError(t, Listen(bus, Topic[int]("a.b"), func(int) {}, func() {}),
		`broadcast topic "a.b" has keys of type int here and of type string elsewhere`)
}

func TestDeliver_SaysThatEverythingMayHaveChangedWhereAKeyIsOfAnotherRelease(t *testing.T) {
	t.Parallel()
	bus := New(nil, slog.New(slog.DiscardHandler))
	told := make(chan bool, 1)
	require.NoError(t, Listen(bus, Topic[int]("a.b"), func(int) {}, func() { told <- true }))
	bus.deliver(message{Topic: "a.b", Key: []byte(`"text"`)})
	require.True(t, <-told)
}

func TestBus_TellsEveryReplica(t *testing.T) {
	t.Parallel()
	postgres(t, func(t *testing.T, url string) {
		t.Helper()
		one, two, deaf := newReplica(t, url), newReplica(t, url), newReplica(t, url)
		one.start(t)
		two.start(t)
		two.hears(t, one.publish(t))
		one.hears(t, two.publish(t))
		two.hears(t, deaf.publish(t))

		refused := errors.New("refused")
		require.ErrorIs(t, one.db.InTx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, Publish(ctx, one.Bus, thingChanged, uuid.Nil))

			return refused
		}), refused)
		last := one.publish(t)
		require.Equal(t, last, <-two.told, "and of nothing that was undone")
	})
}

func TestBus_SaysThatEverythingMayHaveChangedAfterAGap(t *testing.T) {
	t.Parallel()
	postgres(t, func(t *testing.T, url string) {
		t.Helper()
		one, two := newReplica(t, url), newReplica(t, url)
		two.start(t)
		for range 2 {
			require.NoError(t, one.db.InTx(t.Context(), func(ctx context.Context) error {
				return one.db.Raw(ctx, "test").Exec(`
					SELECT pg_terminate_backend(pid) FROM pg_stat_activity
					WHERE datname = current_database() AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query = '-- ping')`).Error
			}))
			one.publish(t)
			two.hears(t, "all")
			two.hears(t, one.publish(t))
		}
	})
}

func TestBus_OutlastsQuietTimes(t *testing.T) {
	t.Parallel()
	postgres(t, func(t *testing.T, url string) {
		t.Helper()
		one := newReplica(t, url)
		one.start(t)
		require.Eventually(t, func() bool { // it has been asked whether it is there
			var pings int
			err := one.db.Raw(t.Context(), "test").Raw(`
				SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND query LIKE '%ping%' AND pid <> pg_backend_pid()`).Row().Scan(&pings)

			return err == nil && pings == 1
		}, time.Minute, 10*time.Millisecond)
		key := newReplica(t, url).publish(t)
		require.Equal(t, key, <-one.told, "on the same connection")
	})
}

//nolint:paralleltest // counts goroutines
func TestBus_StartsAgainAfterStopAndLeavesNothingRunning(t *testing.T) {
	databasetest.Sequential(t, func(t *testing.T, url string) {
		r := newReplica(t, url)
		before := goleak.IgnoreCurrent()
		for range 2 {
			require.NoError(t, r.Start(t.Context()))
			require.NoError(t, r.Stop(t.Context()))
		}
		require.NoError(t, r.Stop(t.Context()), "stopping twice is fine")
		goleak.VerifyNone(t, before)
	})
}

// postgres runs the test on PostgreSQL alone: what it is about is between processes.
func postgres(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		if strings.HasPrefix(url, "postgres") {
			test(t, url)
		}
	})
}
