package identity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes the identity_* tables. Its errors are those of database.Translate.
type repository struct{ db *database.DB }

func (r repository) createCompany(ctx context.Context, c Company) error {
	return database.Translate(r.db.Conn(ctx).Create(&companyRow{
		ID: c.ID, Name: c.Name, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}).Error)
}

func (r repository) company(ctx context.Context, id uuid.UUID) (Company, error) {
	var row companyRow
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row.company(), database.Translate(err)
}

func (r repository) companies(ctx context.Context) ([]Company, error) {
	var rows []companyRow
	if err := r.db.Conn(ctx).Order("id").Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	all := make([]Company, len(rows))
	for i, row := range rows {
		all[i] = row.company()
	}

	return all, nil
}

func (r repository) noCompany(ctx context.Context) (bool, error) {
	var rows []companyRow
	err := r.db.Conn(ctx).Select("id").Limit(1).Find(&rows).Error

	return len(rows) == 0, database.Translate(err)
}

func (r repository) suspend(ctx context.Context, id uuid.UUID, at *time.Time, now time.Time) error {
	return changed(r.db.Conn(ctx).Model(&companyRow{}).Where("id = ?", id).
		Updates(map[string]any{"suspended_at": at, "updated_at": now}))
}

func (r repository) createUser(ctx context.Context, u User) error {
	return database.Translate(r.db.Conn(ctx).Create(&userRow{
		ID: u.ID, Name: u.Name, Email: u.Email, Role: u.Role, CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}).Error)
}

func (r repository) user(ctx context.Context, id uuid.UUID) (User, error) {
	var row userRow
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row.user(), database.Translate(err)
}

func (r repository) deactivate(ctx context.Context, id uuid.UUID, at *time.Time, now time.Time) error {
	return changed(r.db.Conn(ctx).Model(&userRow{}).Where("id = ?", id).
		Updates(map[string]any{"deactivated_at": at, "updated_at": now}))
}

// changed returns database.ErrNotFound if a statement changed no row.
func changed(tx *gorm.DB) error {
	if tx.Error == nil && tx.RowsAffected == 0 {
		return database.ErrNotFound
	}

	return database.Translate(tx.Error)
}
