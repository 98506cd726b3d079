package record

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// loadRow is what is read of loads; the area writes them.
type loadRow struct {
	database.Tenant

	ID          uuid.UUID `gorm:"primaryKey"`
	Number      string
	DeliveredAt *time.Time
}

// TableName implements GORM's naming.
func (loadRow) TableName() string { return "loads_loads" }

// isLive is the condition of loads that are booked and not over, or of which something is left to pay or to give back.
const isLive = `(state IN ('booked', 'ready', 'dispatched', 'picked_up', 'delivered')
	OR state NOT IN ('draft', 'lead', 'quoted', 'lost') AND customer_balance IS NOT NULL AND CAST(customer_balance AS numeric) <> 0)`

// live returns a load of a contact that is not over, if there is one.
func (s *Retention) live(ctx context.Context, contact uuid.UUID) ([]loadRow, error) {
	return s.ofContact(ctx, contact, isLive)
}

// kept returns, of the loads of a contact that were delivered since a time, the one that was delivered last.
func (s *Retention) kept(ctx context.Context, contact uuid.UUID, since time.Time) ([]loadRow, error) {
	return s.ofContact(ctx, contact, "delivered_at > ?", since)
}

func (s *Retention) ofContact(ctx context.Context, contact uuid.UUID, where string, args ...any) ([]loadRow, error) {
	return database.All[loadRow](s.db.Conn(ctx).Select("id, company_id, number, delivered_at").
		Where("(customer_id = ? OR shipper_id = ? OR bill_to_id = ?) AND deleted_at IS NULL", contact, contact, contact).
		Where(where, args...).Order("delivered_at DESC, id DESC").Limit(1))
}
