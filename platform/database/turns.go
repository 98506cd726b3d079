package database

import (
	"context"
	"database/sql/driver"
	"strings"
)

// turns lets the connections that write to one SQLite file write in turn. SQLite itself has those who
// wait look again and again, with pauses, so that a busy writer which begins its next transaction at
// once shuts out all others: jobs waited for seconds behind a stream of requests.
type turns chan struct{}

func newTurns() turns { return make(turns, 1) }

// acquire waits for the turn of the caller: whoever came first is first, as those who send on a channel are.
func (t turns) acquire(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) release() { <-t }

// turnConn is a connection that writes in its turn, whole transactions or single statements.
type turnConn struct {
	timedConn

	turns turns
	inTx  bool
}

// BeginTx implements driver.ConnBeginTx. A transaction begins by taking SQLite's lock for writing.
func (c *turnConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if err := c.turns.acquire(ctx); err != nil {
		return nil, err
	}
	tx, err := c.timedConn.BeginTx(ctx, options)
	if err != nil {
		c.turns.release()

		return nil, err
	}
	c.inTx = true

	return &turnTx{Tx: tx, conn: c}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *turnConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.inTx || isReadOnly(query) {
		return c.timedConn.ExecContext(ctx, query, args)
	}
	if err := c.turns.acquire(ctx); err != nil {
		return nil, err
	}
	defer c.turns.release()

	return c.timedConn.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext. A statement that writes and returns rows writes until
// the rows are closed.
func (c *turnConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inTx || isReadOnly(query) {
		return c.timedConn.QueryContext(ctx, query, args)
	}
	if err := c.turns.acquire(ctx); err != nil {
		return nil, err
	}
	rows, err := c.timedConn.QueryContext(ctx, query, args)
	if err != nil {
		c.turns.release()

		return nil, err
	}

	return &turnRows{Rows: rows, turns: c.turns}, nil
}

// isReadOnly reports whether a statement cannot write.
func isReadOnly(query string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(query), " ")

	return strings.EqualFold(word, "SELECT") || strings.EqualFold(word, "PRAGMA")
}

// turnTx gives the turn back when it ends.
type turnTx struct {
	driver.Tx

	conn *turnConn
}

// Commit implements driver.Tx.
func (t *turnTx) Commit() error { return t.end(t.Tx.Commit()) }

// Rollback implements driver.Tx.
func (t *turnTx) Rollback() error { return t.end(t.Tx.Rollback()) }

func (t *turnTx) end(err error) error {
	if t.conn.inTx {
		t.conn.inTx = false
		t.conn.turns.release()
	}

	return err
}

// turnRows gives the turn back when it is closed.
type turnRows struct {
	driver.Rows

	turns  turns
	closed bool
}

// Close implements driver.Rows.
func (r *turnRows) Close() error {
	err := r.Rows.Close()
	if !r.closed {
		r.closed = true
		r.turns.release()
	}

	return err
}
