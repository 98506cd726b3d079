package audit

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// repository reads and writes audit_entries and audit_heads.
type repository struct{ db *database.DB }

// why is the reason for SQL by hand.
const why = "a chain is the company's of its entries, the operator's among them; the statements bind it"

// appendAll appends entries to the chains of their companies, in the order of companies, so that two
// transactions that write in several do not wait for each other for ever.
func (r *repository) appendAll(ctx context.Context, rows []entryRow) error {
	slices.SortStableFunc(rows, func(a, b entryRow) int { return bytes.Compare(a.CompanyID[:], b.CompanyID[:]) })
	add := r.appendPostgres
	if r.db.Dialect() == database.SQLite {
		add = r.appendSQLite
	}
	for _, row := range rows {
		digest, err := row.digest()
		if err != nil {
			return err
		}
		if err := add(ctx, row, digest); err != nil {
			return database.Translate(err)
		}
	}

	return nil
}

// appendPostgres moves the head and writes the entry in one statement: the lock on the head is held
// for that and for the commit, not for round trips in between.
func (r *repository) appendPostgres(ctx context.Context, e entryRow, digest []byte) error {
	return r.db.Raw(ctx, why).Exec(`
		WITH head AS (
			INSERT INTO audit_heads AS h (company_id, seq, hash) VALUES (?, 1, ?)
			ON CONFLICT (company_id) DO UPDATE SET seq = h.seq + 1, hash = sha256(h.hash || ?::bytea)
			RETURNING seq, hash
		)
		INSERT INTO audit_entries (company_id, seq, at, action, operation, item_type, item_id, changes,
			actor_kind, actor_id, token_id, request_id, address, hash)
		SELECT ?::uuid, head.seq, ?::timestamptz, ?::text, ?::text, ?::text, ?::uuid, ?::text,
			?::text, ?::uuid, ?::uuid, ?::text, ?::text, head.hash FROM head`,
		e.CompanyID, chained(genesis(e.CompanyID), digest), digest,
		e.CompanyID, e.At, e.Action, e.Operation, e.ItemType, e.ItemID, e.Changes,
		e.ActorKind, e.ActorID, e.TokenID, e.RequestID, e.Address,
	).Error
}

// appendSQLite does the same where there is one writer at a time, and no sha256 in SQL.
func (r *repository) appendSQLite(ctx context.Context, e entryRow, digest []byte) error {
	head, err := r.head(ctx, e.CompanyID)
	if err != nil {
		return err
	}
	e.Seq, e.Hash = head.Seq+1, chained(head.Hash, digest)
	err = r.db.Raw(ctx, why).Exec(`
		INSERT INTO audit_heads (company_id, seq, hash) VALUES (?, ?, ?)
		ON CONFLICT (company_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
		e.CompanyID, e.Seq, e.Hash).Error
	if err != nil {
		return err
	}

	return r.db.Raw(ctx, why).Exec(`
		INSERT INTO audit_entries (company_id, seq, at, action, operation, item_type, item_id, changes,
			actor_kind, actor_id, token_id, request_id, address, hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.CompanyID, e.Seq, e.At, e.Action, e.Operation, e.ItemType, e.ItemID, e.Changes,
		e.ActorKind, e.ActorID, e.TokenID, e.RequestID, e.Address, e.Hash,
	).Error
}

// head returns the head of a chain; that of an empty one is before its first entry.
func (r *repository) head(ctx context.Context, company uuid.UUID) (headRow, error) {
	var head headRow
	err := r.db.Raw(ctx, why).Where("company_id = ?", company).Take(&head).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		head, err = headRow{Hash: genesis(company)}, nil
		head.CompanyID = company
	}

	return head, database.Translate(err)
}

// after returns the next entries of a company's chain, limit at most.
func (r *repository) after(ctx context.Context, company uuid.UUID, seq int64, limit int) ([]entryRow, error) {
	var rows []entryRow
	err := r.db.Raw(ctx, why).Where("company_id = ? AND seq > ?", company, seq).
		Order("seq").Limit(limit).Find(&rows).Error

	return rows, database.Translate(err)
}

// companies returns whose chains there are.
func (r *repository) companies(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Raw(ctx, why).Raw(
		"SELECT company_id FROM audit_heads UNION SELECT DISTINCT company_id FROM audit_entries ORDER BY company_id",
	).Scan(&ids).Error

	return ids, database.Translate(err)
}

func (r *repository) list(ctx context.Context, q list.Query) (list.Page[entryRow], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, entryRow.listKey)

	return page, database.Translate(err)
}

// listKey is the value that a list of entries is sorted by.
func (e entryRow) listKey(string) any { return e.Seq }

// Schema is what a list of entries may be asked for.
func Schema() list.Schema {
	return list.Schema{
		ID: list.Field{Name: "seq", Expr: "seq", Kind: list.Integer, Filterable: true, Sortable: true},
		Fields: []list.Field{
			{Name: "at", Expr: "at", Kind: list.Time, Filterable: true},
			{Name: "action", Expr: "action", Kind: list.Text, Filterable: true},
			{Name: "operation", Expr: "operation", Kind: list.Text, Filterable: true},
			{Name: "item_type", Expr: "item_type", Kind: list.Text, Filterable: true},
			{Name: "item_uuid", Expr: "item_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "actor_kind", Expr: "actor_kind", Kind: list.Text, Filterable: true},
			{Name: "actor_uuid", Expr: "actor_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "request_id", Expr: "request_id", Kind: list.Text, Filterable: true},
		},
		DefaultSort: []string{"-seq"},
	}
}
