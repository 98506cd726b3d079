package store

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/link"
)

// Base is the path of the area's operations.
const Base = "/bills_of_lading/api/v1"

// What links are for: a driver's inspections and signatures of a load or a trip, the signature of the other side on its own phone, and reading.
const (
	Driving link.Purpose = "bills_of_lading.driver"
	Signing link.Purpose = "bills_of_lading.sign"
	Viewing link.Purpose = "bills_of_lading.view"
)

const (
	driverLife    = 30 * 24 * time.Hour
	maxDriverLife = 366 * 24 * time.Hour
	// perMinute is more than for other links: a phone that was without a network sends everything at once.
	perMinute   = 240
	signLife    = 48 * time.Hour
	viewLife    = 90 * 24 * time.Hour
	maxViewLife = 366 * 24 * time.Hour
)

// DrivingRules are those of the links of drivers.
func DrivingRules() link.Rules {
	return link.Rules{Portal: link.Drivers, Life: driverLife, MaxLife: maxDriverLife, PerMinute: perMinute}
}

// SigningRules are those of links to sign.
func SigningRules() link.Rules { return link.Rules{Portal: link.Customers, Uses: 1, Life: signLife} }

// ViewingRules are those of links to read.
func ViewingRules() link.Rules {
	return link.Rules{Portal: link.Customers, Life: viewLife, MaxLife: maxViewLife}
}
