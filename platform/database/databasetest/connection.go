package databasetest

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

// shared is the one connection on which the tests of a process make and drop their databases. It
// ends with the process.
var shared connection

type connection struct {
	mu   sync.Mutex
	conn *pgx.Conn
	// templates are those that this process has seen ready, and holds a lock on.
	templates map[string]bool
}

// use gives the connection to work, alone and with a context that no single test ends.
func (c *connection) use(ctx context.Context, url string, work func(context.Context, *pgx.Conn) error) error {
	ctx = context.WithoutCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil || c.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		c.conn, c.templates = conn, map[string]bool{}
	}

	return work(ctx, c.conn)
}
