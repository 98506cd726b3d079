package store

import (
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
)

// remembered is how long incidents and bounces count.
const remembered = 365

// Record counts the incidents of a carrier in the last year.
type Record struct {
	// Open and Confirmed count incidents by state. Bounces counts the loads that the carrier gave back, without dismissed incidents.
	Open, Confirmed, Bounces int
}

// Facts adds a record to the facts about a carrier.
func (r Record) Facts(own *verdict.Own) {
	own.OpenIncidents, own.ConfirmedIncidents, own.Bounces = r.Open, r.Confirmed, r.Bounces
}

// counted is the number of incidents of a carrier by kind, state and confirmation.
type counted struct {
	CarrierID uuid.UUID
	Kind      string
	State     string
	Confirmed bool
	N         int
}

// recordsOf returns the records of carriers, without empty ones.
func recordsOf(counts []counted) map[uuid.UUID]Record {
	all := map[uuid.UUID]Record{}
	for _, row := range counts {
		of := all[row.CarrierID]
		switch {
		case row.State == string(IncidentOpen):
			of.Open += row.N
		case row.Confirmed:
			of.Confirmed += row.N
		}
		if slices.Contains(bounces, row.Kind) && (row.Confirmed || row.State == string(IncidentOpen)) {
			of.Bounces += row.N
		}
		all[row.CarrierID] = of
	}

	return all
}
