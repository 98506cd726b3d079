package esign

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
)

func (row template) sortKey(field string) any {
	switch field {
	case "name":
		return row.Name
	case "synced_at":
		return row.SyncedAt
	case "created_at":
		return row.CreatedAt
	default:
		return row.ID
	}
}

// content is what an envelope is made from, beside what its row and its recipients say.
type content struct {
	Attachments   []uuid.UUID `json:"attachments,omitempty"`
	ReminderDelay int         `json:"reminder_delay,omitempty"`
	ReminderEvery int         `json:"reminder_every,omitempty"`
	ExpireAfter   int         `json:"expire_after,omitempty"`
	ExpireWarn    int         `json:"expire_warn,omitempty"`
	// Given are the values of tabs that were said by hand, by the recipient's external id and the tab's label.
	Given map[string]map[string]string `json:"given,omitempty"`
	// Values are all values, as they were filled in when the envelope was sent; dropped once the provider has them.
	Values map[string][]provider.Value `json:"values,omitempty"`
	// Sensitive are the labels of tabs that were filled in from sensitive fields of the item, by the recipient's external id.
	Sensitive map[string][]string `json:"sensitive,omitempty"`
	// Sums are the digests of the attachments when the envelope was sent.
	Sums map[uuid.UUID]string `json:"sums,omitempty"`
}

func (row envelope) sortKey(field string) any {
	switch field {
	case "created_at":
		return row.CreatedAt
	case "updated_at":
		return row.UpdatedAt
	default:
		return row.ID
	}
}

// The verbs of actions.
const (
	actVoid    = "void"
	actResend  = "resend"
	actCorrect = "correct"
	actRefresh = "refresh"
)

// Where an action is. One that is unknown was asked for, and nobody knows whether the provider did it.
const (
	actionWaiting = "waiting"
	actionDone    = "done"
	actionFailed  = "failed"
	actionUnknown = "unknown"
)

// actionContent is what an action is about.
type actionContent struct {
	// Reason is why an envelope is voided.
	Reason string `json:"reason,omitempty"`
	// Changed are the recipients that are corrected, or new.
	Changed []provider.Recipient `json:"changed,omitempty"`
}

// action is a row of esign_actions.
type action struct {
	database.Tenant
	ID         uuid.UUID
	EnvelopeID uuid.UUID
	Verb       string
	Content    actionContent `gorm:"serializer:json"`
	State      string
	Reason     string // why it failed, a provider.Reason
	Code       string
	Detail     string
	CalledAt   *time.Time
	CreatedBy  *uuid.UUID
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// TableName implements GORM's naming.
func (action) TableName() string { return "esign_actions" }

// document is a row of esign_documents.
type document struct {
	database.Tenant
	ID           uuid.UUID
	EnvelopeID   uuid.UUID
	Kind         provider.Document
	AttachmentID uuid.UUID
	SHA256       string `gorm:"column:sha256"` // "" until it is stored
	Size         int64
	CreatedAt    time.Time
}

// TableName implements GORM's naming.
func (document) TableName() string { return "esign_documents" }
