package idempotency

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/secret"
)

const (
	answersTable = "idempotency_answers"
	answerColumn = "answer"
	// patience is how long something may take that waits for another replica, in per cent of the time that is left.
	patience = 90
	hundred  = 100
)

// why is the reason for SQL by hand: the operator's answers belong to no company, and each
// statement here names the company.
const why = "an answer belongs to a company or to the operator"

// place names a row.
type place struct {
	Company uuid.UUID `gorm:"column:company_id"`
	ID      uuid.UUID
}

func (p place) secret() secret.Place {
	return secret.Place{Table: answersTable, Column: answerColumn, Company: p.Company, ID: p.ID}
}

// row is a key, with its answer once there is one. Only the transaction that makes a row sees it
// without.
type row struct {
	place `gorm:"embedded"`

	Fingerprint []byte
	// Role and Scopes, separated by spaces, are those of who made the first request.
	Role      string
	Scopes    string
	Status    int
	Sealed    bool
	Answer    []byte
	ExpiresAt time.Time
}

// repository reads and writes the answers. Its errors are those of database.Translate.
type repository struct {
	db      *database.DB
	answers database.Rows
}

func newRepository(db *database.DB) repository {
	return repository{db: db, answers: database.NewRows(
		`INSERT INTO idempotency_answers (company_id, id, fingerprint, role, scopes, status, sealed, answer, expires_at)`,
		database.PlainValues("uuid", "uuid", "bytea", "text", "text", "integer", "boolean", "bytea", "timestamptz"), "",
	)}
}

// add leaves a row to be inserted, with its answer. There is none yet, or the transaction fails.
func (r repository) add(ctx context.Context, n row) error {
	return r.db.PipelineRows(ctx, why, r.answers, [][]any{{
		n.Company, n.ID, n.Fingerprint, n.Role, n.Scopes, int64(n.Status), n.Sealed, n.Answer, n.ExpiresAt,
	}}, nil)
}

// withPatience is ctx for a transaction that may have to wait, on PostgreSQL, for one that makes the same row: some time is left after it.
func (r repository) withPatience(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded || r.db.Dialect() != database.Postgres {
		return ctx, func() {}
	}

	return context.WithTimeout(ctx, time.Until(deadline)*patience/hundred)
}

// insert makes a row and reports whether there was none. On PostgreSQL it waits for a transaction
// that makes the same one, until shortly before ctx ends: then it is ErrInProgress. So it can be told from a
// server that does not answer.
func (r repository) insert(ctx context.Context, n row) (bool, error) {
	deadline, bounded := ctx.Deadline()
	if bounded && r.db.Dialect() == database.Postgres {
		wait := max(time.Until(deadline)*patience/hundred, time.Millisecond)
		claimed, err := r.exec(ctx, `INSERT INTO idempotency_answers (company_id, id, fingerprint, role, scopes, status, sealed, expires_at)
SELECT ?, ?, ?, ?, ?, 0, ?, ? FROM set_config('lock_timeout', ?, true) ON CONFLICT DO NOTHING`,
			n.Company, n.ID, n.Fingerprint, n.Role, n.Scopes, false, n.ExpiresAt, strconv.FormatInt(wait.Milliseconds(), 10))
		if database.LockTimedOut(err) {
			err = ErrInProgress.WithCause(err)
		}

		return claimed, err
	}

	return r.exec(ctx, `INSERT INTO idempotency_answers (company_id, id, fingerprint, role, scopes, status, sealed, expires_at)
VALUES (?, ?, ?, ?, ?, 0, ?, ?) ON CONFLICT DO NOTHING`, n.Company, n.ID, n.Fingerprint, n.Role, n.Scopes, false, n.ExpiresAt)
}

// renew makes a row that has expired by now a new one, and reports whether it had.
func (r repository) renew(ctx context.Context, n row, now time.Time) (bool, error) {
	return r.exec(ctx, `UPDATE idempotency_answers
SET fingerprint = ?, role = ?, scopes = ?, status = 0, sealed = ?, answer = NULL, expires_at = ?
WHERE company_id = ? AND id = ? AND expires_at <= ?`, n.Fingerprint, n.Role, n.Scopes, false, n.ExpiresAt, n.Company, n.ID, now)
}

// answer leaves the answer to be put into a row.
func (r repository) answer(ctx context.Context, n row) error {
	return r.db.Pipeline(ctx, why, `UPDATE idempotency_answers SET status = ?, sealed = ?, answer = ?
WHERE company_id = ? AND id = ?`, []any{n.Status, n.Sealed, n.Answer, n.Company, n.ID}, nil)
}

func (r repository) find(ctx context.Context, at place) (row, error) {
	var found []row
	err := r.db.Raw(ctx, why).Raw(`SELECT company_id, id, fingerprint, role, scopes, status, sealed, answer, expires_at
FROM idempotency_answers WHERE company_id = ? AND id = ?`, at.Company, at.ID).Scan(&found).Error
	if err != nil {
		return row{}, database.Translate(err)
	}
	if len(found) == 0 {
		return row{}, database.ErrNotFound
	}

	return found[0], nil
}

// purge deletes up to limit rows that have expired, and returns how many it were.
func (r repository) purge(ctx context.Context, now time.Time, limit int) (deleted int, err error) {
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		tx := r.db.Raw(ctx, why).Exec(`DELETE FROM idempotency_answers WHERE (company_id, id) IN (
SELECT company_id, id FROM idempotency_answers WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`, now, limit)
		deleted = int(tx.RowsAffected)

		return database.Translate(tx.Error)
	})

	return deleted, err
}

// exec runs a statement about one row and reports whether it changed it.
func (r repository) exec(ctx context.Context, statement string, values ...any) (bool, error) {
	tx := r.db.Raw(ctx, why).Exec(statement, values...)

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}
