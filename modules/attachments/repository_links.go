package attachments

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

func (r *repository) insertLink(ctx context.Context, row *uploadLink) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// findLink returns an upload link, or errLink.
func (r *repository) findLink(ctx context.Context, id uuid.UUID) (uploadLink, error) {
	row, err := database.One[uploadLink](r.db.Conn(ctx), errLink, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.allowed(ctx, row.OwnerPart, errLink)
}

// heldLink is findLink, and keeps others from it until the transaction ends.
func (r *repository) heldLink(ctx context.Context, id uuid.UUID) (uploadLink, error) {
	row, err := database.One[uploadLink](database.Held(r.db.Conn(ctx)), errLink, "id = ?", id)
	if err != nil {
		return row, err
	}

	return row, r.allowed(ctx, row.OwnerPart, errLink)
}

func (r *repository) saveLink(ctx context.Context, row *uploadLink) error {
	return database.Translate(r.db.Conn(ctx).Model(&uploadLink{}).Where("id = ?", row.ID).
		Select("revoked_at", "version", "updated_at").Updates(row).Error)
}

func (r *repository) countUpload(ctx context.Context, id uuid.UUID, now time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&uploadLink{}).Where("id = ?", id).Updates(map[string]any{
		"uploads": gorm.Expr("uploads + 1"), "version": gorm.Expr("version + 1"), "updated_at": now,
	}).Error)
}

// refusedBy returns the names of files that came by a link and are quarantined, the newest first.
func (r *repository) refusedBy(ctx context.Context, link uuid.UUID, most int) ([]string, error) {
	names := []string{}
	err := r.db.Conn(ctx).Model(&attachment{}).Where("upload_link_id = ? AND state = ?", link, quarantined).
		Order("created_at DESC, id").Limit(most).Pluck("file_name", &names).Error

	return names, database.Translate(err)
}

// countRefused counts the files that came by some links and are quarantined.
func (r *repository) countRefused(ctx context.Context, links []uuid.UUID) (map[uuid.UUID]int64, error) {
	var counts []struct {
		UploadLinkID uuid.UUID
		Number       int64
	}
	err := r.db.Conn(ctx).Model(&attachment{}).Select("upload_link_id, count(*) AS number").
		Where("upload_link_id IN ? AND state = ?", links, quarantined).Group("upload_link_id").Find(&counts).Error
	refused := make(map[uuid.UUID]int64, len(counts))
	for _, c := range counts {
		refused[c.UploadLinkID] = c.Number
	}

	return refused, database.Translate(err)
}

// uploadLinkList is what a list of upload links can be filtered and sorted by.
func uploadLinkList() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "owner_type", Expr: "owner_type", Kind: list.Text, Filterable: true},
			{Name: "owner_uuid", Expr: "owner_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "category", Expr: "category", Kind: list.Text, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: list.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
			{Name: "expires_at", Expr: "expires_at", Kind: list.Time, Sortable: true, Filterable: true},
			{Name: "revoked_at", Expr: "revoked_at", Kind: list.Time, Nullable: true, Filterable: true},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true},
		DefaultSort: []string{"-created_at"},
		Keys:        list.KeysOf[uploadLinkBody](),
	}
}

func (r *repository) uploadLinks(ctx context.Context, q list.Query) (list.Page[uploadLink], error) {
	tx, err := r.visible(ctx, r.db.Dynamic(ctx))
	if err != nil {
		return list.Page[uploadLink]{}, err
	}
	page, err := list.Find(tx, q, uploadLink.sortKey)

	return page, database.Translate(err)
}
