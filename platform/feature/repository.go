package feature

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes the table features_areas. Its errors are those of database.Translate.
type repository struct{ db *database.DB }

// decisions returns what was decided for the caller's company, by area.
func (r repository) decisions(ctx context.Context) (map[string]row, error) {
	var rows []row
	if err := r.db.Conn(ctx).Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	said := make(map[string]row, len(rows))
	for _, one := range rows {
		said[one.Area] = one
	}

	return said, nil
}

// saveDecisions writes decisions for the caller's company over those before.
func (r repository) saveDecisions(ctx context.Context, rows []row) error {
	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "area"}},
		Where:     database.SameCompany(row{}.TableName()),
		DoUpdates: clause.AssignmentColumns([]string{"enabled", "changed_at", "changed_by_kind", "changed_by"}),
	}).Create(&rows).Error)
}

// lock lets the changes of a company's set come one after the other, until the transaction ends.
func (r repository) lock(ctx context.Context, company uuid.UUID) error {
	return r.db.HoldName(ctx, "features "+company.String())
}
