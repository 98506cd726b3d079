package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// sessionConns are the connections to database.session_url: migrations take two, the workers of jobs the rest.
	sessionConns = 6
	// sessionRounds is how often two connections are compared, since a pooler may hand out the same one by chance.
	sessionRounds = 3
	// sessionLife is how long a check of the sessions is good for.
	sessionLife = 30 * time.Second
	// recheckTime is how long such a check may take within a probe.
	recheckTime = probeTime / 4
)

var (
	errPooled = errors.New("connections are shared between transactions, as by PgBouncer with pool_mode = transaction: " +
		"set database.session_url to the server itself, or to a pool in session mode")
	errSessionsPooled = errors.New("session_url: connections are shared between transactions, as by PgBouncer with pool_mode = transaction: " +
		"name the server itself, or a pool in session mode")
	errOtherDatabase = errors.New("session_url: not the database of database.url")
)

// sessions are the connections that keep what PostgreSQL keeps for a session: advisory locks, LISTEN, SET and named
// prepared statements. Without database.session_url they are those of the pool.
type sessions struct {
	pool *pgxpool.Pool
	sql  *sql.DB

	mu      sync.Mutex
	checked time.Time
}

// openSessions connects to database.session_url, or takes the connections of pool. Both must be of one database, and
// the sessions must be sessions.
func (db *DB) openSessions(ctx context.Context, pool *pgxpool.Pool) (*sessions, error) {
	s := &sessions{pool: pool}
	if db.sessionPlace == "" {
		return s, s.check(ctx, errPooled)
	}
	cfg, err := poolConfig(db.sessionPlace, min(db.conns, sessionConns))
	if err != nil {
		return nil, err
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, Translate(err)
	}
	s.sql = sql.OpenDB(stdlib.GetPoolConnector(s.pool))
	s.sql.SetMaxIdleConns(0) // the pool keeps them
	if err := errors.Join(s.check(ctx, errSessionsPooled), s.compare(ctx, pool)); err != nil {
		return nil, errors.Join(err, s.close())
	}

	return s, nil
}

func (s *sessions) close() error {
	if s.sql == nil {
		return nil
	}
	err := s.sql.Close()
	s.pool.Close()

	return err
}

// check returns pooled where a connection is not the same session from one statement to the next.
func (s *sessions) check(ctx context.Context, pooled error) error {
	shared, err := areShared(ctx, s.pool)
	if err == nil && shared {
		err = pooled
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.checked = time.Now() //nolint:forbidigo // a check is good for time that passes, whatever the clock says
	}

	return Translate(err)
}

// recheck checks the sessions again once in sessionLife. It leaves most of a probe's time to the probe, and a pool without a free connection is no reason
// to be unready.
func (s *sessions) recheck(ctx context.Context, pooled error) error {
	s.mu.Lock()
	fresh := time.Since(s.checked) < sessionLife
	s.mu.Unlock()
	if fresh {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, recheckTime)
	defer cancel()
	if err := s.check(ctx, pooled); errors.Is(err, pooled) {
		return err
	}

	return nil
}

// checkSessions returns an error where connections turn out to be shared between transactions, which a pooler's operator
// can change while the service runs.
func (db *DB) checkSessions(ctx context.Context) error {
	o, err := db.current()
	if err != nil || o.sessions == nil {
		return err
	}
	if o.sessions.sql == nil {
		return o.sessions.recheck(ctx, errPooled)
	}

	return o.sessions.recheck(ctx, errSessionsPooled)
}

// areShared reports whether two connections of a pool work in one process of the server in turns. While the second is in a
// transaction, a pooler has to give the first another process than before, or has given the second the first's.
func areShared(ctx context.Context, pool *pgxpool.Pool) (shared bool, err error) {
	one, err := pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer one.Release()
	two, closeTwo, err := another(ctx, pool)
	if err != nil {
		return false, err
	}
	defer closeTwo()
	for range sessionRounds {
		pids, err := comparePIDs(ctx, one.Conn(), two)
		if err != nil || pids[0] != pids[1] || pids[0] == pids[2] {
			return err == nil, err
		}
	}

	return false, nil
}

// another is a second connection, of the pool where it has two.
func another(ctx context.Context, pool *pgxpool.Pool) (conn *pgx.Conn, done func(), err error) {
	if pool.Config().MaxConns > 1 {
		c, err := pool.Acquire(ctx)
		if err != nil {
			return nil, nil, err
		}

		return c.Conn(), c.Release, nil
	}
	conn, err = pgx.ConnectConfig(ctx, pool.Config().ConnConfig.Copy())
	if err != nil {
		return nil, nil, err
	}

	return conn, func() {
		if err := conn.Close(context.WithoutCancel(ctx)); err != nil {
			return // the server notices its end
		}
	}, nil
}

// comparePIDs returns the server's process of one, of one while two is in a transaction, and of two meanwhile.
func comparePIDs(ctx context.Context, one, two *pgx.Conn) (pids [3]int32, err error) {
	const statement = "SELECT pg_backend_pid()"
	read := func(conn interface {
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	}, i int,
	) error {
		return conn.QueryRow(ctx, statement, pgx.QueryExecModeSimpleProtocol).Scan(&pids[i])
	}
	if err := read(one, 0); err != nil {
		return pids, err
	}
	tx, err := two.Begin(ctx)
	if err != nil {
		return pids, err
	}
	err = errors.Join(read(tx, 2), read(one, 1)) //nolint:mnd // the third

	return pids, errors.Join(err, tx.Rollback(ctx))
}

// compare returns an error if the pool is of another database than the sessions: a lock of one is not seen by the other.
func (s *sessions) compare(ctx context.Context, pool *pgxpool.Pool) error {
	key := rand.Int64() //nolint:gosec // no secret

	return Translate(pgx.BeginFunc(ctx, s.pool, func(holder pgx.Tx) error {
		const lock = "SELECT pg_try_advisory_xact_lock($1)"
		var held, free bool
		if err := holder.QueryRow(ctx, lock, key).Scan(&held); err != nil {
			return err
		}
		if err := pool.QueryRow(ctx, lock, key).Scan(&free); err != nil {
			return err
		}
		if free {
			return errOtherDatabase
		}

		return nil
	}))
}

// connectSession opens a connection of its own with parameters of the session. They are set once connected: poolers
// refuse startup parameters that they do not know (SQLSTATE 08P01).
func connectSession(ctx context.Context, cfg *pgx.ConnConfig, parameters map[string]string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, Translate(err)
	}
	for name, value := range parameters {
		if cfg.RuntimeParams[name] != "" {
			continue
		}
		if _, err := conn.Exec(ctx, "SELECT set_config($1, $2, false)", name, value); err != nil {
			return nil, Translate(errors.Join(fmt.Errorf("setting %s: %w", name, err), conn.Close(context.WithoutCancel(ctx))))
		}
	}

	return conn, nil
}
