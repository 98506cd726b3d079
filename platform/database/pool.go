package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
	"modernc.org/sqlite"
)

// reading is where statements outside InTx go. It hides that transactions can begin there.
type reading struct{ gorm.ConnPool }

// readingByValue is reading for statements that are planned for the values at hand.
type readingByValue struct{ reading }

// PlansByValue implements dialect.ByValue.
func (readingByValue) PlansByValue() {}

// BeginTx implements gorm.ConnPoolBeginner, to say what to do instead.
func (r reading) BeginTx(context.Context, *sql.TxOptions) (gorm.ConnPool, error) {
	return r, errBegin
}

// joined is where statements of a transaction go, until the function of its InTx returns. On SQLite
// others' functions may then run in the same transaction.
type joined struct{ tx *transaction }

// BeginTx implements gorm.ConnPoolBeginner, to say what to do instead.
func (j joined) BeginTx(context.Context, *sql.TxOptions) (gorm.ConnPool, error) {
	return j, errBegin
}

func (j joined) ready(ctx context.Context) error {
	if j.tx.ended.Load() {
		return errEnded
	}

	return j.tx.ready(ctx)
}

// PrepareContext implements gorm.ConnPool.
func (j joined) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := j.ready(ctx); err != nil {
		return nil, err
	}

	return j.tx.pool.PrepareContext(j.tx.statements(ctx), query)
}

// ExecContext implements gorm.ConnPool.
func (j joined) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := j.ready(ctx); err != nil {
		return nil, err
	}

	return j.tx.pool.ExecContext(j.tx.statements(ctx), query, args...)
}

// QueryContext implements gorm.ConnPool.
func (j joined) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := j.ready(ctx); err != nil {
		return nil, err
	}

	return j.tx.pool.QueryContext(j.tx.statements(ctx), query, args...)
}

// QueryRowContext implements gorm.ConnPool.
func (j joined) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if err := j.ready(ctx); err != nil {
		return failedRow(ctx, err)
	}

	return j.tx.pool.QueryRowContext(j.tx.statements(ctx), query, args...)
}

// failedRow returns a row with an error in it, which only a pool without connections makes.
func failedRow(ctx context.Context, err error) *sql.Row {
	pool := sql.OpenDB(unconnected{err})
	row := pool.QueryRowContext(ctx, "")
	if err := pool.Close(); err != nil {
		return row // it has failed already
	}

	return row
}

// unconnected does not connect, with an error.
type unconnected struct{ err error }

// Connect implements driver.Connector.
func (u unconnected) Connect(context.Context) (driver.Conn, error) { return nil, u.err }

// Driver implements driver.Connector.
func (unconnected) Driver() driver.Driver { return &sqlite.Driver{} }

// InBackground has what a context does take its connections to PostgreSQL from a half of the pool: however much work there is in the background,
// requests find a connection. Who holds one already gets a further one all the same, since nobody may wait for what it holds itself.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

type backgroundKey struct{}

// share is the part of a pool that is for work in the background.
type share chan struct{}

func newShare(conns int) share { return make(share, max(1, conns/2)) } //nolint:mnd // a half

// enter waits for a place in the share, where a context needs one. The place is given back by leave, which may be called twice.
func (s share) enter(ctx context.Context) (leave func(), err error) {
	background, _ := ctx.Value(backgroundKey{}).(bool)
	if tx := txIn(ctx); !background || tx != nil && tx.conn != nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return sync.OnceFunc(func() { <-s }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sharing connects database/sql to a pool, and work in the background to its share alone.
type sharing struct {
	driver.Connector

	share share
}

func newSharing(pool *pgxpool.Pool, s share) sharing {
	return sharing{stdlib.GetPoolConnector(pool), s}
}

// Connect implements driver.Connector.
func (s sharing) Connect(ctx context.Context) (driver.Conn, error) {
	leave, err := s.share.enter(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := s.Connector.Connect(ctx)
	made, ok := conn.(*stdlib.Conn)
	if err != nil || !ok {
		leave()

		return conn, err
	}

	return &sharedConn{made, leave}, nil
}

// sharedConn is a connection that gives its place back when it is closed, which is when it goes back to the pool.
type sharedConn struct {
	*stdlib.Conn

	leave func()
}

// Close implements driver.Conn.
func (c *sharedConn) Close() error {
	defer c.leave()

	return c.Conn.Close()
}

// connOf is the connection of pgx behind one of database/sql.
func connOf(raw any) (conn *pgx.Conn, ok bool) {
	switch c := raw.(type) {
	case *stdlib.Conn:
		return c.Conn(), true
	case *sharedConn:
		return c.Conn.Conn(), true
	default:
		return nil, false
	}
}

// Pool returns connections to PostgreSQL that keep their session, for libraries that work on pgx itself; nil on
// SQLite and while the database is stopped. What is done there joins no transaction.
func (db *DB) Pool() *pgxpool.Pool {
	o, err := db.current()
	if err != nil || o.sessions == nil {
		return nil
	}

	return o.sessions.pool
}
