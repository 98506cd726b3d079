package modules_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// towing is an area that gives a profile a job to do. Each process has one of its own.
type towing struct {
	db    *database.DB
	queue *jobs.Queue
	towed chan uuid.UUID
}

type towArgs struct {
	Car uuid.UUID `json:"car"`
}

// Kind names the job.
func (towArgs) Kind() string { return "towing.tow" }

func (s *towing) tow(_ context.Context, job towArgs) error {
	s.towed <- job.Car

	return nil
}

type tow struct {
	Body towBody
}

type towBody struct {
	Car uuid.UUID `json:"car"`
}

func (s *towing) order(ctx context.Context, in *tow) (*tow, error) {
	err := s.db.InTx(ctx, func(ctx context.Context) error { return s.queue.Enqueue(ctx, towArgs(in.Body)) })

	return &tow{Body: in.Body}, err
}

func (s *towing) routes(r *web.Router) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tows", ID: "create_tow", Summary: "Have a car towed", Access: web.Write,
		Errors: []*errs.Error{errs.New(errs.Conflict, "towing.busy", "Every tow truck is out.")},
	}, s.order)
}

// withTowing returns the areas of the product and one more, whose cars arrive at towed.
func withTowing(towed chan uuid.UUID) []module.Module {
	return append(modules.All(), module.New("towing", "Tow trucks",
		fx.Provide(func(db *database.DB, queue *jobs.Queue) *towing {
			return &towing{db: db, queue: queue, towed: towed}
		}, fx.Private),
		web.Routes(func(r *web.Router, s *towing) { s.routes(r) }),
		jobs.On((*towing).tow),
	))
}

// booted is a process of a profile.
type booted struct {
	*app.App

	towed chan uuid.UUID
}

// bootProfile starts what a profile describes; only what belongs to the machine is told otherwise.
func bootProfile(t *testing.T, name, url string) booted {
	t.Helper()
	towed := make(chan uuid.UUID, 10)
	all := withTowing(towed)
	cfg, err := app.Load(config.LoadOptions{
		Modules: all, File: filepath.Join("..", "config", "profiles", name+".yaml"),
		Set: []string{
			"database.url=" + url, "secret.key=dsk_vembCsy7YgaK6qiZ1z3JT3WQXQjkVVgPRTT2hnzokJM", "data_dir=" + t.TempDir(),
			"web.address=127.0.0.1:0", "web.drain_delay=0s", "metrics.address=127.0.0.1:0", "log.level=error",
		},
	})
	require.NoError(t, err)
	if !config.Get[database.Settings](cfg, "database").Migrate { // dispatchd migrate up
		areas, err := module.Select(all, cfg.Enabled)
		require.NoError(t, err)
		require.NoError(t, app.MigrateUp(t.Context(), databasetest.Open(t, url), areas, slog.New(slog.DiscardHandler)))
	}
	service, err := app.New(cfg, all, app.Serving())
	require.NoError(t, err)
	require.NoError(t, service.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, service.Stop(context.WithoutCancel(t.Context()))) })

	return booted{App: service, towed: towed}
}

// owner makes a company and returns a token that may do everything in it.
func (b booted) owner(t *testing.T) string {
	t.Helper()
	company, err := b.Identity.CreateCompany(t.Context(), identity.NewCompany{Name: "Roadrunner"})
	require.NoError(t, err)
	user, err := b.Identity.CreateUser(t.Context(), identity.NewUser{
		Company: company.ID, Name: "Owner", Email: "owner@example.com", Role: identity.Owner,
	})
	require.NoError(t, err)
	_, token, err := b.Identity.IssueToken(t.Context(), identity.NewToken{
		Company: company.ID, User: user.ID, Name: "test", Scopes: []string{"*"},
	})
	require.NoError(t, err)

	return token
}

func (b booted) call(t *testing.T, token, method, path, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+b.API.Address()+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return response.StatusCode, string(text)
}

// orderTow has a new car towed and returns its id.
func (b booted) orderTow(t *testing.T, token string) uuid.UUID {
	t.Helper()
	car := uuid.New()
	body, err := json.Marshal(towBody{Car: car})
	require.NoError(t, err)
	status, answer := b.call(t, token, http.MethodPost, "/towing/api/v1/tows", string(body))
	require.Equal(t, http.StatusOK, status, answer)

	return car
}

// towedCar waits for the next car that this process has towed.
func (b booted) towedCar(t *testing.T) uuid.UUID {
	t.Helper()
	select {
	case car := <-b.towed:
		return car
	case <-time.After(time.Minute):
		require.Fail(t, "the job has not run")

		return uuid.Nil
	}
}

func (b booted) ready(t *testing.T) {
	t.Helper()
	status, answer := b.call(t, "", http.MethodGet, "/readyz", "")
	require.Equal(t, http.StatusOK, status, answer)
}

func TestProfiles_AreThoseThatAreBootedHere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "config", "profiles", "*"))
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	require.Equal(t, []string{
		"api-only.yaml", "broker.yaml", "esign-receiver.yaml", "listed-areas.yaml", "single-machine.yaml", "worker-only.yaml",
	}, names)
}

func TestProfile_BrokerServesEveryAreaAndRunsItsJobs(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, url string) {
		t.Helper()
		broker := bootProfile(t, "broker", url)
		broker.ready(t)
		require.Len(t, broker.Areas, len(modules.All())+1)
		token := broker.owner(t)
		status, answer := broker.call(t, token, http.MethodGet, "/companies/api/v1/brand", "")
		require.Equal(t, http.StatusOK, status, answer)
		require.Equal(t, broker.orderTow(t, token), broker.towedCar(t))
	})
}

func TestProfiles_APIEnqueuesAndWorkerRuns(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, url string) {
		t.Helper()
		api, worker := bootProfile(t, "api-only", url), bootProfile(t, "worker-only", url)
		api.ready(t)
		require.Empty(t, worker.API.Address(), "a worker answers no requests")
		token := api.owner(t)
		for range 5 {
			require.Equal(t, api.orderTow(t, token), worker.towedCar(t))
		}
		require.Empty(t, api.towed)
	})
}

func TestProfile_SingleMachineAndListedAreasServeOnSQLite(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"single-machine", "listed-areas"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := bootProfile(t, name, "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
			one.ready(t)
			status, answer := one.call(t, one.owner(t), http.MethodGet, "/companies/api/v1/brand", "")
			require.Equal(t, http.StatusOK, status, answer)
		})
	}
}

// onServer runs the test on PostgreSQL, if the tests run on it at all.
func onServer(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		if strings.HasPrefix(url, "postgres") {
			test(t, url)
		}
	})
}
