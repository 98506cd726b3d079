package billing

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// due returns the subscriptions of all companies with something to do at a time, the earliest first.
func (r *runner) due(ctx context.Context, at time.Time, most int) ([]database.Place, error) {
	ctx = database.AcrossCompanies(ctx, "subscriptions are renewed for all companies")

	return database.All[database.Place](r.tables.DB.Conn(ctx).Model(&subscription{}).Where("next_at <= ? AND deleted_at IS NULL", at).
		Order("next_at, id").Limit(most))
}

// postpone has a subscription worked on later. Its version stays.
func (r *runner) postpone(ctx context.Context, id uuid.UUID, until time.Time) error {
	return r.tables.DB.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.tables.DB.Conn(ctx).Model(&subscription{}).Where("id = ?", id).UpdateColumn("next_at", until).Error)
	})
}

// store inserts the seller, or replaces it.
func (s *sellers) store(ctx context.Context, now seller) error {
	replace := clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, UpdateAll: true}

	return database.Translate(s.db.Conn(ctx).Clauses(replace).Create(&now).Error)
}
