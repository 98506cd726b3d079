package brand

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Repository reads and writes companies_brands; the database package keeps companies apart.
type Repository struct{ db *database.DB }

// NewRepository returns a Repository.
func NewRepository(db *database.DB) *Repository { return &Repository{db} }

// find returns the company's brand, the zero brand if there is none.
func (r *Repository) find(ctx context.Context) (Row, error) {
	var rows []Row
	err := r.db.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return Row{}, database.Translate(err)
	}

	return rows[0], nil
}

// keep stores the brand, which has its new version.
func (r *Repository) keep(ctx context.Context, b Row) error {
	if b.Version == 1 {
		return database.Translate(r.db.Conn(ctx).Create(&b).Error)
	}

	return database.Translate(r.db.Conn(ctx).Model(&Row{}).Where("version = ?", b.Version-1).Updates(map[string]any{
		"name": b.Name, "primary_color": b.PrimaryColor, "secondary_color": b.SecondaryColor, "accent_color": b.AccentColor,
		"logo_url": b.LogoURL, "domain": b.Domain, "from_address": b.FromAddress,
		"logo_blob": b.Logo.Blob, "logo_sha256": b.Logo.SHA256, "logo_size": b.Logo.Size, "logo_width": b.Logo.Width, "logo_height": b.Logo.Height,
		"version": b.Version, "updated_at": b.UpdatedAt,
	}).Error)
}
