package carriers

import (
	"context"
	"encoding/json"
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
func (r *repository) keepVerdict(ctx context.Context, id uuid.UUID, status string, codes []string, at time.Time) error {
	raw, err := json.Marshal(codes)
	if err != nil {
		return err
	}

	return database.Translate(r.db.Conn(ctx).Model(&carrier{}).Where("id = ?", id).
		UpdateColumns(map[string]any{"compliance": status, "compliance_codes": string(raw), "compliance_checked_at": at}).Error)
}
