package vehicles

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpicapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// answer is a row of vehicles_answers: the details of a VIN pattern from vPIC's API.
type answer struct {
	database.Tenant

	Pattern string        `gorm:"primaryKey"`
	Facts   vpicapi.Facts `gorm:"serializer:json"`
	// FetchedAt is the time of the facts, nil if there are none yet; FailedAt that of a failure since then.
	FetchedAt *time.Time
	FailedAt  *time.Time
	AskedAt   time.Time
}

// TableName implements GORM's naming.
func (answer) TableName() string { return "vehicles_answers" }
