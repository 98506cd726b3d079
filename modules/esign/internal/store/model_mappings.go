package store

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
)

func (row Template) sortKey(field string) any {
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

// Content is what an envelope is made from, beside what its row and its recipients say.
type Content struct {
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

func (row Envelope) sortKey(field string) any {
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
	ActVoid    = "void"
	ActResend  = "resend"
	ActCorrect = "correct"
	ActRefresh = "refresh"
)

// Where an action is. One that is unknown was asked for, and nobody knows whether the provider did it.
const (
	ActionWaiting = "waiting"
	ActionDone    = "done"
	ActionFailed  = "failed"
	ActionUnknown = "unknown"
)

// ActionContent is what an action is about.
type ActionContent struct {
	// Reason is why an envelope is voided.
	Reason string `json:"reason,omitempty"`
	// Changed are the recipients that are corrected, or new.
	Changed []provider.Recipient `json:"changed,omitempty"`
}

// Action is a row of esign_actions.
type Action struct {
	database.Tenant
	ID         uuid.UUID
	EnvelopeID uuid.UUID
	Verb       string
	Content    ActionContent `gorm:"serializer:json"`
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
func (Action) TableName() string { return "esign_actions" }

// Document is a row of esign_documents.
type Document struct {
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
func (Document) TableName() string { return "esign_documents" }

// SetValues keeps what tabs are filled with, by recipient.
func (c *Content) SetValues(tabs []fill.Filled, recipients []Recipient) {
	c.Values, c.Sensitive = map[string][]provider.Value{}, map[string][]string{}
	for _, r := range recipients {
		for _, tab := range tabs {
			if !strings.EqualFold(tab.Role, r.Role) {
				continue
			}
			c.Values[r.ExternalID] = append(c.Values[r.ExternalID], provider.Value{Label: tab.Label, Type: tab.Type, Text: tab.Value})
			if tab.Sensitive {
				c.Sensitive[r.ExternalID] = append(c.Sensitive[r.ExternalID], tab.Label)
			}
		}
	}
}
