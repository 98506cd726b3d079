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

	"github.com/dispatchd/dispatchd/platform/clock"
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

// presence shows other processes that this one is alive, and looks after the jobs of those that are not.
type presence struct {
	settings Settings
	db       *database.DB
	clock    clock.Clock
	log      *slog.Logger
	// fence stops the jobs of this process while it may be taken for dead, and held are those that it works on.
	fence *fence
	held  *ledger
}

func newPresence(s Settings, db *database.DB, clk clock.Clock, log *slog.Logger) *presence {
	return &presence{settings: s, db: db, clock: clk, log: log, fence: newFence(), held: newLedger()}
}

// attend begins to show to others that owner is alive, and to look after the jobs of those that are not. leave ends both.
func (p *presence) attend(ctx context.Context, owner string) (leave func(), err error) {
	if p.db.Dialect() == database.SQLite {
		return p.attendFile(ctx, owner)
	}

	return p.attendServer(ctx, owner)
}

const (
	lockSuffix = ".jobs.lock"
	lockPoll   = 10 * time.Millisecond
)

// attendFile takes over all jobs that run if no other process runs jobs of the file: whoever runs them shares a
// lock on a file beside it, which the operating system gives back if he dies.
func (p *presence) attendFile(ctx context.Context, owner string) (leave func(), err error) {
	path, ok := p.db.Beside(lockSuffix)
	if !ok {
		return func() {}, nil
	}
	alone := flock.New(path, flock.SetPermissions(0o600))
	got, err := alone.TryLock()
	if err == nil && got {
		err = p.takeOverFile(ctx)
	}
	if err = errors.Join(err, alone.Close()); err != nil {
		return nil, fmt.Errorf("jobs of a process that died: %w", err)
	}
	shared := flock.New(path, flock.SetPermissions(0o600))
	if _, err := shared.TryRLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("jobs: %s: %w", path, errors.Join(err, shared.Close()))
	}

	stop := p.runRepeatedly(ctx, func(ctx context.Context) {
		if err := p.findLostInFile(ctx, owner); err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "looking for jobs that were lost", slog.Any("error", err))
		}
	})

	return func() {
		stop()
		if err := shared.Close(); err != nil {
			p.log.Warn("the lock of those who run jobs", slog.Any("error", err))
		}
	}, nil
}

func (p *presence) takeOverFile(ctx context.Context) error {
	return p.db.InTx(ctx, func(ctx context.Context) error {
		return p.takeOverJobs(ctx, ownersSQLite, ownerPrefix+"%")
	})
}

// findLostInFile ends the attempts that run for owner, this process, in the database alone.
func (p *presence) findLostInFile(ctx context.Context, owner string) error {
	var running []attemptOf
	if err := p.db.Raw(ctx, "River's table: jobs of all companies").Raw(ownersSQLite, owner).Scan(&running).Error; err != nil {
		return database.Translate(err)
	}

	return p.endLostAttempts(ctx, owner, running)
}

// runRepeatedly does something at each look until what it returns is called.
func (p *presence) runRepeatedly(ctx context.Context, look func(ctx context.Context)) (stop func()) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(p.settings.TakeOver / looks)
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
