package sandbox

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
)

// The statuses of envelopes and recipients that the sandbox uses.
const (
	created   = "created"
	sent      = "sent"
	delivered = "delivered"
	completed = "completed"
	declined  = "declined"
	voided    = "voided"
	bounced   = "autoresponded"
)

// envelope is a row of esign_sandbox_envelopes.
type envelope struct {
	database.Tenant
	ID          uuid.UUID
	AccountID   uuid.UUID
	Reference   string
	Status      string
	Subject     string
	Message     string
	Reason      string
	Fields      map[string]string `gorm:"serializer:json"`
	Files       []file            `gorm:"serializer:json"`
	Recipients  []recipient       `gorm:"serializer:json"`
	Notices     int64             // how many there were
	HeldUntil   *time.Time        // until when somebody brings them, so that their order is kept
	ExpireAfter int64             // in days, counted from when it was sent; 0 is never
	ExpiresAt   *time.Time
	CreatedAt   time.Time
	SentAt      *time.Time
	DeliveredAt *time.Time
	CompletedAt *time.Time
	DeclinedAt  *time.Time
	VoidedAt    *time.Time
	ChangedAt   time.Time
}

// TableName implements GORM's naming.
func (envelope) TableName() string { return "esign_sandbox_envelopes" }

// file is a document that was sent along: what is kept of it.
type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// recipient is somebody who gets an envelope.
type recipient struct {
	ID           string                 `json:"id"`
	Kind         provider.RecipientKind `json:"kind"`
	Role         string                 `json:"role"`
	Name         string                 `json:"name"`
	Email        string                 `json:"email"`
	RoutingOrder int                    `json:"routing_order"`
	ClientID     string                 `json:"client_id"`
	Tabs         []provider.Tab         `json:"tabs"`
	Prefilled    map[string]string      `json:"prefilled"`   // what the tabs were sent with, by label
	Corrections  int                    `json:"corrections"` // how often somebody else was put in this place
	Status       string                 `json:"status"`
	Reason       string                 `json:"reason"`
	Signature    string                 `json:"signature"`
	SentAt       *time.Time             `json:"sent_at"`
	DeliveredAt  *time.Time             `json:"delivered_at"`
	SignedAt     *time.Time             `json:"signed_at"`
	DeclinedAt   *time.Time             `json:"declined_at"`
}

// mustAct reports whether the envelope waits for the recipient, once it is his turn.
func (r *recipient) mustAct() bool { return r.Kind != provider.CarbonCopy }

func (r *recipient) isDone() bool { return r.Status == completed }

// recipient returns a recipient by id, nil if there is none.
func (e *envelope) recipient(id string) *recipient {
	at := slices.IndexFunc(e.Recipients, func(r recipient) bool { return r.ID == id })
	if at < 0 {
		return nil
	}

	return &e.Recipients[at]
}

// seated returns the recipient whose link this is, nil if it is nobody's any more: the recipient was corrected since, and the
// link went to another address.
func (e *envelope) seated(at seat) *recipient {
	r := e.recipient(at.Recipient)
	if r == nil || r.Corrections != at.Corrections {
		return nil
	}

	return r
}

// statusTime is when it came to its status.
func (e *envelope) statusTime() time.Time {
	at := map[string]*time.Time{
		sent: e.SentAt, delivered: e.DeliveredAt, completed: e.CompletedAt, declined: e.DeclinedAt, voided: e.VoidedAt,
	}[e.Status]
	if at == nil {
		return e.CreatedAt
	}

	return *at
}

// open reports whether people can do something with it.
func (e *envelope) open() bool { return e.Status == sent || e.Status == delivered }

// notice is a row of esign_sandbox_notices.
type notice struct {
	database.Tenant
	ID         uuid.UUID
	AccountID  uuid.UUID
	EnvelopeID uuid.UUID
	Seq        int64
	Event      string
	Body       json.RawMessage
	Tries      int64
	TakenAt    *time.Time
	FailedAt   *time.Time
	CreatedAt  time.Time
}

// TableName implements GORM's naming.
func (notice) TableName() string { return "esign_sandbox_notices" }
