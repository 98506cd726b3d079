package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrDamaged says that the file of the database is damaged.
var ErrDamaged = errors.New("the database file is damaged; restore a backup (dispatchd restore)")

// firstCheck is how long the start waits for the first check. What it looks through in that time, some 30 MB, is sound
// before anything is served; a larger file is checked on while the service runs.
const firstCheck = 50 * time.Millisecond

// StartChecks has SQLite check its file: now, every database.check_every, and when a statement meets damage. The database is
// prepared or started, and StopChecks comes before its Stop. What it returns waits for the first check, not long: the error is
// ErrDamaged if that found some by then, and Damaged says so if it does later.
func (db *DB) StartChecks(ctx context.Context) (first func(context.Context) error) {
	if db.dialect != SQLite || inMemory(db.place) {
		return func(context.Context) error { return nil }
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	done, found := make(chan struct{}), make(chan error, 1)
	db.stopChecks = func() {
		stop()
		<-done
	}
	go func() {
		defer close(done)
		found <- db.check(running)
		db.keepChecking(running)
	}()

	return func(ctx context.Context) error {
		wait, cancel := context.WithTimeout(ctx, firstCheck)
		defer cancel()
		select {
		case err := <-found:
			if errors.Is(err, ErrDamaged) {
				return err
			}
		case <-wait.Done():
			db.log.InfoContext(ctx, "the check of the database file goes on while the service runs")
		}

		return nil
	}
}

// StopChecks ends what StartChecks began.
func (db *DB) StopChecks() {
	if db.stopChecks != nil {
		db.stopChecks()
	}
}

// Damaged is closed, after the reason was logged, once the file is known to be damaged. Whoever serves stops then:
// what is read may be wrong, and what is written may be lost.
func (db *DB) Damaged() <-chan struct{} { return db.damaged }

func (db *DB) keepChecking(ctx context.Context) {
	var ticks <-chan time.Time
	if db.checkEvery > 0 {
		ticker := time.NewTicker(db.checkEvery)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for db.damage.Load() == nil {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		case <-db.suspicions:
		}
		if err := db.check(ctx); err != nil && ctx.Err() == nil {
			db.log.WarnContext(ctx, "checking the database file", slog.Any("error", err))
		}
	}
}

// check has SQLite look at every page of the file, over a connection of its own.
func (db *DB) check(ctx context.Context) (err error) {
	file := openPool(db.place, readerCache, "query_only(1)")
	defer func() { err = errors.Join(err, file.Close()) }()
	problem, err := problemIn(ctx, file, "quick_check")
	if isDamage(err) {
		problem, err = err.Error(), nil
	}
	if err != nil || problem == "" {
		return err
	}
	err = fmt.Errorf("%s: %w: %s", filePath(db.place), ErrDamaged, problem)
	if db.damage.CompareAndSwap(nil, &err) {
		db.log.ErrorContext(ctx, "the database file is damaged", slog.Any("error", err))
		close(db.damaged)
	}

	return err
}

// problemIn returns the first problem that a check of SQLite finds, "" for none.
func problemIn(ctx context.Context, file *sql.DB, check string) (problem string, err error) {
	if err := file.QueryRowContext(ctx, "PRAGMA "+check+"(1)").Scan(&problem); err != nil {
		return "", err
	}
	if problem == "ok" {
		problem = ""
	}

	return problem, nil
}

// checkDamage has the file checked if a statement met damage.
func (db *DB) checkDamage(err error) {
	if !isDamage(err) {
		return
	}
	select {
	case db.suspicions <- struct{}{}:
	default: // it is suspected already
	}
}

// isDamage reports whether SQLite met something in the file that cannot be.
func isDamage(err error) bool {
	lite, ok := errors.AsType[*sqlite.Error](err)

	return ok && (lite.Code()&0xff == sqlite3.SQLITE_CORRUPT || lite.Code()&0xff == sqlite3.SQLITE_NOTADB)
}
