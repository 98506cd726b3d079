package identity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes the identity_* tables. Its errors are those of database.Translate.
type repository struct{ db *database.DB }

func (r repository) createCompany(ctx context.Context, c Company) error {
	row := newCompanyRow(c)

	return database.Translate(r.db.Conn(ctx).Create(&row).Error)
}

// updateCompany stores what UpdateCompany may change.
func (r repository) updateCompany(ctx context.Context, c Company) error {
	return requireChanged(r.db.Conn(ctx).Model(&companyRow{}).Where("id = ?", c.ID).Updates(map[string]any{
		"name": c.Name, "legal_name": c.LegalName, "dba": c.DBA, "usdot_number": c.USDOTNumber, "mc_number": c.MCNumber,
		"street": c.Address.Street, "city": c.Address.City, "state": c.Address.State,
		"postal_code": c.Address.PostalCode, "country": c.Address.Country,
		"time_zone": c.TimeZone, "currency": c.Currency, "version": c.Version, "updated_at": c.UpdatedAt,
	}))
}

// lockCompany keeps others from holding the company until the transaction ends. On SQLite, where one
// transaction writes at a time, there is nothing to do. Rows that refer to the company can be
// inserted meanwhile.
func (r repository) lockCompany(ctx context.Context, company uuid.UUID) error {
	var row companyRow

	return database.Translate(r.db.Conn(ctx).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).
		Select("id").Where("id = ?", company).Take(&row).Error)
}

func (r repository) company(ctx context.Context, id uuid.UUID) (Company, error) {
	var row companyRow
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row.company(), database.Translate(err)
}

func companyNames(ctx context.Context, db *database.DB, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	var rows []companyRow
	if err := db.Conn(ctx).Select("id", "name").Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	names := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		names[row.ID] = row.Name
	}

	return names, nil
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
	return requireChanged(r.db.Conn(ctx).Model(&companyRow{}).Where("id = ?", id).
		Updates(map[string]any{"suspended_at": at, "updated_at": now, "version": gorm.Expr("version + 1")}))
}

// requireChanged returns database.ErrNotFound if a statement changed no row.
func requireChanged(tx *gorm.DB) error {
	if tx.Error == nil && tx.RowsAffected == 0 {
		return database.ErrNotFound
	}

	return database.Translate(tx.Error)
}
