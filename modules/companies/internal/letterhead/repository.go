package letterhead

import (
	"context"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Repository reads and writes companies_letterheads; the database package keeps companies apart.
type Repository struct{ db *database.DB }

// NewRepository returns a Repository.
func NewRepository(db *database.DB) *Repository { return &Repository{db} }

// find returns what the company has set, a zero row if that is nothing.
func (r *Repository) find(ctx context.Context) (row, error) {
	var rows []row
	err := r.db.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return row{}, database.Translate(err)
	}

	return rows[0], nil
}

// keep stores a row, which has its new version.
func (r *Repository) keep(ctx context.Context, kept row) error {
	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "company_id"}},
		DoUpdates: clause.AssignmentColumns([]string{
			"legal_name", "address", "phone", "email", "website", "tax_id", "usdot", "docket", "remit_text", "footer", "version", "updated_at",
		}),
		Where: database.SameCompany("companies_letterheads"),
	}).Create(&kept).Error)
}
