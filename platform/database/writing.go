package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"

	"github.com/dispatchd/dispatchd/platform/database/internal/prepared"
)

// writing is a transaction on the writer's one connection.
type writing struct {
	conn *sql.Conn
	tx   *sql.Tx
	kept *prepared.All
	log  *slog.Logger
	// broken is the error after which SQLite may have rolled back by itself.
	broken error
	// read are the rows of the call that runs.
	read []*sql.Rows
}

// begin begins a transaction that belongs to no caller.
func (g *group) begin() (*writing, error) {
	ctx := context.Background()
	if g.conn == nil {
		conn, err := g.writer.Conn(ctx)
		if err != nil {
			return nil, err
		}
		g.conn, g.kept = conn, prepared.NewAll(conn)
	}
	tx, err := g.conn.BeginTx(ctx, nil)
	if err != nil {
		g.disconnect() // the next group tries with a new connection

		return nil, err
	}

	return &writing{conn: g.conn, tx: tx, kept: g.kept, log: g.log}, nil
}

// disconnect gives the connection up.
func (g *group) disconnect() {
	if g.conn == nil {
		return
	}
	if err := errors.Join(g.kept.Close(), g.conn.Close()); err != nil {
		g.log.Warn("closing the writer", "error", err)
	}
	g.conn, g.kept = nil, nil
}

// run gives the call its turn and waits until it is through. The caller's deadline counts before
// and after, not during.
func (w *writing) run(c *call) error {
	if err := c.ctx.Err(); err != nil {
		return Translate(err)
	}
	c.turn <- &transaction{pool: watched{w}, sql: w.tx, detached: true}
	err := <-c.ran
	w.closeRows()
	if err != nil {
		c.gone = errors.Is(err, errPanicked)

		return err
	}

	return Translate(c.ctx.Err())
}

// closeRows closes the rows that a call left open because it panicked. They would hold the past on the one connection, and whoever
// closes that would wait for them for good.
func (w *writing) closeRows() {
	for _, rows := range w.read {
		if err := rows.Close(); err != nil {
			w.log.Debug("closing rows", "error", err)
		}
	}
	w.read = w.read[:0]
}

// inSavepoint runs the call so that its failure undoes its own writes alone.
func (w *writing) inSavepoint(c *call) error {
	if w.exec("SAVEPOINT member") != nil {
		return w.broken
	}
	err := w.run(c)
	if w.broken != nil {
		return w.broken
	}
	if err != nil && w.exec("ROLLBACK TO member") != nil {
		return w.broken
	}
	if w.exec("RELEASE member") != nil {
		return w.broken
	}

	return err
}

// exec runs a statement of the group's own; its failure ends the group.
func (w *writing) exec(statement string) error {
	_, err := w.kept.ExecContext(context.Background(), statement)
	if err != nil && w.broken == nil {
		w.broken = fmt.Errorf("%s: %w", statement, err)
	}

	return err
}

// commit ends the transaction; a COMMIT that fails leaves nothing open.
func (w *writing) commit() error {
	err := w.tx.Commit()
	if err != nil {
		w.abandon()
	}

	return err
}

func (w *writing) rollback() {
	if err := w.tx.Rollback(); err != nil {
		w.abandon()
	}
}

// abandon rolls back whatever SQLite still holds open; that nothing is, is fine.
func (w *writing) abandon() {
	if _, err := w.conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		w.log.Debug("nothing to roll back", "error", err)
	}
}

// watched is the transaction as functions use it. Once SQLite may have rolled back by itself, it
// refuses every statement: each would be committed alone.
type watched struct{ w *writing }

func (p watched) observeError(err error) error {
	if err != nil && p.w.broken == nil && rollsBack(err) {
		p.w.broken = err
	}

	return err
}

// PrepareContext implements gorm.ConnPool.
func (p watched) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if p.w.broken != nil {
		return nil, p.w.broken
	}
	statement, err := p.w.conn.PrepareContext(ctx, query)

	return statement, p.observeError(err)
}

// ExecContext implements gorm.ConnPool.
func (p watched) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if p.w.broken != nil {
		return nil, p.w.broken
	}
	result, err := p.w.kept.ExecContext(ctx, query, args...)

	return result, p.observeError(err)
}

// QueryContext implements gorm.ConnPool.
func (p watched) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if p.w.broken != nil {
		return nil, p.w.broken
	}
	rows, err := p.w.kept.QueryContext(ctx, query, args...)
	if rows != nil {
		p.w.read = append(p.w.read, rows)
	}

	return rows, p.observeError(err)
}

// QueryRowContext implements gorm.ConnPool.
func (p watched) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if p.w.broken != nil {
		return failedRow(ctx, p.w.broken)
	}
	row := p.w.kept.QueryRowContext(ctx, query, args...)
	if err := p.observeError(row.Err()); err != nil {
		p.w.log.Debug("row", "error", err)
	}

	return row
}
