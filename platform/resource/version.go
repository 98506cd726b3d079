package resource

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// versionRow is a row of resource_versions: a change of a resource's row, and the row as the change found it.
type versionRow struct {
	database.Tenant

	ItemType string    `gorm:"primaryKey"`
	ItemID   uuid.UUID `gorm:"primaryKey"`
	// Stamp is that of the version that the change made.
	history.Stamp

	// Document is the row at the version before, by the keys of fields.
	Document rawjson.Object
}

// TableName implements GORM's naming.
func (versionRow) TableName() string { return "resource_versions" }

// insertVersions is the statement that inserts rows of resource_versions.
func insertVersions() database.Rows {
	return database.NewRows(`INSERT INTO resource_versions (company_id, item_type, item_id, version, verb, document,
		at, actor_kind, actor_id, request_id, source)`,
		database.PlainValues("uuid", "text", "uuid", "bigint", "text", "text", "timestamptz", "text", "uuid", "text", "text"), "")
}

// keepVersions stores rows as they were before a change, in the message that stores the change.
func (r *table) keepVersions(ctx context.Context, all []revision) error {
	company, rows := companyOf(ctx), make([][]any, len(all))
	for i, c := range all {
		document, err := r.plan.Image(columns.ValueOf(c.before), columns.WriteOf(columns.MetaOf(c.after)))
		if err != nil {
			return fmt.Errorf("version %d of %s %s: %w", columns.MetaOf(c.before).Version, r.Item, columns.MetaOf(c.before).ID, err)
		}
		m := columns.MetaOf(c.after)
		stamp := history.StampOf(history.WithSource(ctx, c.source), m.Version, c.verb.past(), m.UpdatedAt)
		rows[i] = []any{
			company, r.Item, m.ID, stamp.Version, stamp.Verb, string(document),
			stamp.At, stamp.ActorKind, stamp.ActorID, stamp.RequestID, stamp.Source,
		}
	}

	return r.engine.db.PipelineRows(ctx, whyOwn, r.engine.versions, rows, nil)
}

// versionAt returns a row that is not deleted as it was at a version. Fields that the row did not have then, or whose
// values are none by now, are empty. Errors: <area>.<noun>_not_found, history.ErrVersionNotFound.
func (r *table) versionAt(ctx context.Context, id uuid.UUID, version int64) (any, error) {
	row, err := r.find(ctx, id)
	if err != nil || columns.MetaOf(row).Version == version {
		return row, err
	}

	return r.earlier(ctx, row, version)
}

// earlier returns a row as it was at a version before the present one.
func (r *table) earlier(ctx context.Context, now any, version int64) (was any, err error) {
	made, err := r.madeVersion(ctx, columns.MetaOf(now).ID, version+1)
	if err != nil {
		return was, err
	}
	if made == nil {
		return was, history.ErrVersionNotFound.WithDetail("current_version", columns.MetaOf(now).Version)
	}

	return columns.ReadImage(&r.plan, made.Document)
}

// madeVersion returns the change that made a version of a row, nil if it is not kept.
func (r *table) madeVersion(ctx context.Context, id uuid.UUID, version int64) (*versionRow, error) {
	return database.IfAny[versionRow](r.engine.db.Conn(ctx), "item_type = ? AND item_id = ? AND version = ?", r.Item, id, version)
}

// versions returns a page of the changes of a row. The first version, which is the
// creation, has no row of its own; it is there as long as its values are known.
func (r *table) versions(ctx context.Context, now any, q list.Query) (list.Page[versionRow], error) {
	company, id := companyOf(ctx), columns.MetaOf(now).ID
	tx := database.UncheckedRaw(r.engine.db.Dynamic(ctx), "a union; the company is bound").Table(`(SELECT item_id, version, verb, document,
		at, actor_kind, actor_id, request_id, source FROM resource_versions WHERE company_id = ? AND item_type = ? AND item_id = ?
		UNION ALL SELECT id, 1, ?, '', created_at, CASE WHEN created_by IS NULL THEN '' ELSE 'user' END, created_by, '', ''
		FROM `+r.plan.Table+` AS now WHERE company_id = ? AND id = ? AND (version = 1 OR EXISTS (SELECT 1 FROM resource_versions AS v
			WHERE v.company_id = now.company_id AND v.item_type = ? AND v.item_id = now.id AND v.version = 2))) AS h`,
		company, r.Item, id, Create.past(), company, id, r.Item)
	page, err := list.Find(tx, q, func(row versionRow, _ string) any { return row.Version })

	return page, database.Translate(err)
}

// afterEach returns the row as it was after each of some changes, by version.
func (r *table) afterEach(ctx context.Context, now any, changes []versionRow) (map[int64]any, error) {
	next := make([]int64, len(changes))
	for i, c := range changes {
		next[i] = c.Version + 1
	}
	rows, err := database.All[versionRow](r.engine.db.Conn(ctx).
		Where("item_type = ? AND item_id = ? AND version IN ?", r.Item, columns.MetaOf(now).ID, next))
	if err != nil {
		return nil, err
	}
	after := map[int64]any{columns.MetaOf(now).Version: now}
	for _, row := range rows {
		if after[row.Version-1], err = columns.ReadImage(&r.plan, row.Document); err != nil {
			return nil, fmt.Errorf("version %d of %s %s: %w", row.Version-1, r.Item, row.ItemID, err)
		}
	}

	return after, nil
}

// Forget removes the earlier versions of a row, whose values nobody may have any more. It joins the caller's transaction.
func (e *Engine) Forget(ctx context.Context, row item.Ref) error {
	return e.db.Pipeline(ctx, whyOwn, "DELETE FROM resource_versions WHERE company_id = ? AND item_type = ? AND item_id = ?",
		[]any{companyOf(ctx), row.Type, row.UUID}, nil)
}

// forgetVersions removes a batch of versions that are older than they are kept.
func (e *Engine) forgetVersions(ctx context.Context) (removed int, err error) {
	before := e.clock.Now().Add(-e.settings.Versions)
	err = e.db.InTx(ctx, func(ctx context.Context) error {
		tx := e.db.Raw(ctx, whyPurge).Exec(`DELETE FROM resource_versions WHERE (company_id, item_type, item_id, version) IN (
			SELECT company_id, item_type, item_id, version FROM resource_versions WHERE at < ? ORDER BY at LIMIT ?)`, before, purgeBatch)
		removed = int(tx.RowsAffected)

		return database.Translate(tx.Error)
	})

	return removed, err
}
