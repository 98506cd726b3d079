package attachments

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
)

// repository reads and writes the attachments_* tables; the database package keeps companies apart. To callers who
// may not know of the item that something belongs to, it is not there.
type repository struct {
	db    *database.DB
	items *item.Registry
}

func newRepository(db *database.DB, items *item.Registry) *repository {
	return &repository{db: db, items: items}
}

// allowed returns notFound for what belongs to an item of a part that is hidden from the caller.
func (r *repository) allowed(ctx context.Context, part string, notFound error) error {
	hides, err := r.items.Hides(ctx, part)
	if err == nil && hides {
		err = notFound
	}

	return err
}

// visible narrows a statement down to what belongs to items that the caller may know of.
func (r *repository) visible(ctx context.Context, tx *gorm.DB) (*gorm.DB, error) {
	hidden, err := r.items.Hidden(ctx)
	if err != nil || len(hidden) == 0 {
		return tx, err
	}

	return tx.Where("owner_part NOT IN ?", hidden), nil
}

func (r *repository) insert(ctx context.Context, row *attachment) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// find returns an attachment, also a deleted one, or errNotFound.
func (r *repository) find(ctx context.Context, id uuid.UUID) (attachment, error) {
	row, err := database.One[attachment](r.db.Conn(ctx), errNotFound, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.allowed(ctx, row.OwnerPart, errNotFound)
}

// held is find, and keeps others from the attachment until the transaction ends.
func (r *repository) held(ctx context.Context, id uuid.UUID) (attachment, error) {
	row, err := database.One[attachment](database.Held(r.db.Conn(ctx)), errNotFound, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.allowed(ctx, row.OwnerPart, errNotFound)
}

// save stores an attachment that is held.
func (r *repository) save(ctx context.Context, row *attachment) error {
	return database.Translate(r.db.Conn(ctx).Model(&attachment{}).Where("id = ?", row.ID).Select(
		"owner_type", "owner_id", "owner_part", "category", "visibility", "title", "file_name", "media_type", "size", "sha256", "content",
		"state", "quarantine", "scan", "scan_asked_at", "scan_again", "facts", "expires_at", "version", "updated_at", "deleted_at",
	).Updates(row).Error)
}

// some returns those of the attachments that there are and that are not deleted, in no order.
func (r *repository) some(ctx context.Context, ids []uuid.UUID) ([]attachment, error) {
	tx, err := r.visible(ctx, r.db.Conn(ctx))
	if err != nil {
		return nil, err
	}
	var rows []attachment
	err = tx.Where("id IN ? AND deleted_at IS NULL", ids).Find(&rows).Error

	return rows, database.Translate(err)
}

// ofOwner returns attachments of an item that are not deleted, the oldest first.
func (r *repository) ofOwner(ctx context.Context, typ string, id uuid.UUID, most int) ([]attachment, error) {
	tx, err := r.visible(ctx, r.db.Conn(ctx))
	if err != nil {
		return nil, err
	}
	var rows []attachment
	err = tx.Where("owner_type = ? AND owner_id = ? AND deleted_at IS NULL", typ, id).
		Order("created_at, id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// listSchema is what a list of attachments can be filtered and sorted by.
func listSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "owner_type", Expr: "owner_type", Kind: list.Text, Filterable: true},
			{Name: "owner_uuid", Expr: "owner_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "category", Expr: "category", Kind: list.Text, Filterable: true},
			{Name: "visibility", Expr: "visibility", Kind: list.Text, Filterable: true},
			{Name: "title", Expr: "title", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "file_name", Expr: "file_name", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "media_type", Expr: "media_type", Kind: list.Text, Filterable: true},
			{Name: "size", Expr: "size", Kind: list.Integer, Sortable: true, Filterable: true},
			{Name: "sha256", Expr: "sha256", Kind: list.Text, Filterable: true, Operators: []list.Operator{list.Equal, list.In}},
			{Name: "state", Expr: "state", Kind: list.Text, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: list.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "upload_link_uuid", Expr: "upload_link_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
			{Name: "updated_at", Expr: "updated_at", Kind: list.Time, Sortable: true, Filterable: true},
			{Name: "expires_at", Expr: "expires_at", Kind: list.Time, Nullable: true, Filterable: true},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true},
		DefaultSort: []string{"-created_at"},
		Keys:        list.KeysOf[body](),
		Search:      []string{"title", "file_name"},
	}
}

// list returns a page of attachments: those that are deleted, or those that are not.
func (r *repository) list(ctx context.Context, q list.Query, gone bool) (list.Page[attachment], error) {
	condition := "deleted_at IS NULL"
	if gone {
		condition = "deleted_at IS NOT NULL"
	}
	tx, err := r.visible(ctx, r.db.Dynamic(ctx))
	if err != nil {
		return list.Page[attachment]{}, err
	}
	page, err := list.Find(tx.Where(condition), q, attachment.sortKey)

	return page, database.Translate(err)
}

func (r *repository) count(ctx context.Context) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&attachment{}).Where("deleted_at IS NULL").Count(&n).Error

	return n, database.Translate(err)
}

func (r *repository) insertVersion(ctx context.Context, row *version) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// findVersion returns a version of an attachment, or errVersion.
func (r *repository) findVersion(ctx context.Context, id uuid.UUID, number int64) (version, error) {
	return database.One[version](r.db.Conn(ctx), errVersion, "attachment_id = ? AND number = ?", id, number)
}

// newest returns the newest version of each of some attachments.
func (r *repository) newest(ctx context.Context, of []attachment) (map[uuid.UUID]version, error) {
	var rows []version
	keys := make([][]any, len(of))
	for i, row := range of {
		keys[i] = []any{row.ID, row.Content}
	}
	err := r.db.Conn(ctx).Where("(attachment_id, number) IN ?", keys).Find(&rows).Error
	found := make(map[uuid.UUID]version, len(rows))
	for _, row := range rows {
		found[row.AttachmentID] = row
	}

	return found, database.Translate(err)
}

// versions returns the versions of an attachment, the newest first.
func (r *repository) versions(ctx context.Context, id uuid.UUID) ([]version, error) {
	var rows []version
	err := r.db.Conn(ctx).Where("attachment_id = ?", id).Order("number DESC").Find(&rows).Error

	return rows, database.Translate(err)
}

// isHeld reports whether an attachment has a hold.
func (r *repository) isHeld(ctx context.Context, id uuid.UUID) (bool, error) {
	var n int64
	err := r.db.Conn(ctx).Model(&hold{}).Where("attachment_id = ?", id).Count(&n).Error

	return n > 0, database.Translate(err)
}

// addHold adds a hold, if it is not there.
func (r *repository) addHold(ctx context.Context, row *hold) error {
	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(row).Error)
}

func (r *repository) dropHold(ctx context.Context, row hold) error {
	return database.Translate(r.db.Conn(ctx).Where("attachment_id = ? AND holder_type = ? AND holder_id = ?",
		row.AttachmentID, row.HolderType, row.HolderID).Delete(&hold{}).Error)
}

// usage returns what the company's files take.
func (r *repository) usage(ctx context.Context) (usage, error) {
	var rows []usage
	err := r.db.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return usage{}, database.Translate(err)
	}

	return rows[0], nil
}

// use counts bytes and files of the company, and reports whether they are within the limit, 0 for none.
func (r *repository) use(ctx context.Context, bytes, files, limit int64, now time.Time) (bool, error) {
	err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&usage{UpdatedAt: now}).Error
	if err != nil {
		return false, database.Translate(err)
	}
	tx := r.db.Conn(ctx).Model(&usage{}).Where("bytes >= 0")
	if limit > 0 && bytes > 0 {
		tx = tx.Where("bytes + ? <= ?", bytes, limit)
	}
	tx = tx.Updates(map[string]any{
		"bytes": gorm.Expr("bytes + ?", bytes), "files": gorm.Expr("files + ?", files), "updated_at": now,
	})

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}
