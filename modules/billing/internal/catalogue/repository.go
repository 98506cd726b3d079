package catalogue

import (
	"context"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
)

// store inserts the seller, or replaces it.
func (s *Sellers) store(ctx context.Context, now store.Seller) error {
	replace := clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, UpdateAll: true}

	return database.Translate(s.db.Conn(ctx).Clauses(replace).Create(&now).Error)
}
