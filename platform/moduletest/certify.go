package moduletest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/module"
)

// Certify proves, on both databases, that the area id among modules
//
//   - boots alone with the areas that it needs, twice on the same database, and leaves no goroutine
//     behind;
//   - refuses an unknown key in its configuration;
//   - migrates up, down and up again;
//   - gives every operation an access decision, documented errors and a call in its fixture;
//   - is gone when it is off: no operation, no path in the OpenAPI document (and no table: no migration names another area's);
//   - answers each call of its fixture, a POST with an Idempotency-Key, and refuses the same call without a token (401),
//     without the scope (403), and, where the call names a thing of the company, from another company (404); each
//     of these answers has a status, a media type and a body that the OpenAPI document has;
//   - refuses, of each of its resources, every field that is wrong in each way that its tags know, by its name, and tells the
//     slower of two who change one version;
//   - describes each of its resources as a collection, exports it, and imports the file into a company that has none: with a dry
//     run, to the same values, and the undo leaves nothing;
//   - keeps the versions of each of its resources: a change is in the history, and revert brings the row back;
//   - groups the rows of each of its resources: the counts come to all rows, and to those of one company;
//   - takes a field of each type that a company adds to each of its resources, and its values through files, versions and lists;
//   - keeps a saved view of each of its resources, by which lists go, for its company alone.
//
// The fixture is testdata/certify.yaml in the area's folder; see Fixture. Certify counts
// goroutines, so the test that calls it is not parallel until then; what is left, Certify has run in parallel.
func Certify(t *testing.T, id string, modules ...module.Module) {
	t.Helper()
	f, err := findFixture(id)
	require.NoError(t, err)
	s := subject{id: id, modules: modules, fixture: f, dir: t.TempDir()}
	databasetest.Sequential(t, func(t *testing.T, url string) {
		t.Helper()
		s.on(t, url, lonely)
	})
	t.Parallel()
	for _, check := range declarations {
		t.Run(check.name, func(t *testing.T) { require.NoError(t, check.run(t.Context(), s)) })
	}
	t.Run("in use", func(t *testing.T) {
		t.Parallel()
		databasetest.Each(t, func(t *testing.T, url string) {
			t.Helper()
			s.on(t, url, checks)
		})
	})
}

// on runs checks on a database that is empty.
func (s subject) on(t *testing.T, url string, all []check) {
	t.Helper()
	s.url, s.dir = url, t.TempDir()
	for _, check := range all {
		t.Run(check.name, func(t *testing.T) { require.NoError(t, check.run(t.Context(), s)) })
	}
}

// subject is an area under certification, with a database for its checks, which is empty at first.
type subject struct {
	id      string
	modules []module.Module
	fixture Fixture
	url     string
	dir     string
}

// check is one promise of an area: run says how it is broken.
type check struct {
	name string
	run  func(context.Context, subject) error
}

// declarations, lonely and checks are all promises: those that are seen in a service which does not run, those that are tried while nothing
// else runs, and those that are tried on both databases at a time. They are data so that their own tests can run them one by one.
var (
	declarations = []check{
		{"refuses unknown configuration", refusesUnknownConfiguration},
		{"declares its operations fully", declaresOperations},
		{"is gone when it is off", goneWhenOff},
	}
	lonely = []check{
		{"boots alone, twice, and leaves nothing running", bootsAlone},
	}
	checks = []check{
		{"migrates up, down and up", migratesBackAndForth},
		{"answers its fixture to its company alone", answersFixture},
	}
)

// alone returns the area, others, and, transitively, the areas that they need.
func (s subject) alone(others ...string) []module.Module {
	wanted := append([]string{s.id}, others...)
	for i := 0; i < len(wanted); i++ {
		for _, m := range s.modules {
			if m.ID() == wanted[i] {
				wanted = append(wanted, m.NeededAreas()...)
			}
		}
	}

	return slices.DeleteFunc(slices.Clone(s.modules), func(m module.Module) bool {
		return !slices.Contains(wanted, m.ID())
	})
}

// dependants returns the ids of the area and of all areas that need it, transitively.
func (s subject) dependants() []string {
	ids := []string{s.id}
	for i := 0; i < len(ids); i++ {
		for _, m := range s.modules {
			if slices.Contains(m.NeededAreas(), ids[i]) && !slices.Contains(ids, m.ID()) {
				ids = append(ids, m.ID())
			}
		}
	}

	return ids
}

// built returns a service of the given modules that is not started, and whose database is not there.
func (s subject) built(modules []module.Module, options ...Option) (*App, error) {
	return build("sqlite:"+filepath.Join(s.dir, "none.db"), s.dir, modules, options...)
}

// booted runs work on a service of the given modules and stops it.
func (s subject) booted(
	ctx context.Context, modules []module.Module, work func(*App) error, options ...Option,
) (err error) {
	a, err := boot(ctx, s.url, s.dir, modules, options...)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := a.Stop(context.WithoutCancel(ctx)); err == nil {
			err = stopErr
		}
	}()

	return work(a)
}

func bootsAlone(ctx context.Context, s subject) error {
	before := []goleak.Option{
		goleak.IgnoreCurrent(),
		// fasthttp looks after idle workers every ten seconds and ends at the next look.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	}
	for range 2 {
		if err := s.booted(ctx, s.alone(), func(*App) error { return nil }); err != nil {
			return err
		}
	}

	return goleak.Find(before...)
}

func refusesUnknownConfiguration(_ context.Context, s subject) error {
	key := "modules." + s.id + ".no_such_key"
	_, err := s.built(s.alone(), Set(key+"=1"))
	if err == nil {
		return fmt.Errorf("%s=1 is accepted", key)
	}
	if !strings.Contains(err.Error(), key) {
		return fmt.Errorf("%s=1 is refused without naming the key: %w", key, err)
	}

	return nil
}

// findFixture reads the fixture of an area from its folder below the working folder, or from the
// working folder itself. An area without operations has none.
func findFixture(id string) (Fixture, error) {
	for _, dir := range []string{strings.ReplaceAll(id, "_", ""), "."} {
		file, err := os.Open(filepath.Join(dir, "testdata", "certify.yaml")) //nolint:gosec // a path of the test's own
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return Fixture{}, err
		}
		text, err := io.ReadAll(file)
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return Fixture{}, err
		}

		return parseFixture(text)
	}

	return Fixture{}, nil
}
