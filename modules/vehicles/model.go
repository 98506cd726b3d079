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

// fresh reports whether the facts need not be fetched again.
func (a answer) fresh(now time.Time, s settings) bool {
	return a.FetchedAt != nil && now.Sub(*a.FetchedAt) < s.CacheFor
}

// failedLately reports whether a fetch failed a short while ago.
func (a answer) failedLately(now time.Time, s settings) bool {
	return a.FailedAt != nil && now.Sub(*a.FailedAt) < s.RetryAfter
}
