package demo_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// process is what one run of the service has.
type process struct {
	db  *database.DB
	who *identity.Service
}

func start(t *testing.T, url string) process {
	t.Helper()
	p, err := open(t.Context(), url, t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.db.Stop(context.WithoutCancel(t.Context()))) })

	return p
}

func open(ctx context.Context, url, dir string) (process, error) {
	log := slog.New(slog.DiscardHandler)
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, dir, log)
	if err != nil {
		return process{}, err
	}
	if err := db.Start(ctx); err != nil {
		return process{}, err
	}
	sources, err := migrate.Sources(migrations.FS, nil)
	if err != nil {
		return process{}, err
	}

	roles, err := identity.NewRoles()
	if err != nil {
		return process{}, err
	}

	return process{db: db, who: identity.New(db, broadcast.New(db, log), roles, clock.System{}, log)}, migrate.Up(ctx, db, sources, log)
}

// area is what the areas' data is made with.
type area struct {
	who *identity.Service
	// fail ends the seeding.
	fail func() error
}

func seed(ctx context.Context, a *area) error {
	caller, _ := principal.From(ctx)
	_, err := a.who.CreateUser(ctx, identity.NewUser{
		Company: caller.Company, Name: "Seed", Email: "seed@example.com", Role: identity.Viewer,
	})

	return errors.Join(err, a.fail())
}

func after(ctx context.Context, a *area) error {
	caller, _ := principal.From(ctx)
	tokens, err := a.who.ListTokens(ctx, caller.Company)
	if len(tokens) != 0 {
		return errors.New("the areas come before the token")
	}

	return err
}

// run builds the registry as the app does, with an area that may fail, and runs it.
func (p process) run(ctx context.Context, tokenFile string, fail func() error) error {
	var plan *demo.Plan
	m := module.New("zoo", "", fx.Supply(&area{who: p.who, fail: fail}, fx.Private), demo.Data(seed), demo.Data(after))
	graph := fx.New(fx.NopLogger, fx.Supply(p.db, slog.New(slog.DiscardHandler)), fx.Provide(demo.NewPlan), m.Options(),
		fx.Invoke(module.Fill), fx.Populate(&plan))
	if err := graph.Err(); err != nil {
		return err
	}

	return plan.Run(ctx, p.who, tokenFile)
}

func fine() error { return nil }

func each(t *testing.T, test func(t *testing.T, p process, tokenFile string)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		test(t, start(t, url), filepath.Join(t.TempDir(), "data", "token"))
	})
}

// requireToken reads the file and shows that its token is the owner's.
func (p process) requireToken(t *testing.T, tokenFile string) string {
	t.Helper()
	info, err := os.Stat(tokenFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(tokenFile)
	require.NoError(t, err)
	who, err := p.who.Authenticate(t.Context(), strings.TrimSuffix(string(text), "\n"))
	require.NoError(t, err)
	require.Equal(t, demo.CompanyID, who.Company.String())
	require.Equal(t, demo.OwnerID, who.User.String())
	require.Equal(t, []string{"*"}, who.Scopes)
	rest, err := filepath.Glob(filepath.Join(filepath.Dir(tokenFile), ".token-*"))
	require.NoError(t, err)
	require.Empty(t, rest)

	return string(text)
}

func TestRun_MakesTheCompanyItsOwnerDataAndToken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p process, tokenFile string) {
		t.Helper()
		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		first := p.requireToken(t, tokenFile)
		owner, err := p.who.User(t.Context(), uuid.MustParse(demo.CompanyID), uuid.MustParse(demo.OwnerID))
		require.NoError(t, err)
		require.Equal(t, identity.Owner, owner.Role)

		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		require.Equal(t, first, p.requireToken(t, tokenFile), "a second start changes nothing")
		companies, err := p.who.ListCompanies(t.Context())
		require.NoError(t, err)
		require.Len(t, companies, 1)
	})
}

func TestRun_WritesAFreshTokenWhenTheFileIsLost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p process, tokenFile string) {
		t.Helper()
		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		first := p.requireToken(t, tokenFile)
		require.NoError(t, os.Remove(tokenFile))
		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		require.NotEqual(t, first, p.requireToken(t, tokenFile))
	})
}

func TestRun_LeavesAnEmptyDatabaseWhenItFailsOnTheWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p process, tokenFile string) {
		t.Helper()
		boom := errors.New("boom")
		err := p.run(t.Context(), tokenFile, func() error { return boom })
		require.ErrorIs(t, err, boom)
		require.ErrorContains(t, err, `area "zoo"`)
		empty, err := p.who.Empty(t.Context())
		require.NoError(t, err)
		require.True(t, empty)
		require.NoFileExists(t, tokenFile)

		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		p.requireToken(t, tokenFile)
	})
}

func TestRun_DoesNothingWhereThereAreOtherCompanies(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p process, tokenFile string) {
		t.Helper()
		_, err := p.who.CreateCompany(t.Context(), identity.NewCompany{Name: "Roadrunner"})
		require.NoError(t, err)
		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		companies, err := p.who.ListCompanies(t.Context())
		require.NoError(t, err)
		require.Len(t, companies, 1)
		require.NoFileExists(t, tokenFile)
	})
}

func TestRun_ReplacesTheFileOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p process, tokenFile string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(tokenFile), 0o700))
		require.NoError(t, os.WriteFile(tokenFile, []byte("dsp_old\n"), 0o644))
		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		p.requireToken(t, tokenFile)
	})
}

func TestRun_SaysWhenTheFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p process, tokenFile string) {
		t.Helper()
		inTheWay := filepath.Dir(tokenFile)
		require.NoError(t, os.WriteFile(inTheWay, nil, 0o600))
		require.ErrorContains(t, p.run(t.Context(), tokenFile, fine), "token of the demo company")
		require.NoError(t, os.Remove(inTheWay))
		require.NoError(t, p.run(t.Context(), tokenFile, fine))
		p.requireToken(t, tokenFile)
	})
}

func TestIDs_HaveTheShapeOfVersion7(t *testing.T) {
	t.Parallel()
	for _, id := range []string{demo.CompanyID, demo.OwnerID} {
		require.Equal(t, uuid.Version(7), uuid.MustParse(id).Version())
		require.Equal(t, uuid.RFC4122, uuid.MustParse(id).Variant())
	}
}
