// Package versions keeps the rows of resources as they were before each change, in one table for all resources.
package versions

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Row is a row of resource_versions: a change of a resource's row, and the row as the change found it.
type Row struct {
	database.Tenant

	ItemType string    `gorm:"primaryKey"`
	ItemID   uuid.UUID `gorm:"primaryKey"`
	// Stamp is that of the version that the change made.
	history.Stamp

	// Document is the row at the version before, by the keys of fields.
	Document rawjson.Object
}

// TableName implements GORM's naming.
func (Row) TableName() string { return "resource_versions" }

// Store keeps versions of the rows of all companies. Its errors are those of the database.
type Store struct {
	db     *database.DB
	insert database.Rows
}

const (
	whyKept = "earlier versions of rows of a resource; the company is bound"
	whyOld  = "what is older than it is kept is removed for all companies together; keys have the company"
)

// New returns the store of a database; it does no I/O.
func New(db *database.DB) *Store {
	return &Store{db: db, insert: database.NewRows(`INSERT INTO resource_versions (company_id, item_type, item_id, version, verb, document,
		at, actor_kind, actor_id, request_id, source)`,
		database.PlainValues("uuid", "text", "uuid", "bigint", "text", "text", "timestamptz", "text", "uuid", "text", "text"), "")}
}

// Keep stores versions of the principal's company, in the message that stores the changes which made them.
func (s *Store) Keep(ctx context.Context, all []Row) error {
	company, rows := principal.CompanyOf(ctx), make([][]any, len(all))
	for i, r := range all {
		rows[i] = []any{
			company, r.ItemType, r.ItemID, r.Version, r.Verb, string(r.Document),
			r.At, r.ActorKind, r.ActorID, r.RequestID, r.Source,
		}
	}

	return s.db.PipelineRows(ctx, whyKept, s.insert, rows, nil)
}

// Find returns the change that made a version of a row, nil if it is not kept.
func (s *Store) Find(ctx context.Context, row item.Ref, version int64) (*Row, error) {
	return database.IfAny[Row](s.db.Conn(ctx), "item_type = ? AND item_id = ? AND version = ?", row.Type, row.UUID, version)
}

// Of returns the changes that made some versions of a row, as far as they are kept.
func (s *Store) Of(ctx context.Context, row item.Ref, versions []int64) ([]Row, error) {
	return database.All[Row](s.db.Conn(ctx).Where("item_type = ? AND item_id = ? AND version IN ?", row.Type, row.UUID, versions))
}

// Among returns the changes that made one of some versions of one of some rows, as far as they are kept.
func (s *Store) Among(ctx context.Context, itemType string, ids []uuid.UUID, versions []int64) ([]Row, error) {
	return database.All[Row](s.db.Dynamic(ctx).Where("item_type = ? AND item_id IN ? AND version IN ?", itemType, ids, versions))
}

// LatestSince returns, of each of some rows, the latest version that did not come from a source; rows without one are missing.
func (s *Store) LatestSince(ctx context.Context, source, itemType string, ids []uuid.UUID) (map[uuid.UUID]int64, error) {
	var latest []struct {
		ItemID  uuid.UUID
		Version int64
	}
	err := s.db.Dynamic(ctx).Model(&Row{}).Select("item_id, max(version) AS version").
		Where("item_type = ? AND item_id IN ? AND source <> ?", itemType, ids, source).Group("item_id").Find(&latest).Error
	all := make(map[uuid.UUID]int64, len(latest))
	for _, row := range latest {
		all[row.ItemID] = row.Version
	}

	return all, database.Translate(err)
}

// List returns a page of the changes of a row of a table. The first version, which is the creation, has no row of its own: it gets the verb
// created, and is there as long as its values are known.
func (s *Store) List(ctx context.Context, table string, row item.Ref, created string, q list.Query) (list.Page[Row], error) {
	company := principal.CompanyOf(ctx)
	tx := database.UncheckedRaw(s.db.Dynamic(ctx), "a union; the company is bound").Table(`(SELECT item_id, version, verb, document,
		at, actor_kind, actor_id, request_id, source FROM resource_versions WHERE company_id = ? AND item_type = ? AND item_id = ?
		UNION ALL SELECT id, 1, ?, '', created_at, CASE WHEN created_by IS NULL THEN '' ELSE 'user' END, created_by, '', ''
		FROM `+table+` AS now WHERE company_id = ? AND id = ? AND (version = 1 OR EXISTS (SELECT 1 FROM resource_versions AS v
			WHERE v.company_id = now.company_id AND v.item_type = ? AND v.item_id = now.id AND v.version = 2))) AS h`,
		company, row.Type, row.UUID, created, company, row.UUID, row.Type)
	page, err := list.Find(tx, q, func(row Row, _ string) any { return row.Version })

	return page, database.Translate(err)
}

// Forget removes the versions of a row. It joins the caller's transaction.
func (s *Store) Forget(ctx context.Context, row item.Ref) error {
	return s.db.Pipeline(ctx, whyKept, "DELETE FROM resource_versions WHERE company_id = ? AND item_type = ? AND item_id = ?",
		[]any{principal.CompanyOf(ctx), row.Type, row.UUID}, nil)
}

// ForgetAll removes the versions of rows of any company that are removed for good. It joins the caller's transaction.
func (s *Store) ForgetAll(ctx context.Context, itemType string, rows []database.Place) error {
	keys := make([][]any, len(rows))
	for i, row := range rows {
		keys[i] = []any{row.CompanyID, itemType, row.ID}
	}

	return database.Translate(s.db.Raw(ctx, whyOld).Exec("DELETE FROM resource_versions WHERE (company_id, item_type, item_id) IN ?", keys).Error)
}

// Sweep removes up to limit versions of any company from before a time, and returns how many.
func (s *Store) Sweep(ctx context.Context, before time.Time, limit int) (removed int, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		tx := s.db.Raw(ctx, whyOld).Exec(`DELETE FROM resource_versions WHERE (company_id, item_type, item_id, version) IN (
			SELECT company_id, item_type, item_id, version FROM resource_versions WHERE at < ? ORDER BY at LIMIT ?)`, before, limit)
		removed = int(tx.RowsAffected)

		return database.Translate(tx.Error)
	})

	return removed, err
}
