package database

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// DB is the database of a deployment. It may be used from several goroutines between Start and
// Stop.
type DB struct {
	dialect Dialect
	place   string
	// sessionPlace is database.session_url.
	sessionPlace string
	conns        int
	log          *slog.Logger
	slow         time.Duration // from how long on a statement is logged
	stopped      *gorm.DB      // a handle on which every statement fails

	// See Observe; nil while nobody looks.
	tracer      trace.Tracer
	commitSizes prometheus.Histogram
	// See OnStatement.
	hearing []func(context.Context, Statement)

	beforeCommit []func(context.Context) error

	mu       sync.RWMutex
	prepared connection // between Prepare and Start
	open     *opened    // nil while stopped

	pool     atomic.Pointer[pgxpool.Pool] // of the last Start
	share    share                        // of the pool, for work in the background
	messages *messages                    // PostgreSQL only

	probes probes

	// See StartChecks.
	checkEvery time.Duration
	stopChecks func()
	suspicions chan struct{}
	damage     atomic.Pointer[error]
	damaged    chan struct{}

	numberedTexts sync.Map // statements of Pipeline for PostgreSQL, by their text
}

// opened is what is there between Start and Stop.
type opened struct {
	// sql is the server's pool, or SQLite's one writer.
	sql *sql.DB
	// sessions is nil on SQLite.
	sessions *sessions
	// read, steady and dynamic are where the statements of Conn, Steady and Dynamic go outside of a transaction.
	orm     *gorm.DB
	read    gorm.ConnPool
	steady  gorm.ConnPool
	dynamic gorm.ConnPool
	group   *group  // SQLite only
	readers *sql.DB // SQLite only
	close   func() error
	// inside counts the functions of InTx that run.
	inside sync.WaitGroup
}

var (
	errStopped = errors.New("database: not started")
	errTwice   = errors.New("database: started twice")
)

// New returns a database that is not open yet; it does no I/O. The data folder is for SQLite
// without a URL.
func New(s Settings, dataDir string, log *slog.Logger) (*DB, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("database.%w", err)
	}
	dialect, place := s.place(dataDir)
	stopped, err := gorm.Open(postgres.New(postgres.Config{Conn: &sql.DB{}}), ormConfig(log, slowStatement))
	if err != nil {
		return nil, err
	}

	db := &DB{
		dialect: dialect, place: place, sessionPlace: s.SessionURL.Reveal(), conns: s.connections(dialect), log: log, slow: slowStatement, stopped: stopped,
		share: newShare(s.connections(dialect)), checkEvery: s.CheckEvery, suspicions: make(chan struct{}, 1), damaged: make(chan struct{}),
	}
	db.messages = newMessages(db)

	return db, nil
}

// connection is an open database on which nothing runs yet.
type connection interface {
	// serve has statements of db run on it. After an error it is still to be closed; else opened.close closes it.
	serve(db *DB) (*opened, error)
	close() error
}

// Prepare does beforehand what takes long of Start, which then follows, or Stop: it opens the database and makes sure that it
// answers. Meanwhile, and until Start, Observe and OnStatement may be called.
func (db *DB) Prepare(ctx context.Context) (err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.open != nil || db.prepared != nil {
		return errTwice
	}
	db.prepared, err = db.connect(ctx)

	return err
}

func (db *DB) connect(ctx context.Context) (connection, error) {
	open := db.openServer
	if db.dialect == SQLite {
		open = db.openFile
	}
	c, err := open(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}

	return c, nil
}

// Start opens the database, unless Prepare has, and makes sure that it answers. It may be called again after Stop.
func (db *DB) Start(ctx context.Context) (err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.open != nil {
		return errTwice
	}
	c := db.prepared
	if c == nil {
		if c, err = db.connect(ctx); err != nil {
			return err
		}
	}
	db.prepared = nil
	if db.open, err = c.serve(db); err != nil {
		return errors.Join(err, c.close())
	}

	return nil
}

// Stop waits for transactions in flight and closes the database.
func (db *DB) Stop(context.Context) error {
	db.mu.Lock()
	o, c := db.open, db.prepared
	db.open, db.prepared = nil, nil
	db.mu.Unlock()
	if c != nil {
		return c.close()
	}
	if o == nil {
		return nil
	}

	return o.close()
}

// Dialect returns which database it is.
func (db *DB) Dialect() Dialect { return db.dialect }

// SQL returns connections for migrations, which keep their session: the one writer on SQLite.
func (db *DB) SQL() *sql.DB {
	o, err := db.current()
	if err != nil {
		return nil
	}
	if o.sessions != nil && o.sessions.sql != nil {
		return o.sessions.sql
	}

	return o.sql
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	o, err := db.current()
	if err != nil {
		return err
	}
	var one int

	return Translate(o.read.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Conn returns a handle that joins the transaction in ctx; without one it reads. The handle keeps
// companies apart, and is good for any number of statements.
func (db *DB) Conn(ctx context.Context) *gorm.DB {
	return db.handle(ctx, func(o *opened) gorm.ConnPool { return o.read })
}

// Dynamic is Conn for reads whose SQL differs from call to call. They are planned for the values at hand, since a plan made
// for any values misleads where one table holds the rows of all companies, and of a rare value and a frequent one.
func (db *DB) Dynamic(ctx context.Context) *gorm.DB {
	return db.handle(ctx, func(o *opened) gorm.ConnPool { return o.dynamic })
}

// Steady is Dynamic for those reads among them of which one plan is the best whatever the values are: it is made
// once for each connection. Planning can take longer than reading a page by the plan.
func (db *DB) Steady(ctx context.Context) *gorm.DB {
	return db.handle(ctx, func(o *opened) gorm.ConnPool { return o.steady })
}

// Raw is Conn without the plug-in's protection, the only door to SQL by hand (Raw, Exec, Table,
// Joins). The caller binds the company himself, and says why for the reader.
func (db *DB) Raw(ctx context.Context, why string) *gorm.DB {
	return db.Conn(ctx).Set(settingRaw, why).Session(&gorm.Session{})
}

// UncheckedRaw turns the handle of Dynamic into one of Raw.
func UncheckedRaw(tx *gorm.DB, why string) *gorm.DB {
	return tx.Set(settingRaw, why).Session(&gorm.Session{})
}

func (db *DB) current() (*opened, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.open == nil {
		return nil, Translate(errStopped)
	}

	return db.open, nil
}

// enter is current for an InTx, which calls leave when it is through.
func (db *DB) enter() (o *opened, leave func(), err error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.open == nil {
		return nil, nil, Translate(errStopped)
	}
	db.open.inside.Add(1)

	return db.open, db.open.inside.Done, nil
}

func (db *DB) handle(ctx context.Context, pool func(*opened) gorm.ConnPool) *gorm.DB {
	o, err := db.current()
	if err != nil {
		handle := db.stopped.Session(&gorm.Session{NewDB: true, Context: ctx})
		_ = handle.AddError(err) // returns what it is given

		return handle
	}
	if tx := db.tx(ctx); tx != nil {
		return session(o.orm, ctx, joined{tx})
	}

	return session(o.orm, ctx, pool(o))
}

// session returns a handle whose statements go to pool.
func session(orm *gorm.DB, ctx context.Context, pool gorm.ConnPool) *gorm.DB { //nolint:revive // the handle leads
	s := orm.Session(&gorm.Session{NewDB: true, Context: ctx})
	s.Statement.ConnPool = pool

	return s
}

// NewID returns a new id: a UUID of version 7 (RFC 9562), which grows with time.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// FirstID returns the least UUID of version 7 of a time (RFC 9562, 5.7). Ids are in the order of time: what is
// older than the time has a lesser one.
func FirstID(at time.Time) uuid.UUID {
	var id uuid.UUID
	const belowMilliseconds = 16
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<belowMilliseconds)

	return id
}

// TimeOf returns the time in a UUID of version 7, to the millisecond.
func TimeOf(id uuid.UUID) time.Time {
	const belowMilliseconds = 16

	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> belowMilliseconds)).UTC()
}
