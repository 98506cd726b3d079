package loadsapi

import (
	"context"
	"time"
)

// Rates is what carriers of the caller's company got for loads.
type Rates interface {
	// Paid returns what carriers got, the latest 500.
	Paid(ctx context.Context, f PaidFor) ([]Paid, error)
}

// PaidFor is which loads are meant: those that a carrier got since a time. Of ZIP3s, states and miles, those are compared that are not empty.
type PaidFor struct {
	Since                   time.Time
	Currency, TransportType string
	// Inoperable is whether a vehicle does not run.
	Inoperable           bool
	FromZIP3, ToZIP3     string
	FromState, ToState   string
	MilesFrom, MilesUpTo int64
}

// Paid is what a carrier got for a load. Miles are 0 if they are not known.
type Paid struct {
	Number, CarrierPay string
	Vehicles, Miles    int64
	At                 time.Time
}
