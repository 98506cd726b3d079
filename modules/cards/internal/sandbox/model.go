package sandbox

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Kinds of things.
const (
	kindCard    = "card"
	kindPayment = "payment"
	kindRefund  = "refund"
	kindDispute = "dispute"
	kindDropped = "dropped" // a call that was lost
)

// Statuses of things, as Square has them.
const (
	statusEnabled   = "ENABLED"
	statusDisabled  = "DISABLED"
	statusPending   = "PENDING"
	statusApproved  = "APPROVED"
	statusCompleted = "COMPLETED"
	statusCanceled  = "CANCELED"
	statusFailed    = "FAILED"
	statusOpen      = "EVIDENCE_REQUIRED"
	statusWon       = "WON"
	statusLost      = "LOST"
)

// thing is a row of cards_sandbox_things.
type thing struct {
	database.Tenant

	ID        uuid.UUID
	AccountID uuid.UUID
	Kind      string
	Reference string
	ParentID  *uuid.UUID
	Token     string
	Status    string
	Units     int64
	Currency  string
	Fee       int64
	Notices   int64 // how many there were
	HeldUntil *time.Time
	CreatedAt time.Time
	ChangedAt time.Time
}

// TableName implements GORM's naming.
func (thing) TableName() string { return "cards_sandbox_things" }

// notice is a row of cards_sandbox_notices. All notices about a payment, its refunds and disputes are in one order.
type notice struct {
	database.Tenant

	ID        uuid.UUID
	AccountID uuid.UUID
	ThingID   uuid.UUID
	Seq       int64
	Event     string
	Body      json.RawMessage
	Tries     int64
	TakenAt   *time.Time
	FailedAt  *time.Time
	CreatedAt time.Time
}

// TableName implements GORM's naming.
func (notice) TableName() string { return "cards_sandbox_notices" }
