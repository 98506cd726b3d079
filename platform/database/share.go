package database

import (
	"context"
	"database/sql/driver"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

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
	if tx := txOf(ctx, nil); !background || tx != nil && tx.conn != nil {
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

type pgxConn = stdlib.Conn // so that the embedded field does not hide the method Conn

// sharedConn is a connection that gives its place back when it is closed, which is when it goes back to the pool.
type sharedConn struct {
	*pgxConn

	leave func()
}

// Close implements driver.Conn.
func (c *sharedConn) Close() error {
	defer c.leave()

	return c.pgxConn.Close()
}

// connOf is the connection of pgx behind one of database/sql.
func connOf(raw any) (conn *pgx.Conn, ok bool) {
	of, ok := raw.(interface{ Conn() *pgx.Conn })
	if !ok {
		return nil, false
	}

	return of.Conn(), true
}
