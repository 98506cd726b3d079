package database

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// What Translate makes of the errors of both databases. A repository turns the first three into
// failures of its own.
var (
	// ErrNotFound says that no row matched.
	ErrNotFound = errs.New(errs.NotFound, "database.not_found", "It does not exist.")
	// ErrDuplicate says that a unique constraint was violated; ConstraintOf names it.
	ErrDuplicate = errs.New(errs.Conflict, "database.duplicate", "It already exists.")
	// ErrReference says that a row refers to one that is not there, or is still referred to.
	ErrReference = errs.New(errs.Conflict, "database.reference", "A reference would point to something that does not exist.")
	// ErrUnavailable says that the database is away, too slow, or takes no writes; the request may be tried again.
	ErrUnavailable = errs.New(errs.Unavailable, "database.unavailable", "The database does not respond or does not accept writes. Please try again.").
			WithRetryAfter(time.Second)
	// ErrOutcomeUnknown says that the connection was lost after a transaction's end was sent to the server: it may be
	// committed. Only a request that is the same when it is repeated may be tried again without a look.
	ErrOutcomeUnknown = errs.New(errs.Unavailable, "database.outcome_unknown", "The database connection was lost before the change was confirmed; it may have been saved. Check before you try again.").
				WithRetryAfter(errs.NoRetry)
)

// Translate turns an error of GORM or of a driver into one of the above, wrapping the original. It
// returns every other error, and nil, as it is.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*errs.Error](err); ok {
		return err
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return translatePostgres(err, pg)
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return translateSQLite(err, lite)
	}
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound), errors.Is(err, sql.ErrNoRows):
		return ErrNotFound.WithCause(err)
	case isDisconnected(err):
		return ErrUnavailable.WithCause(err)
	}

	return err
}

// translateEnd is Translate for errors that came after the end of a transaction was sent: COMMIT, or statements that are
// a transaction by themselves. Unless the server says that it failed, it may be committed. A server that ends the
// connection says nothing of that, nor does a pooler in between.
func translateEnd(err error) error {
	pg, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil, isRetryable(err), answered && !isFatal(pg), !answered && !isDisconnected(err):
		return Translate(err)
	default:
		return ErrOutcomeUnknown.WithCause(err)
	}
}

// isFatal reports whether PostgreSQL ended the connection with this error.
func isFatal(err *pgconn.PgError) bool {
	severity := cmp.Or(err.SeverityUnlocalized, err.Severity)

	return severity == "FATAL" || severity == "PANIC"
}

// isDisconnected reports whether the connection, not the statement, is the problem.
func isDisconnected(err error) bool {
	for _, known := range []error{
		context.DeadlineExceeded, context.Canceled, errStopped, driver.ErrBadConn, sql.ErrConnDone, net.ErrClosed,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}

	return pgconn.SafeToRetry(err) || pgconn.Timeout(err) || strings.Contains(err.Error(), "unexpected EOF") ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "closed pool") ||
		strings.Contains(err.Error(), "database is closed")
}

// translatePostgres goes by SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html. 25006 is a write on a
// standby, 25P03 a transaction that idled for too long; the rest of class 25 are mistakes of ours.
func translatePostgres(err error, pg *pgconn.PgError) error {
	switch {
	case pg.Code == "23505":
		return ErrDuplicate.WithCause(err)
	case pg.Code == "23503", pg.Code == "23001":
		return ErrReference.WithCause(err)
	case pg.Code == "26000", pg.Code == "08P01" && !strings.Contains(pg.Message, "startup parameter"):
		// A statement that was prepared on another connection, or bound to another statement.
		return ErrUnavailable.WithCause(errors.Join(errPooled, err))
	case pg.Code == "08P01":
		return err
	case pg.Code == "57014", pg.Code == "25006", pg.Code == "25P03", LockTimedOut(err), isRetryable(err),
		slices.Contains([]string{"08", "53", "58"}, pg.Code[:min(2, len(pg.Code))]), strings.HasPrefix(pg.Code, "57P"):
		return ErrUnavailable.WithCause(err)
	}

	return err
}

// LockTimedOut reports whether PostgreSQL gave up waiting for a lock, as its lock_timeout says.
func LockTimedOut(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)

	return ok && pg.Code == "55P03"
}

// isRetryable reports whether PostgreSQL rolled the transaction back for the sake of another one.
func isRetryable(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)

	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}

// translateSQLite goes by result codes, https://www.sqlite.org/rescode.html.
func translateSQLite(err error, lite *sqlite.Error) error {
	switch lite.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return ErrDuplicate.WithCause(err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return ErrReference.WithCause(err)
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return ErrUnavailable.WithCause(err)
	}

	return err
}

// rollsBack reports whether SQLite may have rolled back the whole transaction with this error:
// https://www.sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction".
func rollsBack(err error) bool {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT:
		return true
	}

	return false
}

var uniqueFailed = regexp.MustCompile(`UNIQUE constraint failed: (?:index '([^']+)'|([\w., ]+))`)

// ConstraintOf returns the name of the unique constraint that err violates, "" if it violates none.
// PostgreSQL tells the name; SQLite tells the columns ("t.a, t.b"), from which it is made as
// PostgreSQL makes its default: t_a_b_key, or t_pkey for a primary key. So a constraint that code
// tells apart is declared as UNIQUE (a, b) without a name, or as an index of that name.
func ConstraintOf(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "23505" {
		return pg.ConstraintName
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return ""
	}
	found := uniqueFailed.FindStringSubmatch(lite.Error())
	if found == nil {
		return ""
	}
	if found[1] != "" {
		return found[1]
	}
	var table string
	var columns []string
	for column := range strings.SplitSeq(strings.TrimSpace(found[2]), ", ") {
		var name string
		table, name, _ = strings.Cut(strings.TrimSpace(column), ".")
		columns = append(columns, name)
	}
	if lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY {
		return table + "_pkey"
	}

	return table + "_" + strings.Join(columns, "_") + "_key"
}
