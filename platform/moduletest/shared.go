package moduletest

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Main runs the tests of the package of an area for its TestMain, and fails where all of them have run and an event or an error code that
// the area declares was never raised: events count that were committed, codes that a service answered, or kept with what failed.
//
// Tests that BootEach boots with some of the areas, and without an option, share a service for each such set and each database: to boot one
// takes longer than most tests do. Each test has a company of its own there, as the companies of a deployment have, and must hold whatever
// the others do meanwhile. One that changes what is the deployment's, or watches all of it, is Alone.
func Main(m *testing.M, area module.Module, others ...module.Module) {
	MainWith(m, nil, area, others...)
}

// MainWith is Main for areas whose tests need options that are the same for all, such as the address of a server that plays a vendor: the
// services that they share are built with them. A test with options of its own has those alone.
func MainWith(m *testing.M, options []Option, area module.Module, others ...module.Module) {
	requireRaised(share(m, options, append([]module.Module{area}, others...)), area)
}

// MainUnshared is Main for tests of which each boots a service of its own.
func MainUnshared(m *testing.M, area module.Module) { requireRaised(m.Run(), area) }

// Share runs the tests of a package that is no area's, and has them share services of the areas as those of Main do.
func Share(m *testing.M, areas ...module.Module) { share(m, nil, areas) }

// share runs the tests, which share services, and returns the exit code, which the process has once TestMain returns.
func share(m *testing.M, options []Option, areas []module.Module) int {
	p := &process{}
	sharing = &services{process: p, areas: areas, options: options, running: map[string]*App{}}
	defer p.end()

	return m.Run()
}

// requireRaised ends the process with an error where all tests of an area passed, and did not raise all that the area declares.
func requireRaised(code int, area module.Module) {
	if code != 0 || !isWhole() {
		return
	}
	report, err := unraised(area)
	if err != nil {
		report = err.Error() + "\n"
	}
	if report != "" {
		fmt.Fprint(os.Stderr, report)
		os.Exit(1) //nolint:forbidigo // as testing.M does for a test that fails
	}
}

// Alone gives a test a service of its own where the others share one.
func Alone() Option { return func(*plan) {} }

// sharing has the services that tests share, once Main has said that they do.
var sharing *services //nolint:gochecknoglobals // as long as the process: Main is all that sets it, before any test runs

type services struct {
	process *process
	areas   []module.Module
	options []Option

	mu      sync.Mutex
	running map[string]*App
}

// have says whether tests share a service of the areas.
func (s *services) have(areas []module.Module) bool {
	return s != nil && !slices.ContainsFunc(areas, func(m module.Module) bool { return !slices.ContainsFunc(s.areas, m.Is) })
}

// of returns the service of the areas, which it boots if need be, with a company of the test's own.
func (s *services) of(t *testing.T, areas []module.Module, boot func(testing.TB) *App) *App {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{path.Base(t.Name())} // the database
	for _, m := range areas {
		ids = append(ids, m.ID())
	}
	key := strings.Join(ids, " ")
	a := s.running[key]
	if a == nil {
		a = boot(s.process)
		a.shared = true
		s.running[key] = a
	}
	own := *a
	own.Owner = a.NewCompany(t)

	return &own
}

// process is what a service asks of its test, for as long as the tests of a package run.
type process struct {
	testing.TB // of which nothing is called but the methods below

	mu       sync.Mutex
	cleanups []func()
}

// Helper implements testing.TB.
func (*process) Helper() {}

// Name implements testing.TB.
func (*process) Name() string { return "a service that tests share" }

// Context implements testing.TB.
func (*process) Context() context.Context { return context.Background() }

// Errorf says what went wrong.
func (*process) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// FailNow ends the process: there is no test to end.
func (*process) FailNow() { panic("a service that tests share has failed") }

// Cleanup implements testing.TB.
func (p *process) Cleanup(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cleanups = append(p.cleanups, do)
}

// TempDir implements testing.TB.
func (p *process) TempDir() string {
	dir, err := os.MkdirTemp("", "dispatchd-test-")
	require.NoError(p, err)
	p.Cleanup(func() { require.NoError(p, os.RemoveAll(dir)) })

	return dir
}

// end does what is to be done at the end, last things first.
func (p *process) end() {
	for _, do := range slices.Backward(p.cleanups) {
		do()
	}
}
