package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database/internal/dialect"
)

const (
	connectTimeout = 5 * time.Second
	// attempts is how often a transaction runs that PostgreSQL chose as the victim of a deadlock.
	attempts = 3
	// victimPause is the longest that a victim waits before its second attempt; before the third it
	// may be twice as long. How long is chance, or two victims would meet again.
	victimPause = 20 * time.Millisecond
)

// server is a pool of connections to a PostgreSQL server, and the sessions.
type server struct {
	pool     *pgxpool.Pool
	sessions *sessions
}

// poolConfig is the configuration of a pool of at most conns connections.
func poolConfig(url string, conns int) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database.%w", errNotPostgres) // the error of pgx would quote it
	}
	cfg.MaxConns = int32(min(conns, 1<<15)) //nolint:gosec // bounded
	cfg.ConnConfig.ConnectTimeout = connectTimeout
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "dispatchd"
	}
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		pgxuuid.Register(conn.TypeMap()) // else each id is written as text, and read again
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})

		return nil
	}

	return cfg, nil
}

// openServer connects a pool. Statements are prepared and kept by pgx on each connection, in one
// round trip, so GORM's own cache of statements stays off. Where connections keep no session, nothing is kept on them.
func (db *DB) openServer(ctx context.Context) (connection, error) {
	cfg, err := poolConfig(db.place, db.conns)
	if err != nil {
		return nil, err
	}
	if db.sessionPlace != "" {
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, Translate(err)
	}
	err = pool.Ping(ctx)
	if err == nil {
		var s *sessions
		if s, err = db.openSessions(ctx, pool); err == nil {
			return &server{pool, s}, nil
		}
	}
	pool.Close()

	return nil, Translate(err)
}

func (s *server) close() error {
	err := s.sessions.close()
	s.pool.Close()

	return err
}

func (s *server) serve(db *DB) (*opened, error) {
	db.pool.Store(s.pool)
	conn := sql.OpenDB(newSharing(s.pool, db.share))
	conn.SetMaxIdleConns(0) // the pool keeps them
	orm, err := gorm.Open(dialect.NewPostgres(conn), ormConfig(db.log, db.slow))
	if err == nil {
		err = errors.Join(orm.Use(tenancy{log: db.log}), db.observeStatements(orm))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}

	o := &opened{sql: conn, sessions: s.sessions, orm: orm, read: reading{conn}, steady: reading{conn}, dynamic: readingByValue{reading{planned{conn}}}}
	o.close = func() error {
		o.inside.Wait() // they may not have begun yet

		return errors.Join(conn.Close(), s.close())
	}

	return o, nil
}

func (db *DB) retryPostgres(ctx context.Context, o *opened, fn func(context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := db.oncePostgres(ctx, o, attempt, fn)
		if err == nil || attempt == attempts || !runsAgain(err) {
			return err
		}
		db.log.DebugContext(ctx, "running a transaction again", "attempt", attempt, "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(time.Duration(attempt) * victimPause)): //nolint:gosec // no secret
		}
	}
}

// runsAgain reports whether a transaction that ended with an error may run again. Once its end was sent, that takes the
// server's word that nothing was committed. Until then nothing can be: pgconn.SafeToRetry is believed as long as
// COMMIT is not what was sent, since an answer that does not arrive is "conn closed" as well, which it calls safe.
func runsAgain(err error) bool {
	return isRetryable(err) || pgconn.SafeToRetry(err) && !errors.Is(err, ErrOutcomeUnknown)
}

func (db *DB) oncePostgres(ctx context.Context, o *opened, attempt int, fn func(context.Context) error) error {
	tx := &transaction{db: db, attempt: attempt}
	tx.begin = func() error { return tx.beginOn(ctx, o.sql) }
	defer func() { tx.giveBack(ctx) }() // after an error, and on the way up from a panic, too
	if err := tx.runOutermost(ctx, fn); err != nil {
		return err
	}
	if tx.alone {
		return nil
	}
	if err := ctx.Err(); err != nil || tx.sql == nil {
		return Translate(err)
	}

	return translateEnd(tx.sql.Commit())
}

// beginOn begins the transaction on a connection of a pool. It ends with ctx at the latest.
func (tx *transaction) beginOn(ctx context.Context, pool *sql.DB) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return Translate(err)
	}
	begun, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return Translate(errors.Join(err, conn.Close()))
	}
	tx.conn, tx.sql, tx.pool = conn, begun, begun

	return nil
}

// giveBack rolls back what is not committed, and gives up the connection.
func (tx *transaction) giveBack(ctx context.Context) {
	if tx.sql != nil {
		if err := tx.sql.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
			tx.db.log.DebugContext(ctx, "rollback", "error", err)
		}
	}
	if tx.conn != nil {
		if err := tx.conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
			tx.db.log.DebugContext(ctx, "giving a connection back", "error", err)
		}
	}
}

// planned sends statements that PostgreSQL plans anew each time, with the values at hand, in one
// round trip: pgx keeps the description of the statement, not the statement.
type planned struct{ pool gorm.ConnPool }

func withMode(args []any) []any {
	return append([]any{pgx.QueryExecModeCacheDescribe}, args...)
}

// PrepareContext implements gorm.ConnPool.
func (p planned) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return p.pool.PrepareContext(ctx, query)
}

// ExecContext implements gorm.ConnPool.
func (p planned) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return p.pool.ExecContext(ctx, query, withMode(args)...)
}

// QueryContext implements gorm.ConnPool.
func (p planned) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.pool.QueryContext(ctx, query, withMode(args)...)
}

// QueryRowContext implements gorm.ConnPool.
func (p planned) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.pool.QueryRowContext(ctx, query, withMode(args)...)
}
