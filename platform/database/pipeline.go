package database

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// statement is a statement whose answer nobody waits for: SQL with its arguments, or rows on PostgreSQL.
type statement struct {
	sql  string
	args []any
	// into is where rows go. Those of several statements may become one.
	into *Rows
	rows [][]any
	// failed makes of its error what callers are told; nil leaves it.
	failed func(error) error
}

// Pipeline leaves SQL by hand in the transaction in ctx, to be sent together with the next statement
// that wants an answer, or at the end of the transaction. One that only leaves statements is one round
// trip on PostgreSQL: it needs neither BEGIN nor COMMIT. So this is for rows that nothing in the
// transaction reads again. On SQLite, which is no trip away, the statement runs at once.
//
// Placeholders are question marks. The caller binds the company himself, and says why for the reader,
// as with Raw. What goes wrong is the error of whatever sends the statement, of the InTx at last, and
// of the Savepoint in which it was left; failed turns it into what the caller wants to be told.
// Whether a statement found what it depends on it says by failing: see IsNullViolation.
func (db *DB) Pipeline(ctx context.Context, _, query string, args []any, failed func(error) error) error {
	tx, err := db.inside(ctx)
	if err != nil {
		return err
	}
	s := statement{sql: query, args: args, failed: failed}
	if tx.begin == nil {
		tx.ending.wrote = true

		return tx.db.tracedTogether(ctx, []statement{s}, tx.send)
	}
	s.sql = db.numbered(query)
	tx.leave(s)

	return nil
}

// leave leaves a statement to be sent.
func (tx *transaction) leave(s statement) {
	tx.ending.wrote = true
	tx.ending.soon = append(tx.ending.soon, s)
}

// IsNullViolation reports whether a statement failed because it came to a NULL where there must be a value,
// or divided by zero. That is how a statement of Pipeline refuses to write what depends on a row that
// is not there: a column takes (SELECT id FROM …), or 1 / count(*) where the row's values are not
// for the server's log, which quotes the row of a NULL.
func IsNullViolation(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23502" || pg.Code == "22012"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)

	return ok && lite.Code() == sqlite3.SQLITE_CONSTRAINT_NOTNULL
}

// numbered is a statement with $1, $2 … for the question marks, as PostgreSQL has them. The statements
// of a service are few, and all are kept.
func (db *DB) numbered(query string) string {
	if known, ok := db.numberedTexts.Load(query); ok {
		return known.(string) //nolint:forcetypeassert // nothing else is stored
	}
	var text strings.Builder
	for i, part := range strings.Split(query, "?") {
		if i > 0 {
			text.WriteString("$" + strconv.Itoa(i))
		}
		text.WriteString(part)
	}
	db.numberedTexts.Store(query, text.String())

	return text.String()
}

// ready makes sure that the transaction has begun, and sends what Pipeline left. After an error nothing
// of the transaction, or of the savepoint, can be committed.
func (tx *transaction) ready(ctx context.Context) error {
	if tx.sql == nil && tx.begin != nil {
		if err := tx.begin(); err != nil {
			return err
		}
	}

	return tx.flush(ctx)
}

// flush sends what Pipeline left.
func (tx *transaction) flush(ctx context.Context) error {
	if len(tx.ending.soon) == 0 {
		return nil
	}
	soon := tx.ending.soon
	tx.ending.soon = nil
	err := tx.db.tracedTogether(ctx, soon, tx.send)
	if err != nil && tx.doomed == nil {
		tx.doomed = err
	}

	return err
}

// send runs statements, on PostgreSQL in one round trip.
func (tx *transaction) send(ctx context.Context, all []statement) error {
	switch {
	case len(all) == 0:
		return nil
	case tx.begin == nil:
		return tx.sendEach(ctx, all)
	case tx.sql == nil: // one message is a transaction by itself
		tx.alone = true

		return Translate(tx.db.messages.calls.Do(ctx, all))
	}
	all, err := tx.db.messages.write(all)
	if err != nil {
		return err
	}

	return Translate(tx.conn.Raw(func(driver any) error {
		conn, ok := connOf(driver)
		if !ok {
			return fmt.Errorf("database: %T is not a pgx connection", driver)
		}

		return sendTogether(ctx, conn, all, Translate)
	}))
}

func (tx *transaction) sendEach(ctx context.Context, all []statement) error {
	for _, s := range all {
		if _, err := tx.pool.ExecContext(tx.statements(ctx), s.sql, s.args...); err != nil {
			return s.translateError(Translate(err))
		}
	}

	return nil
}

// sendTogether runs statements in one round trip. PostgreSQL runs none that comes after one that fails,
// and outside a transaction undoes those before it: all up to the end of the message are one
// (https://www.postgresql.org/docs/current/protocol-flow.html, "Pipelining").
func sendTogether(ctx context.Context, conn *pgx.Conn, all []statement, translate func(error) error) error {
	batch := &pgx.Batch{}
	for _, s := range all {
		batch.Queue(s.sql, s.args...)
	}
	results := conn.SendBatch(ctx, batch)
	var problem error
	for _, s := range all {
		if _, err := results.Exec(); err != nil {
			problem = s.translateError(translate(err))

			break
		}
	}
	if err := results.Close(); problem == nil {
		problem = translate(err)
	}

	return problem
}

// translateError is what callers are told of an error, which is translated.
func (s statement) translateError(err error) error {
	if s.failed == nil || errors.Is(err, ErrOutcomeUnknown) {
		return err
	}

	return s.failed(err)
}
