package inbound_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// What this test binary does instead of running tests: it takes notifications over HTTP and processes them, until
// it kills itself.
const (
	childURL     = "DISPATCHD_TEST_INBOUND_URL"
	childCompany = "DISPATCHD_TEST_INBOUND_COMPANY"
	childAct     = "DISPATCHD_TEST_INBOUND_ACT"
	childDir     = "DISPATCHD_TEST_INBOUND_DIR"

	// afterAnswer: nothing was processed. inProcess: some were, and one was about to commit.
	afterAnswer = "after the answer"
	inProcess   = "in process"

	rings = 20
	// masterKey is the one that moduletest gives to every service.
	masterKey = "secret.key=dsk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

func TestMain(m *testing.M) {
	if os.Getenv(childURL) == "" {
		m.Run()

		return
	}
	if err := child(context.Background(), os.Getenv(childURL), os.Getenv(childCompany), os.Getenv(childAct)); err != nil {
		panic(err)
	}
}

func kill() error {
	self, err := os.FindProcess(os.Getpid())

	return errors.Join(err, self.Kill(), errors.New("still alive"))
}

func child(ctx context.Context, url, company, act string) error {
	b, roles := newBell(), "roles=api"
	if act == inProcess {
		roles = "roles=api,worker"
		b.act = func(context.Context, inbound.Delivery) error {
			if b.runs.Load() > rings/4 {
				panic(kill())
			}

			return nil
		}
	}
	areas := []module.Module{b.module()}
	cfg, err := app.Load(config.LoadOptions{Modules: areas, Set: []string{
		"database.url=" + url, "web.address=127.0.0.1:0", "log.level=error", "jobs.poll=10ms", roles, masterKey, "data_dir=" + os.Getenv(childDir),
	}})
	if err != nil {
		return err
	}
	service, err := app.New(cfg, areas, app.Serving())
	if err != nil {
		return err
	}
	if err := service.Start(ctx); err != nil {
		return err
	}
	if act == inProcess {
		<-time.After(time.Minute)

		return errors.New("nothing was processed")
	}
	for i := range rings {
		if err := post(ctx, service.API.Address(), company, `{"n":`+strconv.Itoa(i)+`}`); err != nil {
			return err
		}
	}

	return kill()
}

// post sends a notification and wants it to be acknowledged.
func post(ctx context.Context, address, company, body string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/bell/api/v1/rings/"+company, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(signature, verify.SignDocuSign([]byte("new key"), []byte(body)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.Join(errors.New(response.Status), response.Body.Close())
	}

	return response.Body.Close()
}

func TestKilled_LosesNothingThatWasAcknowledgedAndRepeatsNoEffect(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		a := moduletest.Boot(t, url, []module.Module{newBell().module()}, moduletest.Set("roles=api"))
		_, err := a.DB.SQL().ExecContext(t.Context(), ringTable)
		require.NoError(t, err)
		for _, act := range []string{afterAnswer, inProcess} {
			run := exec.CommandContext(t.Context(), os.Args[0])
			run.Env = append(os.Environ(), childURL+"="+url, childCompany+"="+a.Owner.ID.String(), childAct+"="+act, childDir+"="+t.TempDir())
			out, err := run.CombinedOutput()
			require.ErrorContainsf(t, err, "killed", "%s: %s", act, out)
		}
		require.Len(t, a.Received(t, a.Owner), rings)
		require.Less(t, count(t, a.DB, "SELECT count(*) FROM rings"), rings, "killed in their midst")

		// Time passes: the term of the leader that died ends, and its jobs count as lost.
		for _, passes := range []string{
			"DELETE FROM river_leader", "UPDATE river_job SET attempted_at = '2020-01-01 00:00:00' WHERE state = 'running'",
		} {
			_, err = a.DB.SQL().ExecContext(t.Context(), passes)
			require.NoError(t, err)
		}
		moduletest.Boot(t, url, []module.Module{newBell().module()}, moduletest.Set("roles=worker", "jobs.poll=10ms", "jobs.retry_delay=10ms"))
		require.Eventually(t, func() bool {
			return count(t, a.DB, "SELECT count(*) FROM inbound_deliveries WHERE state <> 'processed'") == 0
		}, time.Minute, 50*time.Millisecond, "everything is processed")
		require.Equal(t, rings, count(t, a.DB, "SELECT count(*) FROM rings"), "each once")
		require.Equal(t, rings, count(t, a.DB, "SELECT count(DISTINCT body) FROM rings"))
	})
}
