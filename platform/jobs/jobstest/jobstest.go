// Package jobstest keeps the workers of a service busy, for tests of what holds until a job has run.
package jobstest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// Busy keeps the workers of one service busy. The service must have one worker of each kind: jobs.workers=1, jobs.outside_workers=1.
type Busy struct {
	queue       *jobs.Queue
	db          *database.DB
	begun, over chan struct{}
}

// New returns a Busy that does nothing until Begin.
func New() *Busy { return &Busy{begun: make(chan struct{}), over: make(chan struct{})} }

// Options are those of the service.
func (b *Busy) Options() fx.Option {
	area := module.New("busy", "Keeps a worker busy", fx.Supply(b, fx.Private), jobs.On((*Busy).work))

	return fx.Options(area.Options(), fx.Populate(&b.queue, &b.db))
}

// Begin returns when the worker is busy. It stays so until the test ends: no other job runs, and no event arrives.
func (b *Busy) Begin(t testing.TB) {
	t.Helper()
	t.Cleanup(func() { close(b.over) })
	require.NoError(t, b.db.InTx(t.Context(), func(ctx context.Context) error { return b.queue.Enqueue(ctx, work{}) }))
	<-b.begun
}

// work is the job.
type work struct{}

// Kind implements jobs.Args.
func (work) Kind() string { return "busy.work" }

func (b *Busy) work(context.Context, work) error {
	close(b.begun)
	<-b.over

	return nil
}
