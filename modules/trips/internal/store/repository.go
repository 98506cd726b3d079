package store

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// onTrip is a vehicle that a trip keeps from other trips.
type onTrip struct {
	database.Tenant

	VehicleID uuid.UUID `gorm:"primaryKey"`
	LoadID    uuid.UUID
	TripID    uuid.UUID
}

// TableName implements GORM's naming.
func (onTrip) TableName() string { return "trips_vehicles" }

// Repository keeps which vehicles are on which trips.
type Repository struct{ db *database.DB }

// NewRepository returns a Repository.
func NewRepository(db *database.DB) *Repository { return &Repository{db} }

// InTx runs something in a transaction.
func (r *Repository) InTx(ctx context.Context, do func(ctx context.Context) error) error {
	return r.db.InTx(ctx, do)
}

// TripsOf returns the trips that the vehicles of a load are on, by vehicle.
func (r *Repository) TripsOf(ctx context.Context, load uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	rows, err := database.All[onTrip](r.db.Conn(ctx).Where("load_id = ?", load))
	on := make(map[uuid.UUID]uuid.UUID, len(rows))
	for _, row := range rows {
		on[row.VehicleID] = row.TripID
	}

	return on, err
}

// OthersWith returns other trips that are dispatched or under way and have the truck or a driver of a trip, the first ten.
func (r *Repository) OthersWith(ctx context.Context, t Trip) ([]Trip, error) {
	const most = 10
	crew := t.Crew()
	if t.Truck == nil && len(crew) == 0 {
		return nil, nil
	}

	return database.All[Trip](r.db.Conn(ctx).Select("company_id, id, number, truck_id, driver_id, co_driver_id").
		Where("id <> ? AND state IN ? AND deleted_at IS NULL", t.ID, []State{Dispatched, InTransit}).
		Where("(truck_id = ? OR driver_id IN ? OR co_driver_id IN ?)", t.Truck, crew, crew).Order("number").Limit(most))
}

// KeepVehicles keeps that a trip has other vehicles than before, each with its load. It reports whether one of them is on another trip.
func (r *Repository) KeepVehicles(ctx context.Context, trip uuid.UUID, before, after map[uuid.UUID]uuid.UUID) (taken bool, err error) {
	var gone []uuid.UUID
	for v := range before {
		if _, here := after[v]; !here {
			gone = append(gone, v)
		}
	}
	if len(gone) > 0 {
		if err := r.db.Conn(ctx).Where("trip_id = ? AND vehicle_id IN ?", trip, gone).Delete(&onTrip{}).Error; err != nil {
			return false, database.Translate(err)
		}
	}
	var made []onTrip
	for v, load := range after {
		if _, was := before[v]; !was {
			made = append(made, onTrip{VehicleID: v, LoadID: load, TripID: trip})
		}
	}
	if len(made) == 0 {
		return false, nil
	}
	stored := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&made)

	return stored.RowsAffected < int64(len(made)), database.Translate(stored.Error)
}
