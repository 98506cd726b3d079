package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"gorm.io/gorm"
)

// transaction is what InTx puts into the context.
type transaction struct {
	db *DB
	// begin begins the transaction on PostgreSQL, where it waits for the first statement that wants an
	// answer; pool and sql are nil until then. On SQLite, where it begins by itself, begin is nil.
	begin func() error
	pool  gorm.ConnPool
	sql   *sql.Tx
	// conn is the connection under sql, nil on SQLite.
	conn *sql.Conn
	// detached says that statements run without the caller's cancellation.
	detached bool
	// doomed is the error of a joined InTx: the whole transaction fails with it.
	doomed error
	// ended says that the function of the outermost InTx has returned.
	ended atomic.Bool
	// depth counts savepoints, for their names.
	depth int
	// alone says that all was sent in one message, which was its own transaction.
	alone bool
	// attempt is 2 and more when PostgreSQL chose the attempts before as victims; 0 on SQLite.
	attempt int
	// ending is for what runs before the commit.
	ending ending
}

type txKey struct{}

// txIn returns the transaction in ctx, nil without one. It may be of another database: DB.tx looks for that of one.
func txIn(ctx context.Context) *transaction {
	tx, _ := ctx.Value(txKey{}).(*transaction)

	return tx
}

// tx returns the transaction of this database in ctx, nil without one.
func (db *DB) tx(ctx context.Context) *transaction {
	if tx := txIn(ctx); tx != nil && tx.db == db {
		return tx
	}

	return nil
}

// inside returns the transaction in ctx; without one, or when it has ended, it is an error.
func (db *DB) inside(ctx context.Context) (*transaction, error) {
	tx := db.tx(ctx)
	switch {
	case tx == nil:
		return nil, errOutsideTx
	case tx.ended.Load():
		return nil, errEnded
	}

	return tx, nil
}

// WithoutTx returns the context without its transaction, for reads after that has failed.
func WithoutTx(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, inOneKey{}, nil)

	return context.WithValue(context.WithValue(ctx, backgroundKey{}, false), txKey{}, (*transaction)(nil)) // the connection is held still
}

// InTransaction reports whether ctx carries a transaction that has not ended.
func InTransaction(ctx context.Context) bool {
	tx := txIn(ctx)

	return tx != nil && !tx.ended.Load()
}

// IsRetry reports whether the transaction in ctx runs again because PostgreSQL ended it for the sake of
// another one. It may then take fewer chances.
func IsRetry(ctx context.Context) bool {
	tx := txIn(ctx)

	return tx != nil && tx.attempt > 1
}

// statements returns the context for a statement of the transaction.
func (tx *transaction) statements(ctx context.Context) context.Context {
	if tx.detached {
		return context.WithoutCancel(ctx)
	}

	return ctx
}

// run calls fn with the transaction in its context and reports the error that dooms it.
func (tx *transaction) run(ctx context.Context, fn func(context.Context) error) error {
	if err := fn(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return err
	}

	return tx.doomed
}

// runOutermost is run for the function of the outermost InTx. Afterwards its context is of no use, neither
// to a goroutine that was left behind nor to whoever kept it.
func (tx *transaction) runOutermost(ctx context.Context, fn func(context.Context) error) error {
	defer tx.ended.Store(true)

	return tx.run(ctx, fn)
}

// InTx runs fn in a transaction, which is in the context that fn gets. It commits if fn returns nil
// and rolls back if fn fails or panics; when InTx returns nil, the data is on disk.
//
// An InTx inside another joins it: nothing is committed before the outer one ends, and if the inner
// one fails the outer one cannot succeed, even if its function ignores the error. Use Savepoint for
// work that may fail by itself.
//
// When fn has returned, every statement with its context fails.
//
// fn may run more than once (a group that broke on SQLite, a deadlock on PostgreSQL): it does
// nothing but SQL.
func (db *DB) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	if tx := db.tx(ctx); tx != nil {
		if tx.ended.Load() {
			return errEnded
		}
		err := fn(ctx)
		if err != nil && tx.doomed == nil {
			tx.doomed = err
		}

		return err
	}
	o, leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	if err := ctx.Err(); err != nil {
		return Translate(err)
	}
	fn, after := db.untilCommit(db.toEnd(fn))
	ctx, fn, done := db.traced(ctx, fn)
	if o.group != nil {
		return after(done(o.group.do(ctx, db, fn)))
	}

	return after(done(db.retryPostgres(ctx, o, fn)))
}

type inOneKey struct{}

// InOne has transactions with the context do without savepoints: what fails in one fails the transaction, whatever its function says, and
// whoever asked for this runs it again without. So nothing waits before the commit, and most are one message to PostgreSQL.
func InOne(ctx context.Context) context.Context { return context.WithValue(ctx, inOneKey{}, true) }

// Savepoint runs fn inside the transaction in ctx so that its failure undoes its own writes alone.
func (db *DB) Savepoint(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	tx := db.tx(ctx)
	inOne := ctx.Value(inOneKey{}) != nil
	switch {
	case tx != nil && inOne && tx.doomed != nil:
		return tx.doomed // nothing of the rest will be kept
	case tx == nil || inOne:
		return db.InTx(ctx, fn)
	}
	if tx.ended.Load() {
		return errEnded
	}
	if err := tx.ready(ctx); err != nil {
		return err
	}
	name := fmt.Sprintf("s%d", tx.depth)
	tx.depth++
	defer func() { tx.depth-- }()
	outer, ending := tx.doomed, tx.ending
	statements := tx.statements(ctx)
	if _, err := tx.pool.ExecContext(statements, "SAVEPOINT "+name); err != nil {
		return Translate(err)
	}
	if err = tx.run(ctx, fn); err == nil {
		err = tx.flush(ctx)
	}
	if err == nil {
		_, err = tx.pool.ExecContext(statements, "RELEASE "+name)

		return Translate(err)
	}
	if _, rollback := tx.pool.ExecContext(statements, "ROLLBACK TO "+name); rollback != nil {
		tx.doomed = err

		return errors.Join(err, rollback)
	}
	tx.doomed, tx.ending = outer, ending

	return err
}

// SQLTx returns the transaction in ctx as database/sql knows it, for libraries that join it. Without
// one, or when it has ended, it is an error.
func (db *DB) SQLTx(ctx context.Context) (*sql.Tx, error) {
	tx, err := db.inside(ctx)
	if err != nil {
		return nil, err
	}
	tx.ending.wrote = true // nobody asks for it to read
	if err := tx.ready(ctx); err != nil {
		return nil, err
	}

	return tx.sql, nil
}
