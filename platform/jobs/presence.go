package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// ownerPrefix begins the names of processes that show that they are alive. Others, of an older release, do not.
const ownerPrefix = "dispatchd/"

// newOwner names a process as the owner of the jobs that it runs. No two starts have the same name.
func newOwner() string {
	const longest = 40 // River allows 100 in all
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}

	return ownerPrefix + host[:min(len(host), longest)] + "/" + uuid.NewString()
}

// startSession begins to show to others that owner is alive, and to look after the jobs of those that are not. leave
// ends both.
func (q *Queue) startSession(ctx context.Context, owner string) (leave func(), err error) {
	if q.db.Dialect() == database.SQLite {
		return q.attendFile(ctx, owner)
	}

	return q.attendServer(ctx, owner)
}

const (
	lockSuffix = ".jobs.lock"
	lockPoll   = 10 * time.Millisecond
)

// attendFile takes over all jobs that run if no other process runs jobs of the file: whoever runs them shares a
// lock on a file beside it, which the operating system gives back if he dies.
func (q *Queue) attendFile(ctx context.Context, owner string) (leave func(), err error) {
	path, ok := q.db.Beside(lockSuffix)
	if !ok {
		return func() {}, nil
	}
	alone := flock.New(path, flock.SetPermissions(0o600))
	got, err := alone.TryLock()
	if err == nil && got {
		err = q.takeOverFile(ctx)
	}
	if err = errors.Join(err, alone.Close()); err != nil {
		return nil, fmt.Errorf("jobs of a process that died: %w", err)
	}
	shared := flock.New(path, flock.SetPermissions(0o600))
	if _, err := shared.TryRLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("jobs: %s: %w", path, errors.Join(err, shared.Close()))
	}

	stop := q.runRepeatedly(ctx, func(ctx context.Context) {
		if err := q.findLostInFile(ctx, owner); err != nil && ctx.Err() == nil {
			q.log.WarnContext(ctx, "looking for jobs that were lost", slog.Any("error", err))
		}
	})

	return func() {
		stop()
		if err := shared.Close(); err != nil {
			q.log.Warn("the lock of those who run jobs", slog.Any("error", err))
		}
	}, nil
}

func (q *Queue) takeOverFile(ctx context.Context) error {
	return q.db.InTx(ctx, func(ctx context.Context) error {
		return q.takeOverJobs(ctx, ownersSQLite, ownerPrefix+"%")
	})
}

// findLostInFile ends the attempts that run for owner, this process, in the database alone.
func (q *Queue) findLostInFile(ctx context.Context, owner string) error {
	var running []attemptOf
	if err := q.db.Raw(ctx, "River's table: jobs of all companies").Raw(ownersSQLite, owner).Scan(&running).Error; err != nil {
		return database.Translate(err)
	}

	return q.endLostAttempts(ctx, owner, running)
}

// runRepeatedly does something at each look until what it returns is called.
func (q *Queue) runRepeatedly(ctx context.Context, look func(ctx context.Context)) (stop func()) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(q.settings.TakeOver / looks)
		defer ticks.Stop()
		for {
			look(running)
			select {
			case <-running.Done():
				return
			case <-ticks.C:
			}
		}
	}()

	return func() {
		cancel()
		<-done
	}
}
