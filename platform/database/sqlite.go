package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/dispatchd/dispatchd/platform/database/internal/dialect"
	"github.com/dispatchd/dispatchd/platform/database/internal/filelock"
	"github.com/dispatchd/dispatchd/platform/database/internal/prepared"
	"github.com/dispatchd/dispatchd/platform/database/internal/statistics"
	"github.com/dispatchd/dispatchd/platform/privatefile"
)

// Pragmas of every connection. FULL: what InTx acknowledged survives a power cut.
var pragmas = []string{
	"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "busy_timeout(10000)",
	"temp_store(MEMORY)", // what a savepoint would undo is kept there, not written to a file of its own
}

// Caches in KiB. A page of 4 KiB takes 8 of memory, since the driver's allocator rounds to powers of two;
// what is not there comes from the system's cache of the file.
const (
	writerCache = "cache_size(-8000)"
	readerCache = "cache_size(-1000)"
	// writerSpill is up to where a transaction keeps what it changed in memory.
	writerSpill = "cache_spill(-32000)"
)

const (
	// writers are the connections that write: the group of those who wait keeps one, and the queue and migrations share the other.
	writers = 2
	// readerLife bounds how long a reader goes without the statistics of the last ANALYZE.
	readerLife = 10 * time.Minute
	// busyPause is how long one who opens a file waits before he tries again.
	busyPause = 10 * time.Millisecond
)

// file is an open SQLite file: its writers and a pool of readers.
type file struct {
	writer, readers *sql.DB
	unlock          func() error
}

// openFile opens the file of a database, making its folder.
func (db *DB) openFile(ctx context.Context) (_ connection, err error) {
	path := filePath(db.place)
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	unlock := func() error { return nil }
	if !inMemory(db.place) {
		if unlock, err = filelock.Shared(path); err != nil {
			return nil, err
		}
	}
	if err := prepareFile(db.place); err != nil {
		return nil, errors.Join(err, unlock())
	}
	f := &file{
		writer:  openInTurns(db.place, newTurns(), writerCache, writerSpill),
		readers: openPool(db.place, readerCache, "query_only(1)"),
		unlock:  unlock,
	}
	f.writer.SetMaxOpenConns(writers)
	f.writer.SetMaxIdleConns(writers)
	f.readers.SetMaxOpenConns(db.conns)
	f.readers.SetMaxIdleConns(db.conns)
	f.readers.SetConnMaxLifetime(readerLife)
	err = whenFree(ctx, func() error { return statistics.Keep(ctx, f.writer) })
	if err == nil {
		err = errors.Join(warm(ctx, f.writer, writers), warm(ctx, f.readers, 1))
	}
	if err == nil {
		return f, nil
	}
	if isDamage(err) {
		err = errors.Join(ErrDamaged, err)
	}

	return nil, errors.Join(fmt.Errorf("%s: %w", db.place, err), f.close())
}

func (f *file) close() error { return errors.Join(f.readers.Close(), f.writer.Close(), f.unlock()) }

func (f *file) serve(db *DB) (*opened, error) {
	cached := prepared.NewAll(f.readers)
	kept, err := prepared.NewRecent(f.readers)
	if err != nil {
		return nil, err
	}
	config := ormConfig(db.log, db.slow)
	config.Logger = statementLog{log: db.log, slow: db.slow, failed: db.checkDamage}
	orm, err := gorm.Open(dialect.NewSQLite(cached), config)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(orm.Use(tenancy{log: db.log}), db.observeStatements(orm)); err != nil {
		return nil, err
	}
	g := newGroup(f.writer, db.log)
	g.sizes = db.commitSizes
	go g.loop()

	return &opened{
		sql: f.writer, orm: orm, read: reading{cached}, steady: reading{kept}, dynamic: readingByValue{reading{kept}}, group: g, readers: f.readers,
		close: func() error {
			g.stop()
			kept.Close()

			return errors.Join(cached.Close(), f.close())
		},
	}, nil
}

// warm makes n connections of a pool, each of which reads the schema: what is first asked of one does not wait for that.
func warm(ctx context.Context, pool *sql.DB, n int) (err error) {
	for range n {
		conn, wrong := pool.Conn(ctx)
		if wrong != nil {
			return errors.Join(err, wrong)
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		if err = conn.PingContext(ctx); err != nil {
			return err
		}
	}

	return nil
}

// prepareFile makes a file that is not there yet readable for its owner alone, as those that SQLite puts beside it are
// then too, and removes what a restore left that was killed.
func prepareFile(place string) error {
	path := filePath(place)
	if inMemory(place) || strings.Contains(place, "mode=ro") {
		return nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator's own choice
	if err != nil {
		return err
	}

	return errors.Join(file.Close(), privatefile.RemoveLeft(path))
}

func openPool(place string, more ...string) *sql.DB { return openInTurns(place, nil, more...) }

func openInTurns(place string, t turns, more ...string) *sql.DB {
	query := url.Values{"_txlock": {"immediate"}, "_timezone": {"UTC"}}
	for _, pragma := range append(append([]string{}, pragmas...), more...) {
		query.Add("_pragma", pragma)
	}
	separator := "?"
	if strings.Contains(place, "?") {
		separator = "&"
	}

	return sql.OpenDB(connector{dsn: place + separator + query.Encode(), turns: t})
}

func inMemory(place string) bool {
	return strings.Contains(place, "mode=memory") || strings.Contains(place, ":memory:")
}

// filePath returns the path of the file in a place that may be a URI (file:x?mode=…).
func filePath(place string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(place, "file:"), "?")

	return path
}

// whenFree runs fn, the first to touch a file, again while another process has the file to itself. SQLite does
// not wait for that when the file is being made or its log begun or ended.
func whenFree(ctx context.Context, fn func() error) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	for {
		err := fn()
		lite, ok := errors.AsType[*sqlite.Error](err)
		if !ok || lite.Code()&0xff != sqlite3.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(busyPause):
		}
	}
}
