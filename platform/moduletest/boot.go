// Package moduletest boots areas for tests, and certifies that they keep the rules.
//
// Boot builds the real graph with just the modules given, on a database that is private to the
// test, and serves it on a free port. Certify proves what every area promises; see Certify.
package moduletest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
)

// App is a service that runs for one test.
type App struct {
	*app.App

	// Owner is the first company, with a token that may do everything.
	Owner Company

	Audit    *audit.Log
	Features *feature.Sets
	Inbox    *inbound.Inbox
	Ledger   *ledger.Ledger

	client     *http.Client
	log        *logbook
	statements *statements
	refusals   *refusals
	shared     bool
	document   func() (*document, error)
}

// Company is a tenant made for the test.
type Company struct {
	ID uuid.UUID
	// Token is the bearer token of its owner.
	Token string
}

// Option changes how Boot builds the service.
type Option func(*plan)

type plan struct {
	set []string
	fx  []fx.Option
}

// Set sets configuration keys, each as "key=value".
func Set(pairs ...string) Option {
	return func(p *plan) { p.set = append(p.set, pairs...) }
}

// With adds fx options, such as fx.Replace or fx.Decorate.
func With(options ...fx.Option) Option {
	return func(p *plan) { p.fx = append(p.fx, options...) }
}

// BootEach runs test once per database, as the subtests "sqlite" and "postgres", each with a
// service of its own, or, see Main, one that it shares. The subtests run in parallel.
func BootEach(t *testing.T, modules []module.Module, test func(t *testing.T, a *App), options ...Option) {
	t.Helper()
	Each(t, modules, func(t *testing.T, boot func(...Option) *App) {
		t.Helper()
		test(t, boot(options...))
	})
}

// Each is BootEach for tests whose options differ by database, such as the address of a server that one service has to itself.
func Each(t *testing.T, modules []module.Module, test func(t *testing.T, boot func(...Option) *App)) {
	t.Helper()
	databasetest.EachCopy(t, templateKey(t, modules), migrateUp(modules), func(t *testing.T, copied func(testing.TB) string) {
		t.Helper()
		test(t, func(options ...Option) *App {
			t.Helper()
			prepared := append([]Option{Set("database.migrate=false")}, options...)
			if len(options) > 0 || !sharing.have(modules) {
				return Boot(t, copied(t), modules, prepared...)
			}

			return sharing.of(t, modules, func(process testing.TB) *App {
				process.Helper()

				return Boot(process, copied(process), modules, append(prepared, sharing.options...)...)
			})
		})
	})
}

// Boot builds and starts a service of the modules on the database at url, bringing its tables up
// to date, and stops it when the test ends. The service has one company, Owner.
func Boot(t testing.TB, url string, modules []module.Module, options ...Option) *App {
	t.Helper()
	a, err := boot(t.Context(), url, t.TempDir(), modules, options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Stop(context.WithoutCancel(t.Context()))) })

	return a
}

// testKey is a master key, which PostgreSQL needs; the same for every boot on a database.
const testKey = "secret.key=dsk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// fewConnections bounds the pool of a service. A test needs several at once, but each costs PostgreSQL a process that reads the catalog
// of a new database, which was a third of the suite's time.
const fewConnections = "database.max_connections=4"

// quickJobs has jobs begin soon after they are enqueued on SQLite, where a test that waits for one waits for the next poll.
// PostgreSQL notifies. To poll twice as often took a fifth of the processor time of tests.
const quickJobs = "jobs.poll=100ms"

func boot(ctx context.Context, url, dir string, modules []module.Module, options ...Option) (*App, error) {
	a, err := build(url, dir, modules, options...)
	if err != nil {
		return nil, err
	}
	if err := a.Start(ctx); err != nil {
		return nil, err
	}
	a.Owner, err = a.newCompany(ctx)

	return a, err
}

func build(url, dir string, modules []module.Module, options ...Option) (*App, error) {
	log := &logbook{next: os.Stderr}
	sent := &statements{}
	refused := newRefusals()
	p := plan{fx: []fx.Option{app.Serving(), app.LogTo(log), sent.option(), refused.option()}}
	for _, option := range options {
		option(&p)
	}
	if strings.HasPrefix(url, "sqlite:") {
		p.set = append([]string{quickJobs}, p.set...)
	}
	cfg, err := app.Load(config.LoadOptions{Modules: modules, Set: append(append([]string{testKey, fewConnections}, p.set...),
		"database.url="+url, "data_dir="+dir, "web.address=127.0.0.1:0", "log.level=error")})
	if err != nil {
		return nil, err
	}
	a := &App{client: &http.Client{Transport: &http.Transport{DisableCompression: true}}, log: log, statements: sent, refusals: refused}
	a.App, err = app.New(cfg, modules, append(p.fx, fx.Populate(&a.Audit, &a.Features, &a.Inbox, &a.Ledger))...)
	if err != nil {
		return nil, err
	}
	a.document = sync.OnceValues(func() (*document, error) { return documentOf(a.API) })

	return a, nil
}

// Stop closes the client's connections and stops the service. What it raised counts for Main.
func (a *App) Stop(ctx context.Context) error {
	raisedHere.noteEvents(ctx, a)
	a.refusals.note(raisedHere)
	a.client.CloseIdleConnections()

	return a.App.Stop(ctx)
}

// NewCompany makes a further company.
func (a *App) NewCompany(t testing.TB) Company {
	t.Helper()
	company, err := a.newCompany(t.Context())
	require.NoError(t, err)

	return company
}

func (a *App) newCompany(ctx context.Context) (Company, error) {
	company, err := a.Identity.CreateCompany(ctx, identity.NewCompany{Name: "Company " + uuid.NewString()})
	if err != nil {
		return Company{}, err
	}
	user, err := a.Identity.CreateUser(ctx, identity.NewUser{
		Company: company.ID, Name: "Owner", Email: "owner@example.com", Role: identity.Owner,
	})
	if err != nil {
		return Company{}, err
	}
	_, token, err := a.Identity.IssueToken(ctx, identity.NewToken{
		Company: company.ID, User: user.ID, Name: "test", Scopes: []string{"*"},
	})

	return Company{ID: company.ID, Token: token}, err
}

// Token makes a service token of a company with the given scopes.
func (a *App) Token(t testing.TB, company Company, scopes ...string) string {
	t.Helper()
	token, err := a.token(t.Context(), company, scopes...)
	require.NoError(t, err)

	return token
}

func (a *App) token(ctx context.Context, company Company, scopes ...string) (string, error) {
	_, token, err := a.Identity.IssueToken(ctx, identity.NewToken{Company: company.ID, Name: "test", Scopes: scopes})

	return token, err
}

// Operator makes a token of the operator with the given scopes.
func (a *App) Operator(t testing.TB, scopes ...string) string {
	t.Helper()
	token, err := a.operator(t.Context(), scopes...)
	require.NoError(t, err)

	return token
}

func (a *App) operator(ctx context.Context, scopes ...string) (string, error) {
	_, token, err := a.Identity.IssueOperatorToken(ctx, identity.NewToken{Name: "test", Scopes: scopes})

	return token, err
}

// migrateUp prepares a template database for the modules.
func migrateUp(modules []module.Module) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error {
		return onDatabase(ctx, url, func(db *database.DB) error {
			return app.MigrateUp(ctx, db, modules, slog.New(slog.DiscardHandler))
		})
	}
}

// onDatabase opens the database at url for the time of work.
func onDatabase(ctx context.Context, url string, work func(*database.DB) error) (err error) {
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if err = db.Start(ctx); err != nil {
		return err
	}
	defer func() {
		if stopErr := db.Stop(context.WithoutCancel(ctx)); err == nil {
			err = stopErr
		}
	}()

	return work(db)
}

// templateKey names the template database of a set of modules: it changes with any migration.
func templateKey(t *testing.T, modules []module.Module) string {
	t.Helper()
	sources, err := migrate.Sources(migrations.FS, modules)
	require.NoError(t, err)
	slices.SortFunc(sources, func(a, b migrate.Source) int { return cmp.Compare(a.Area, b.Area) })

	sum := sha256.New()
	tables, err := jobs.Tables()
	require.NoError(t, err)
	_, err = fmt.Fprintf(sum, "jobs %d\n", tables)
	require.NoError(t, err)
	for _, source := range sources {
		require.NoError(t, fs.WalkDir(source.FS, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(source.FS, path)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(sum, "%s/%s %d\n%s", source.Area, path, len(text), text)

			return err
		}))
	}

	return hex.EncodeToString(sum.Sum(nil)[:10])
}
