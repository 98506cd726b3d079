// Package rates finds what loads have cost, and what carriers got for them.
package rates

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
)

// loadRow is what is read of loads; the area writes them.
type loadRow struct {
	database.Tenant

	ID           uuid.UUID `gorm:"primaryKey"`
	Number       string
	CarrierPay   string
	VehicleCount int64
	Miles        *int64
	DispatchedAt time.Time
}

// TableName implements GORM's naming.
func (loadRow) TableName() string { return "loads_loads" }

// repository implements loadsapi.Rates.
type repository struct{ db *database.DB }

// New returns the rates.
func New(db *database.DB) loadsapi.Rates { return repository{db} }

// Paid implements loadsapi.Rates.
func (r repository) Paid(ctx context.Context, f loadsapi.PaidFor) ([]loadsapi.Paid, error) {
	const most = 500
	inoperable := "inop_count = 0"
	if f.Inoperable {
		inoperable = "inop_count > 0"
	}
	tx := r.db.Conn(ctx).Select("id, company_id, number, carrier_pay, vehicle_count, miles, dispatched_at").
		Where("booked_at >= ? AND dispatched_at >= ? AND carrier_id IS NOT NULL AND carrier_pay IS NOT NULL AND vehicle_count > 0 AND deleted_at IS NULL", f.Since, f.Since).
		Where("currency = ? AND transport_type = ? AND "+inoperable, f.Currency, f.TransportType)
	if f.FromZIP3 != "" && f.ToZIP3 != "" {
		tx = tx.Where("origin_zip3 = ? AND destination_zip3 = ?", f.FromZIP3, f.ToZIP3)
	}
	if f.FromState != "" && f.ToState != "" {
		tx = tx.Where("origin_state = ? AND destination_state = ?", f.FromState, f.ToState)
	}
	if f.MilesUpTo > 0 {
		tx = tx.Where("miles BETWEEN ? AND ?", f.MilesFrom, f.MilesUpTo)
	}
	rows, err := database.All[loadRow](tx.Order("booked_at DESC, id DESC").Limit(most))
	all := make([]loadsapi.Paid, len(rows))
	for i, row := range rows {
		all[i] = loadsapi.Paid{Number: row.Number, CarrierPay: row.CarrierPay, Vehicles: row.VehicleCount, At: row.DispatchedAt}
		if row.Miles != nil {
			all[i].Miles = *row.Miles
		}
	}

	return all, err
}

// cost is what a load cost.
type cost struct{ Tariff, CarrierPay money.Amount }

// costs returns what the loads of a lane cost that were booked since a time, but for one, the latest thousand.
func (r repository) costs(ctx context.Context, where, from, to string, but Load, since time.Time) ([]cost, error) {
	const most = 1000

	return database.All[cost](r.db.Conn(ctx).Model(&loadRow{}).Select("tariff, carrier_pay").Where(where, from, to).
		Where("currency = ? AND booked_at >= ? AND id <> ? AND deleted_at IS NULL", but.Currency, since, but.ID).Order("booked_at DESC").Limit(most))
}

// lanePay is what a carrier got for a load of so many vehicles.
type lanePay struct {
	CarrierPay   money.Amount
	VehicleCount int64
}

// lanePays returns what carriers got for the loads of a lane that were booked since a time, the latest thousand.
func (r repository) lanePays(ctx context.Context, from, to, currency string, since time.Time) ([]lanePay, error) {
	const most = 1000

	return database.All[lanePay](r.db.Conn(ctx).Model(&loadRow{}).Select("carrier_pay, vehicle_count").Where("origin_zip3 = ? AND destination_zip3 = ?", from, to).
		Where("currency = ? AND booked_at >= ? AND deleted_at IS NULL", currency, since).Order("booked_at DESC").Limit(most))
}
