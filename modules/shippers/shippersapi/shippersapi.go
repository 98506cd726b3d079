// Package shippersapi is the contract of the shippers area: when locations can be visited, and on which terms a shipper ships.
package shippersapi

import (
	"context"
	"math/big"
	"slices"
	"time"
)

// Area is the id of the area, Shipper and Location the types of its items.
const (
	Area     = "shippers"
	Shipper  = "shippers.shipper"
	Location = "shippers.location"
)

// Locations knows when locations of the caller's company can be visited.
type Locations interface {
	// Visit reports how a location can be visited from a time on. Error: shippers.location_not_found.
	Visit(ctx context.Context, location string, at time.Time) (Visit, error)
}

// Visit is how a location can be visited from a time on.
type Visit struct {
	// HoursKnown is false for a location without hours. Open and Next are then zero.
	HoursKnown bool
	// Active is false for a location that is no longer in use. It is never open.
	Active bool
	// Open reports whether the time is within the hours.
	Open bool
	// Next is the first time to visit that respects the notice, nil if there is none within a month.
	Next *Opening
	// Appointment is none, call_ahead or required; NoticeHours is the notice that it takes.
	Appointment string
	NoticeHours int64
	// TimeZone is the IANA name of the location's time zone.
	TimeZone string
}

// Opening is a period in which a location is open. To is not part of it.
type Opening struct{ From, To time.Time }

// Shippers knows the terms of the contacts that ship.
type Shippers interface {
	// Terms returns the terms of a contact, and false if it is no shipper. A merged contact has those of the contact that it was
	// merged into.
	Terms(ctx context.Context, contact string) (Terms, bool, error)
}

// Terms are the terms on which a contact ships.
type Terms struct {
	// Shipper is the UUID of the shipper.
	Shipper string
	// CreditLimit is a decimal, "" for no limit. Currency is "" for the company's.
	CreditLimit, Currency string
	CreditHold            bool
	HoldReason            string
	NetDays               *int64
	// DefaultTerms is invoice, cod, cop or prepaid.
	DefaultTerms string
	// AllowedCarriers are the UUIDs of the only carriers that may haul for it; none allows all. DeniedCarriers may not.
	AllowedCarriers, DeniedCarriers []string
	// ReleaseRequired reports whether vehicles leave only with a release, and ReleaseRule what a driver shows.
	ReleaseRequired bool
	ReleaseRule     string
}

// MayHaul reports whether a carrier may haul for the shipper.
func (t Terms) MayHaul(carrier string) bool {
	if slices.Contains(t.DeniedCarriers, carrier) {
		return false
	}

	return len(t.AllowedCarriers) == 0 || slices.Contains(t.AllowedCarriers, carrier)
}

// Credit is a decision about credit.
type Credit string

// The decisions.
const (
	CreditGranted Credit = "granted"
	CreditHeld    Credit = "held"       // the shipper is on hold
	CreditOver    Credit = "over_limit" // the amount exceeds what is left of the limit
	CreditUnknown Credit = "unknown"    // the amounts are in another currency than the limit, or no decimals
)

// Decide decides whether the shipper gets credit for an amount on top of what it owes. Amounts are decimals in one currency, ""
// for the company's; outstanding "" is zero.
func (t Terms) Decide(outstanding, amount, currency string) Credit {
	switch {
	case t.CreditHold:
		return CreditHeld
	case t.CreditLimit == "":
		return CreditGranted
	case currency != t.Currency:
		return CreditUnknown
	}
	limit, known := new(big.Rat).SetString(t.CreditLimit)
	total, valid := new(big.Rat).SetString(amount)
	owed, right := new(big.Rat), true
	if outstanding != "" {
		owed, right = owed.SetString(outstanding)
	}
	switch {
	case !known || !valid || !right:
		return CreditUnknown
	case total.Add(total, owed).Cmp(limit) > 0:
		return CreditOver
	default:
		return CreditGranted
	}
}
