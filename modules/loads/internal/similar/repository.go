package similar

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// loadRow is a load as a list of similar ones has it; the area writes them.
type loadRow struct {
	database.Tenant

	ID     uuid.UUID `gorm:"primaryKey"`
	Number string
	State  loadsapi.State
}

// TableName implements GORM's naming.
func (loadRow) TableName() string { return "loads_loads" }

// repository finds loads; the database package keeps companies apart.
type repository struct{ db *database.DB }

// withVINs returns the open loads with one of some VINs, the newest first.
func (r repository) withVINs(ctx context.Context, vins []string) ([]loadRow, error) {
	return database.All[loadRow](r.db.Conn(ctx).Model(&loadRow{}).
		Where("deleted_at IS NULL AND id IN (SELECT load_id FROM loads_vins WHERE company_id = loads_loads.company_id AND vin IN ?)", vins).
		Order("created_at DESC, id DESC").Limit(most))
}

// ofCustomers returns the loads of customers that were created since a time, on the lane of l if it has one, the newest first.
func (r repository) ofCustomers(ctx context.Context, l Load, since time.Time) ([]loadRow, error) {
	tx := r.db.Conn(ctx).Model(&loadRow{}).Where("customer_id IN ? AND created_at >= ? AND deleted_at IS NULL", l.Customers, since)
	if l.FromZIP3 != "" {
		tx = tx.Where("origin_zip3 = ? AND destination_zip3 = ?", l.FromZIP3, l.ToZIP3)
	}

	return database.All[loadRow](tx.Order("created_at DESC, id DESC").Limit(most))
}
