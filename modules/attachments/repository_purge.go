package attachments

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// deletedBefore returns attachments of all companies that were deleted before a time.
func (r *repository) deletedBefore(ctx context.Context, before time.Time, most int) ([]database.Place, error) {
	return database.All[database.Place](r.db.Conn(database.AcrossCompanies(ctx, "what was deleted long ago is removed for all companies")).Model(&attachment{}).
		Where("deleted_at < ?", before).Order("deleted_at").Limit(most))
}

// expiredBefore returns attachments of all companies that expired before a time, are not deleted, and are not held.
func (r *repository) expiredBefore(ctx context.Context, before time.Time, after database.Place, most int) ([]database.Place, error) {
	expired := r.db.Conn(database.AcrossCompanies(ctx, "what has expired is deleted for all companies")).Model(&attachment{}).
		Where("expires_at <= ? AND deleted_at IS NULL", before)

	return database.All[database.Place](database.After(expired, after, most))
}

// remove removes an attachment with everything about it.
func (r *repository) remove(ctx context.Context, id uuid.UUID) error {
	if err := r.db.Conn(ctx).Where("attachment_id = ?", id).Delete(&hold{}).Error; err != nil {
		return database.Translate(err)
	}
	if err := r.db.Conn(ctx).Where("attachment_id = ?", id).Delete(&thumbnail{}).Error; err != nil {
		return database.Translate(err)
	}
	if err := r.db.Conn(ctx).Where("attachment_id = ?", id).Delete(&version{}).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&attachment{}).Error)
}

// known returns which blobs versions of the company, their thumbnails, or uploads that have not ended are about.
func (r *repository) known(ctx context.Context, blobs []string) (map[string]bool, error) {
	known := make(map[string]bool, len(blobs))
	for _, model := range []any{&version{}, &thumbnail{}} {
		var names []string
		if err := r.db.Conn(ctx).Model(model).Where("blob_name IN ?", blobs).Pluck("blob_name", &names).Error; err != nil {
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

// content names the content of a version.
type content struct {
	AttachmentID uuid.UUID
	Number       int64
	BlobName     string
	Size         int64
	CreatedAt    time.Time
}

// contents returns the contents of the company whose blobs come after a name, by name.
func (r *repository) contents(ctx context.Context, after string, most int) ([]content, error) {
	var some []content
	err := r.db.Conn(ctx).Model(&version{}).Where("blob_name > ?", after).Order("blob_name").Limit(most).Find(&some).Error

	return some, database.Translate(err)
}

// companiesWithFiles returns the companies that have usage.
func (r *repository) companiesWithFiles(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Conn(database.AcrossCompanies(ctx, "the files of all companies are reconciled")).Model(&usage{}).
		Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// total returns what the versions of a company take, and what has arrived of uploads that have not ended.
func (r *repository) total(ctx context.Context, company uuid.UUID) (bytes int64, err error) {
	err = r.db.Raw(ctx, "a sum; the company is bound").Raw(
		`SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM (
			SELECT size FROM attachments_versions WHERE company_id = ? UNION ALL
			SELECT size FROM attachments_parts WHERE company_id = ?) stored`, company, company).Scan(&bytes).Error

	return bytes, database.Translate(err)
}
