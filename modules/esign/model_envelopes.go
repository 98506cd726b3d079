package esign

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
)

// template is a row of esign_templates.
type template struct {
	database.Tenant
	ID          uuid.UUID
	AccountID   uuid.UUID
	ExternalID  string
	Name        string
	Description string
	Subject     string
	Message     string
	Roles       []provider.Role `gorm:"serializer:json"`
	Fingerprint string          // of the roles and their tabs: another one is another template
	ChangedAt   *time.Time      // at the provider
	SyncedAt    time.Time
	MissingAt   *time.Time // since when the provider does not have it any more
	Version     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// TableName implements GORM's naming.
func (template) TableName() string { return "esign_templates" }

// The origins of envelopes.
const (
	originHere     = "here"
	originProvider = "provider" // made at the vendor, and tied to an item by its custom fields
)

// envelope is a row of esign_envelopes.
type envelope struct {
	database.Tenant
	ID         uuid.UUID
	AccountID  uuid.UUID
	ExternalID *string // the provider's, nil until it is known
	Origin     string
	CopyOf     *uuid.UUID // the envelope whose name it has too, nil for an original
	TemplateID *uuid.UUID
	MappingID  *uuid.UUID
	Subject    string
	Message    string
	ItemType   string // "" for none
	ItemID     *uuid.UUID
	Source     string  // service_source: the screen that it comes from
	Content    content `gorm:"serializer:json"` // what is handed over, beside the recipients
	State      status
	Reason     string // why it was declined, voided or failed
	Code       string // the provider's own for it
	Detail     string // what more there is to say of it

	HeardStatus string          // the provider's word that decides the state, "" while nothing was heard
	HeardAt     *time.Time      // since when, as the provider says
	Heard       json.RawMessage // all that the provider has said last, without the documents' bytes
	ToldAt      *time.Time      // when it said that

	ExpiresAt   *time.Time
	Attempts    int64      // how often it was handed over
	CalledAt    *time.Time // when it was handed over last
	AskedAt     *time.Time // when the provider was asked last what became of that
	SentAt      *time.Time
	DeliveredAt *time.Time
	CompletedAt *time.Time
	EndedAt     *time.Time
	Documents   string // "", wanted, stored or failed
	// DocumentsProblem is why they could not be stored.
	DocumentsProblem string
	CreatedBy        *uuid.UUID
	Version          int64
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// TableName implements GORM's naming.
func (envelope) TableName() string { return "esign_envelopes" }

// recipient is a row of esign_recipients.
type recipient struct {
	database.Tenant
	ID           uuid.UUID
	EnvelopeID   uuid.UUID
	ExternalID   string // the provider's within the envelope: "1"
	Kind         provider.RecipientKind
	Role         string
	Name         string
	Email        string
	RoutingOrder int64
	Embedded     bool
	State        recipientStatus
	Reason       string
	HeardStatus  string
	HeardAt      *time.Time
	SentAt       *time.Time
	DeliveredAt  *time.Time
	SignedAt     *time.Time
	DeclinedAt   *time.Time
	ToldAt       *time.Time  // when the provider said last what is not a state
	SignedTabs   []signedTab `gorm:"serializer:json"` // nil until they are known
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// TableName implements GORM's naming.
func (recipient) TableName() string { return "esign_recipients" }

// signedTab is a tab as a recipient signed it. A sensitive one was filled from a sensitive field of the item.
type signedTab struct {
	provider.SignedTab

	Sensitive bool `json:"sensitive,omitempty"`
}

// happening is a row of esign_happenings.
type happening struct {
	database.Tenant
	ID          uuid.UUID
	EnvelopeID  uuid.UUID
	RecipientID *uuid.UUID
	Event       string // the provider's word: "recipient-sent"; ours have no hyphen
	DedupeKey   string
	Detail      string
	DeliveryID  *uuid.UUID // the notification's, in the area inbound
	HappenedAt  time.Time
	CreatedAt   time.Time
}

// TableName implements GORM's naming.
func (happening) TableName() string { return "esign_happenings" }

// stray is a row of esign_strays.
type stray struct {
	database.Tenant
	ID         uuid.UUID
	AccountID  uuid.UUID
	ExternalID string
	DeliveryID uuid.UUID
	Event      string
	Notice     json.RawMessage
	ReceivedAt time.Time
}

// TableName implements GORM's naming.
func (stray) TableName() string { return "esign_strays" }
