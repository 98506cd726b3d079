package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gofrs/flock"

	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// lockWait is how long a process waits for another one that migrates. It is less than the time
	// that the app has to start, so that the error says what it waited for.
	lockWait = 4 * time.Minute
	// lockPoll is the time between two tries. Waiting in the database instead would deadlock with
	// CREATE INDEX CONCURRENTLY, which waits for every statement that began before it.
	lockPoll = 100 * time.Millisecond
	// connectWait bounds getting the connections that migrations need.
	connectWait = 10 * time.Second
	// unlockWait bounds giving the lock back.
	unlockWait = 5 * time.Second
	// lockKey is the advisory lock on PostgreSQL, which is per database: "dispatch" in ASCII.
	lockKey int64 = 0x6469737061746368
)

// lock is what one process at a time holds.
type lock interface {
	try(ctx context.Context) (bool, error)
	// holder says, for an error, how to find who holds the lock.
	holder() string
	release(ctx context.Context) error
}

// runLocked does the work while no other process migrates the database. It waits at most wait.
func runLocked(ctx context.Context, db *database.DB, wait time.Duration, log *slog.Logger, work func() error) (err error) {
	l, err := newLock(ctx, db)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockWait)
		defer cancel()
		err = errors.Join(err, l.release(ctx))
	}()
	if err := acquireLock(ctx, l, wait, log); err != nil {
		return err
	}

	return work()
}

func acquireLock(ctx context.Context, l lock, wait time.Duration, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for waiting := false; ; waiting = true {
		got, err := l.try(ctx)
		if got {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("locking the migrations: %w", err)
		}
		if !waiting {
			log.InfoContext(ctx, "another process is migrating the database, waiting")
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process has been migrating the database for %s (%s): %w", wait, l.holder(), ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}

func newLock(ctx context.Context, db *database.DB) (lock, error) {
	if db.Dialect() == database.SQLite {
		return newFileLock(ctx, db.SQL())
	}

	return newAdvisoryLock(ctx, db.SQL())
}

// advisoryLock is a lock of a PostgreSQL session. The server gives it back if the process dies. It
// keeps one connection, and goose needs another.
type advisoryLock struct {
	conn *sql.Conn
	held bool
}

func newAdvisoryLock(ctx context.Context, db *sql.DB) (lock, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("locking the migrations: %w", database.Translate(err))
	}
	ctx, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	another, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf(
			"migrations need two connections to PostgreSQL; is database.max_connections 2 or more? %w", database.Translate(err),
		), conn.Close())
	}

	return &advisoryLock{conn: conn}, another.Close()
}

func (l *advisoryLock) try(ctx context.Context) (bool, error) {
	err := l.conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, lockKey).Scan(&l.held)

	return l.held, err
}

func (*advisoryLock) holder() string {
	return "SELECT pid FROM pg_locks WHERE locktype = 'advisory' names it"
}

func (l *advisoryLock) release(ctx context.Context) error {
	if !l.held {
		return l.conn.Close()
	}
	_, err := l.conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, lockKey)

	return errors.Join(err, l.conn.Close())
}

// fileLock is a lock on an empty file beside the SQLite database. The operating system gives it
// back if the process dies; the file stays.
type fileLock struct{ *flock.Flock }

// memoryLock is for a database that has no file, and so no second process.
type memoryLock struct{}

func newFileLock(ctx context.Context, db *sql.DB) (lock, error) {
	var path string
	err := db.QueryRowContext(ctx, `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path)
	if err != nil {
		return nil, fmt.Errorf("locking the migrations: %w", err)
	}
	if path == "" {
		return memoryLock{}, nil
	}

	return fileLock{flock.New(path + ".migrate.lock")}, nil
}

func (l fileLock) try(context.Context) (bool, error) { return l.TryLock() }

func (l fileLock) holder() string { return "it holds " + l.Path() }

func (l fileLock) release(context.Context) error { return l.Close() }

func (memoryLock) try(context.Context) (bool, error) { return true, nil }

func (memoryLock) holder() string { return "" }

func (memoryLock) release(context.Context) error { return nil }
