package carriers

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes carriers beside their resource.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

// ids returns all carriers of the caller's company.
func (r *repository) ids(ctx context.Context) (ids []uuid.UUID, err error) {
	err = r.db.Conn(ctx).Model(&carrier{}).Where("deleted_at IS NULL").Order("id").Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// companies returns the companies that have carriers.
func (r *repository) companies(ctx context.Context) (ids []uuid.UUID, err error) {
	ctx = database.AcrossCompanies(ctx, "the carriers of all companies are judged anew")
	err = r.db.Conn(ctx).Model(&carrier{}).Where("deleted_at IS NULL").Distinct("company_id").Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// keepVerdict keeps what became of a verdict on a carrier that is held. It is no change of the carrier: its version stays.
func (r *repository) keepVerdict(ctx context.Context, id uuid.UUID, status, codes string, at time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&carrier{}).Where("id = ?", id).
		UpdateColumns(map[string]any{"compliance": status, "compliance_codes": codes, "compliance_checked_at": at}).Error)
}

// standings returns carriers by their id, with what became of their last verdicts; status and one narrow them if they are given.
func (r *repository) standings(ctx context.Context, status string, one, after uuid.UUID, limit int) (rows []carrier, err error) {
	tx := r.db.Dynamic(ctx).Model(&carrier{}).Select("id", "legal_name", "compliance", "compliance_codes", "compliance_checked_at").
		Where("deleted_at IS NULL AND id > ?", after)
	if status != "" {
		tx = tx.Where("compliance = ?", status)
	}
	if one != uuid.Nil {
		tx = tx.Where("id = ?", one)
	}
	err = tx.Order("id").Limit(limit).Find(&rows).Error

	return rows, database.Translate(err)
}
