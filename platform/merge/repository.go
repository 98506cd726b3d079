package merge

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

const why = "tables that areas name; the company is bound"

// merged is what one merge has moved and changed.
type merged struct {
	ID, IntoID, FromID uuid.UUID
	Moved              resource.JSON[[]resource.Moved]
	// Before and After are the values of the row that stays, as far as the merge has changed them.
	Before, After rawjson.Object
	CreatedAt     time.Time
	CreatedBy     *uuid.UUID
}

// repository keeps merges.
type repository struct {
	db *database.DB
	// table keeps merges, rows has the rows that are merged.
	table, rows string
}

func (r repository) add(ctx context.Context, m merged) error {
	return r.db.Pipeline(ctx, why, "INSERT INTO "+r.table+
		" (company_id, id, into_id, from_id, moved, before, after, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[]any{principal.CompanyOf(ctx), m.ID, m.IntoID, m.FromID, m.Moved, m.Before, m.After, m.CreatedAt, m.CreatedBy}, nil)
}

// last returns the merge that made a row what it is; found is false for none.
func (r repository) last(ctx context.Context, from uuid.UUID) (m merged, found bool, err error) {
	var rows []merged
	err = r.db.Raw(ctx, why).Raw("SELECT id, into_id, from_id, moved, before, after, created_at, created_by FROM "+r.table+
		" WHERE company_id = ? AND from_id = ? AND unmerged_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1",
		principal.CompanyOf(ctx), from).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return m, false, database.Translate(err)
	}

	return rows[0], true, nil
}

func (r repository) end(ctx context.Context, id uuid.UUID, now time.Time) error {
	return r.db.Pipeline(ctx, why, "UPDATE "+r.table+" SET unmerged_at = ? WHERE company_id = ? AND id = ?",
		[]any{now, principal.CompanyOf(ctx), id}, nil)
}

// follow has rows that were merged into one be merged into another one, and returns which: all that are, or those of some.
func (r repository) follow(ctx context.Context, from, into uuid.UUID, only []uuid.UUID) (ids []uuid.UUID, err error) {
	where, args := "", []any{into, principal.CompanyOf(ctx), from}
	if only != nil {
		among, value := r.db.Dialect().AmongIDs("id", only)
		where, args = " AND "+among, append(args, value)
	}
	err = r.db.Raw(ctx, why).Raw("UPDATE "+r.rows+" SET merged_into_id = ? WHERE company_id = ? AND merged_into_id = ?"+where+" RETURNING id",
		args...).Scan(&ids).Error

	return ids, database.Translate(err)
}
