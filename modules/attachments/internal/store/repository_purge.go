package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// DeletedBefore returns attachments of all companies that were deleted before a time.
func (r *Repository) DeletedBefore(ctx context.Context, before time.Time, most int) ([]database.Place, error) {
	return database.All[database.Place](r.DB.Conn(database.AcrossCompanies(ctx, "what was deleted long ago is removed for all companies")).Model(&Attachment{}).
		Where("deleted_at < ?", before).Order("deleted_at").Limit(most))
}

// ExpiredBefore returns attachments of all companies that expired before a time, are not deleted, and are not held.
func (r *Repository) ExpiredBefore(ctx context.Context, before time.Time, after database.Place, most int) ([]database.Place, error) {
	expired := r.DB.Conn(database.AcrossCompanies(ctx, "what has expired is deleted for all companies")).Model(&Attachment{}).
		Where("expires_at <= ? AND deleted_at IS NULL", before)

	return database.All[database.Place](database.AfterPlace(expired, after, most))
}

// Delete removes an attachment with everything about it.
func (r *Repository) Delete(ctx context.Context, id uuid.UUID) error {
	if err := r.DB.Conn(ctx).Where("attachment_id = ?", id).Delete(&Hold{}).Error; err != nil {
		return database.Translate(err)
	}
	if err := r.DB.Conn(ctx).Where("attachment_id = ?", id).Delete(&Thumbnail{}).Error; err != nil {
		return database.Translate(err)
	}
	if err := r.DB.Conn(ctx).Where("attachment_id = ?", id).Delete(&Version{}).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.DB.Conn(ctx).Where("id = ?", id).Delete(&Attachment{}).Error)
}

// KnownBlobs returns which blobs versions of the company, their thumbnails, or uploads that have not ended are about.
func (r *Repository) KnownBlobs(ctx context.Context, blobs []string) (map[string]bool, error) {
	known := make(map[string]bool, len(blobs))
	for _, model := range []any{&Version{}, &Thumbnail{}} {
		var names []string
		if err := r.DB.Conn(ctx).Model(model).Where("blob_name IN ?", blobs).Pluck("blob_name", &names).Error; err != nil {
			return nil, database.Translate(err)
		}
		for _, name := range names {
			known[name] = true
		}
	}
	parts, err := r.knownParts(ctx, blobs)
	for _, name := range parts {
		known[name] = true
	}

	return known, err
}

// Content names the content of a version.
type Content struct {
	AttachmentID uuid.UUID
	Number       int64
	BlobName     string
	Size         int64
	CreatedAt    time.Time
}

// Contents returns the contents of the company whose blobs come after a name, by name.
func (r *Repository) Contents(ctx context.Context, after string, most int) ([]Content, error) {
	var some []Content
	err := r.DB.Conn(ctx).Model(&Version{}).Where("blob_name > ?", after).Order("blob_name").Limit(most).Find(&some).Error

	return some, database.Translate(err)
}

// CompaniesWithFiles returns the companies that have usage.
func (r *Repository) CompaniesWithFiles(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Conn(database.AcrossCompanies(ctx, "the files of all companies are reconciled")).Model(&Usage{}).
		Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// TotalSize returns what the versions of a company take, and what has arrived of uploads that have not ended.
func (r *Repository) TotalSize(ctx context.Context, company uuid.UUID) (bytes int64, err error) {
	err = r.DB.Raw(ctx, "a sum; the company is bound").Raw(
		`SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM (
			SELECT size FROM attachments_versions WHERE company_id = ? UNION ALL
			SELECT size FROM attachments_parts WHERE company_id = ?) stored`, company, company).Scan(&bytes).Error

	return bytes, database.Translate(err)
}

// String names the content for people.
func (c Content) String() string {
	return fmt.Sprintf("attachment %s version %d", c.AttachmentID, c.Number)
}
