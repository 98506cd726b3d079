package events_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// What this test binary does instead of running tests: it buys things for a company, and delivers,
// until it kills itself.
const (
	childURL     = "DISPATCHD_TEST_EVENTS_URL"
	childCompany = "DISPATCHD_TEST_EVENTS_COMPANY"
	childAct     = "DISPATCHD_TEST_EVENTS_ACT"
	childDir     = "DISPATCHD_TEST_EVENTS_DIR"

	// afterCommit: no delivery has begun. inDelivery: the effects of some are on disk, and River does
	// not know yet that those have ended.
	afterCommit = "after commit"
	inDelivery  = "in delivery"
)

const (
	purchases = 20
	// masterKey is the one that moduletest gives to every service.
	masterKey = "secret.key=dsk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

func TestMain(m *testing.M) {
	if os.Getenv(childURL) == "" {
		m.Run()

		return
	}
	if err := child(context.Background(), os.Getenv(childURL), uuid.MustParse(os.Getenv(childCompany)), os.Getenv(childAct)); err != nil {
		panic(err)
	}
}

func kill() error {
	self, err := os.FindProcess(os.Getpid())

	return errors.Join(err, self.Kill(), errors.New("still alive"))
}

func child(ctx context.Context, url string, company uuid.UUID, act string) error {
	p := newParts()
	roles := "roles=api"
	if act == inDelivery {
		roles = "roles=worker"
	}
	cfg, err := app.Load(config.LoadOptions{Modules: p.areas(), Set: []string{
		"database.url=" + url, "web.address=127.0.0.1:0", "log.level=error", "jobs.poll=10ms", "jobs.retry_delay=10ms",
		roles, masterKey, "data_dir=" + os.Getenv(childDir),
	}})
	if err != nil {
		return err
	}
	service, err := app.New(cfg, p.areas(), app.Serving(), fx.Options(p.capture()))
	if err != nil {
		return err
	}
	bought := make(chan struct{})
	if act == inDelivery {
		entries := make(chan struct{}, purchases)
		p.ledger.written = func() {
			<-bought // the last run's deliveries may come before this one's first event
			entries <- struct{}{}
			if len(entries) > purchases/4 {
				panic(kill())
			}
		}
	}
	if err := service.Start(ctx); err != nil {
		return err
	}
	for i := range purchases {
		if err := p.shop.buy(as(ctx, company), "thing "+strconv.Itoa(i), i); err != nil {
			return err
		}
		if i == 0 {
			close(bought)
		}
	}
	if act == inDelivery {
		<-time.After(time.Minute)

		return errors.New("nothing was delivered")
	}

	return kill()
}

func TestKilled_LosesNoEventAndRepeatsNoEffect(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		p := newParts()
		a := moduletest.Boot(t, url, p.areas(), moduletest.With(p.capture()), moduletest.Set("roles=api"))
		_, err := a.DB.SQL().ExecContext(t.Context(), bookTable)
		require.NoError(t, err)

		for _, act := range []string{afterCommit, inDelivery} {
			run := exec.CommandContext(t.Context(), os.Args[0])
			run.Env = append(os.Environ(), childURL+"="+url, childCompany+"="+a.Owner.ID.String(), childAct+"="+act, childDir+"="+t.TempDir())
			out, err := run.CombinedOutput()
			require.ErrorContainsf(t, err, "killed", "%s: %s", act, out)
		}
		published := count(t, p, "SELECT count(*) FROM events_log")
		require.Greater(t, published, purchases)
		written := count(t, p, "SELECT count(*) FROM book")
		require.Positive(t, written)
		require.Less(t, written, published)
		require.Positive(t, count(t, p, "SELECT count(*) FROM river_job WHERE state = 'running'"), "killed in their midst")

		// Time passes: the term of the leader that died ends, and its jobs count as lost.
		for _, passes := range []string{
			"DELETE FROM river_leader", "UPDATE river_job SET attempted_at = '2020-01-01 00:00:00' WHERE state = 'running'",
		} {
			_, err = a.DB.SQL().ExecContext(t.Context(), passes)
			require.NoError(t, err)
		}
		survivor := newParts()
		moduletest.Boot(t, url, survivor.areas(), moduletest.With(survivor.capture()),
			moduletest.Set("roles=worker", "jobs.poll=10ms", "jobs.retry_delay=10ms"))
		require.Eventually(t, func() bool {
			return count(t, p, "SELECT count(*) FROM river_job WHERE state <> 'completed'") == 0
		}, time.Minute, 50*time.Millisecond, "every delivery ends well")
		published = count(t, p, "SELECT count(*) FROM events_log") // PostgreSQL may have ended a transaction of the dead process after it
		require.Equal(t, published, count(t, p, "SELECT count(*) FROM book"), "each event once")
		require.Zero(t, count(t, p, "SELECT count(*) FROM events_log l WHERE NOT EXISTS (SELECT 1 FROM book b WHERE b.event = CAST(l.id AS text))"))
		require.Equal(t, 2*published, count(t, p, "SELECT count(*) FROM river_job WHERE kind = 'events.deliver'"))
	})
}
