package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// TableAccounts is the table of accounts.
const TableAccounts = "cards_accounts"

// Account is a row of cards_accounts.
type Account struct {
	vendoraccount.Account

	EndpointID uuid.UUID  // where notifications arrive
	PayoutsAt  *time.Time // up to when payouts were fetched; nil for never
}

// TableName implements GORM's naming.
func (Account) TableName() string { return TableAccounts }

// ReconciliationState is a state of a reconciliation.
type ReconciliationState string

// States of a reconciliation.
const (
	ReconciliationRunning ReconciliationState = "running"
	ReconciliationDone    ReconciliationState = "done"
	ReconciliationApplied ReconciliationState = "applied"
	ReconciliationFailed  ReconciliationState = "failed"
)

// Reconciliation is a row of cards_reconciliations.
type Reconciliation struct {
	database.Tenant

	ID        uuid.UUID
	AccountID uuid.UUID
	FromAt    time.Time
	ToAt      time.Time
	State     ReconciliationState
	Reason    string
	Matched   int64
	Findings  []Finding `gorm:"serializer:json"`
	Version   int64
	CreatedBy *uuid.UUID
	CreatedAt time.Time
	UpdatedAt time.Time
}

// TableName implements GORM's naming.
func (Reconciliation) TableName() string { return "cards_reconciliations" }

// Finding is a difference between a payment or a refund here and at the vendor.
type Finding struct {
	Kind   string     `json:"kind"`
	Of     string     `json:"of"`
	UUID   *uuid.UUID `json:"uuid"`      // nil if it is missing here
	Vendor string     `json:"vendor_id"` // "" if the vendor never named one
	Here   *Side      `json:"here"`
	There  *Side      `json:"there"`
	Remedy string     `json:"remedy"`
	// Outcome is what applying did.
	Outcome string `json:"outcome"`
	// Payment is the vendor's id of the payment of a refund.
	Payment string `json:"vendor_payment_id,omitempty"`
}

// Side is what one side has, in the smallest unit of the currency.
type Side struct {
	State    string     `json:"state"`
	Units    int64      `json:"units"`
	Currency string     `json:"currency"`
	At       *time.Time `json:"at"`
}
