package database

import "context"

// AfterCommit runs fn once the transaction in ctx is committed, in the goroutine that called InTx
// and before InTx returns. It does not run when the transaction, or the savepoint in which it was
// left, is undone. fn is not part of the transaction, so it must not use ctx; where it fails nobody
// is told, and after a crash between the commit and fn it never runs: what must happen is a job.
// Without a transaction fn runs at once.
func (db *DB) AfterCommit(ctx context.Context, fn func()) {
	tx := db.tx(ctx)
	if tx == nil {
		fn()

		return
	}
	tx.ending.after = append(tx.ending.after, fn)
}

// untilCommit notices in which transaction fn ran last, since it may run more than once, and
// returns what is to be given the outcome: it runs the functions of AfterCommit.
func (db *DB) untilCommit(fn func(context.Context) error) (noticed func(context.Context) error, after func(error) error) {
	var last *transaction
	noticed = func(ctx context.Context) error {
		last = db.tx(ctx)

		return fn(ctx)
	}
	after = func(err error) error {
		if err != nil || last == nil {
			return err
		}
		for _, fn := range last.ending.after {
			fn()
		}

		return nil
	}

	return noticed, after
}
