package routeengine

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/database"
)

// asked records a request to a provider and its outcome.
type asked struct {
	FetchedAt *time.Time
	FailedAt  *time.Time
	Why       string
	AskedAt   time.Time
}

// due reports whether to ask the provider: there is no answer or an old one, and the last attempt did not fail recently.
func (a asked) due(now time.Time, s settings) bool { return s.ages().Due(now, a.FetchedAt, a.FailedAt) }

// ended returns the record after an attempt. After a failure the previous answer stays.
func (a asked) ended(now time.Time, failure error) asked {
	a.AskedAt = now
	if failure != nil {
		a.FailedAt, a.Why = &now, failure.Error()
	} else {
		a.FetchedAt, a.FailedAt, a.Why = &now, nil, ""
	}

	return a
}

// measuredRow is a row of route_engine_routes.
type measuredRow struct {
	database.Tenant

	Source   string `gorm:"primaryKey"`
	Profile  string `gorm:"primaryKey"`
	Lane     string `gorm:"primaryKey"`
	Outcome  string
	Meters   int64
	Seconds  int64
	Polyline string
	Asked    asked `gorm:"embedded"`
}

// TableName implements GORM's naming.
func (measuredRow) TableName() string { return "route_engine_routes" }

// The outcomes of a measured route.
const (
	outcomeMeasured = "measured"
	outcomeNone     = "none"
)

// addressRow is a row of route_engine_addresses.
type addressRow struct {
	database.Tenant

	Geocoder string            `gorm:"primaryKey"`
	Query    string            `gorm:"primaryKey"`
	Found    []vendors.Address `gorm:"serializer:json"`
	Asked    asked             `gorm:"embedded"`
}

// TableName implements GORM's naming.
func (addressRow) TableName() string { return "route_engine_addresses" }
