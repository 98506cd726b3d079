package audit

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// repository reads and writes the tables of the trail.
type repository struct {
	db *database.DB
	inserts
}

// inserts are the statements for an entry: itself, that it waits for its seal, and that.
type inserts struct{ entries, unsealed, seals database.Rows }

// why is the reason for SQL by hand.
const why = "a chain is the company's of its entries, the operator's among them; the statements bind it"

// add leaves entries to be stored, and to be sealed.
func (r *repository) add(ctx context.Context, rows []entryRow) error {
	values, waiting := make([][]any, len(rows)), make([][]any, len(rows))
	for i, e := range rows {
		values[i] = []any{
			e.CompanyID, e.ID, e.At, e.Action, e.Operation, e.ItemType, e.ItemID, e.ItemPart, e.Changes,
			e.ActorKind, e.ActorID, e.TokenID, e.RequestID, e.Address,
		}
		waiting[i] = []any{e.CompanyID, e.ID}
	}
	if err := r.db.PipelineRows(ctx, why, r.entries, values, nil); err != nil {
		return err
	}

	return r.db.PipelineRows(ctx, why, r.unsealed, waiting, nil)
}

func newInserts() inserts {
	return inserts{
		entries: database.NewRows(`INSERT INTO audit_entries (company_id, id, at, action, operation,
			item_type, item_id, item_part, changes, actor_kind, actor_id, token_id, request_id, address)`,
			database.PlainValues("uuid", "uuid", "timestamptz", "text", "text", "text", "uuid", "text", "text", "text", "uuid", "uuid", "text", "text"), ""),
		unsealed: database.NewRows("INSERT INTO audit_unsealed (company_id, id)", database.PlainValues("uuid", "uuid"), ""),
		seals: database.NewRows("INSERT INTO audit_seals (company_id, seq, id, hash)",
			database.PlainValues("uuid", "bigint", "uuid", "bytea"), ""),
	}
}

// head returns the head of a chain; that of an empty one is before its first entry.
func (r *repository) head(ctx context.Context, company uuid.UUID) (headRow, error) {
	var head headRow
	err := r.db.Raw(ctx, why).Where("company_id = ?", company).Take(&head).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		head, err = headRow{Hash: genesisHash(company)}, nil
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

// countUnsealed returns how many entries of a company have no seal, whether they wait for one or not, limit at most.
func (r *repository) countUnsealed(ctx context.Context, company uuid.UUID, limit int) (int, error) {
	var ids []uuid.UUID
	err := r.db.Raw(ctx, why).Model(&entryRow{}).Where("company_id = ? AND seq IS NULL", company).Limit(limit).Pluck("id", &ids).Error

	return len(ids), database.Translate(err)
}

// waiting returns the entries of a company that wait for a seal, the oldest first, limit at most.
func (r *repository) waiting(ctx context.Context, company uuid.UUID, limit int) ([]entryRow, error) {
	var rows []entryRow
	err := r.db.Raw(ctx, why).Raw(`SELECT e.* FROM audit_unsealed AS u JOIN audit_entries AS e ON e.company_id = u.company_id AND e.id = u.id
		WHERE u.company_id = ? ORDER BY u.id LIMIT ?`, company, limit).Scan(&rows).Error

	return rows, database.Translate(err)
}

// waitingCompanies returns companies that have entries which wait for a seal, some of them if they are many.
func (r *repository) waitingCompanies(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Raw(ctx, why).Raw("SELECT DISTINCT company_id FROM audit_unsealed LIMIT ?", batch).Scan(&ids).Error

	return ids, database.Translate(err)
}

// lock returns the head of a company's chain and keeps others from it until the commit, or false if
// another process has it.
func (r *repository) lock(ctx context.Context, company uuid.UUID) (headRow, bool, error) {
	raw := r.db.Raw(ctx, why)
	err := raw.Exec("INSERT INTO audit_heads (company_id, seq, hash) VALUES (?, 0, ?) ON CONFLICT (company_id) DO NOTHING",
		company, genesisHash(company)).Error
	if err != nil {
		return headRow{}, false, database.Translate(err)
	}
	query := raw.Where("company_id = ?", company)
	if r.db.Dialect() == database.Postgres {
		query = query.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked})
	}
	var heads []headRow
	err = query.Find(&heads).Error
	if err != nil || len(heads) == 0 {
		return headRow{}, false, database.Translate(err)
	}

	return heads[0], true, nil
}

// seal stores the seals of a company's entries, which wait no longer, and the new head.
func (r *repository) seal(ctx context.Context, head headRow, seals []sealRow) error {
	rows := make([][]any, len(seals))
	for i, s := range seals {
		rows[i] = []any{head.CompanyID, s.seq, s.entry, s.hash}
	}
	if err := r.db.PipelineRows(ctx, why, r.seals, rows, nil); err != nil {
		return err
	}
	err := r.db.Pipeline(ctx, why, `DELETE FROM audit_unsealed WHERE company_id = ? AND id IN
		(SELECT id FROM audit_seals WHERE company_id = ? AND seq BETWEEN ? AND ?)`,
		[]any{head.CompanyID, head.CompanyID, seals[0].seq, head.Seq}, nil)
	if err != nil {
		return err
	}

	return r.db.Pipeline(ctx, why, "UPDATE audit_heads SET seq = ?, hash = ? WHERE company_id = ?", []any{head.Seq, head.Hash, head.CompanyID}, nil)
}

// companies returns whose chains there are.
func (r *repository) companies(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Raw(ctx, why).Raw(
		"SELECT company_id FROM audit_heads UNION SELECT DISTINCT company_id FROM audit_entries ORDER BY company_id",
	).Scan(&ids).Error

	return ids, database.Translate(err)
}

// list returns a page of entries. What is made of a call alone has no part, but may be about a part itself.
func (r *repository) list(ctx context.Context, q list.Query, hidden []string) (list.Page[entryRow], error) {
	tx := r.db.Dynamic(ctx)
	if len(hidden) > 0 {
		tx = tx.Where("item_part NOT IN ?", hidden).Where("(item_id IS NULL OR item_id NOT IN ?)", uuidsAmong(hidden))
	}
	page, err := list.Find(tx, q, entryRow.listKey)

	return page, database.Translate(err)
}

// uuidsAmong are the texts that are UUIDs, and one that nothing has, so that the list is never empty.
func uuidsAmong(texts []string) []uuid.UUID {
	ids := []uuid.UUID{uuid.Nil}
	for _, text := range texts {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}

	return ids
}

// listKey is the value that a list of entries is sorted by.
func (e entryRow) listKey(string) any { return e.ID }

// Schema is what a list of entries may be asked for.
var Schema = list.Schema{
	ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true, Sortable: true},
	Fields: []list.Field{
		{Name: "seq", Expr: "seq", Kind: kind.Integer, Nullable: true, Filterable: true},
		{Name: "at", Expr: "at", Kind: kind.Time, Filterable: true},
		{Name: "action", Expr: "action", Kind: kind.Text, Filterable: true},
		{Name: "operation", Expr: "operation", Kind: kind.Text, Filterable: true},
		{Name: "item_type", Expr: "item_type", Kind: kind.Text, Filterable: true},
		{Name: "item_uuid", Expr: "item_id", Kind: kind.UUID, Nullable: true, Filterable: true},
		{Name: "actor_kind", Expr: "actor_kind", Kind: kind.Text, Filterable: true, Words: []string{"user", "service", "operator", "system"}},
		{Name: "actor_uuid", Expr: "actor_id", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
		{Name: "request_id", Expr: "request_id", Kind: kind.Text, Filterable: true},
	},
	DefaultSort: []string{"-uuid"},
}
