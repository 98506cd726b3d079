package store

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

// Template is a row of esign_templates.
type Template struct {
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
	MissingAt   *time.Time // since when the provider no longer has it
	Version     int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// TableName implements GORM's naming.
func (Template) TableName() string { return "esign_templates" }

// The origins of envelopes.
const (
	OriginHere     = "here"
	OriginProvider = "provider" // made at the vendor, and tied to an item by its custom fields
)

// Envelope is a row of esign_envelopes.
type Envelope struct {
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
	Content    Content `gorm:"serializer:json"` // what is handed over, beside the recipients
	State      Status
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
func (Envelope) TableName() string { return "esign_envelopes" }

// Recipient is a row of esign_recipients.
type Recipient struct {
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
	State        RecipientStatus
	Reason       string
	HeardStatus  string
	HeardAt      *time.Time
	SentAt       *time.Time
	DeliveredAt  *time.Time
	SignedAt     *time.Time
	DeclinedAt   *time.Time
	ToldAt       *time.Time  // when the provider said last what is not a state
	SignedTabs   []SignedTab `gorm:"serializer:json"` // nil until they are known
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// TableName implements GORM's naming.
func (Recipient) TableName() string { return "esign_recipients" }

// SignedTab is a tab as a recipient signed it. A sensitive one was filled from a sensitive field of the item.
type SignedTab struct {
	provider.SignedTab

	Sensitive bool `json:"sensitive,omitempty"`
}

// HistoryEvent is a row of esign_happenings.
type HistoryEvent struct {
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
func (HistoryEvent) TableName() string { return "esign_happenings" }

// Unmatched is a row of esign_strays.
type Unmatched struct {
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
func (Unmatched) TableName() string { return "esign_strays" }

// LastCalled is when the envelope was handed over last, the zero time for never.
func (row Envelope) LastCalled() time.Time {
	if row.CalledAt == nil {
		return time.Time{}
	}

	return *row.CalledAt
}

// Clip cuts a text to what a column takes, in characters.
func Clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}

	return text
}

// ItemRef is the item that an envelope is about, the zero Ref for none.
func (row Envelope) ItemRef() item.Ref {
	if row.ItemID == nil {
		return item.Ref{}
	}

	return item.Ref{Type: row.ItemType, UUID: *row.ItemID}
}

// EventAbout is what all events say of an envelope.
func (row *Envelope) EventAbout() esignapi.About {
	a := esignapi.About{Envelope: row.ID.String(), ItemType: row.ItemType, Source: row.Source}
	if row.ItemID != nil {
		a.Item = row.ItemID.String()
	}

	return a
}

// CustomFields are the custom fields of an envelope.
func (row Envelope) CustomFields() map[string]string {
	fields := map[string]string{connect.FieldReference: row.ID.String()}
	if row.ItemID != nil {
		fields[connect.FieldItemType], fields[connect.FieldItemUUID] = row.ItemType, row.ItemID.String()
	}
	if row.Source != "" {
		fields[connect.FieldSource] = row.Source
	}

	return fields
}

// ForProvider is a recipient as the provider is told of it.
func (r Recipient) ForProvider() provider.Recipient {
	out := provider.Recipient{
		ExternalID: r.ExternalID, Kind: r.Kind, Role: r.Role, Name: r.Name, Email: r.Email, RoutingOrder: int(r.RoutingOrder),
	}
	if r.Embedded {
		out.ClientID = r.ID.String()
	}

	return out
}

// CopiedDraft returns what another envelope of the same name is about: one that was made by a call whose answer was lost, or one
// that somebody has copied at the vendor. It is a row of its own, since both may be signed.
func (row *Envelope) CopiedDraft() Envelope {
	return Envelope{
		CopyOf: &row.ID, TemplateID: row.TemplateID, ItemType: row.ItemType, ItemID: row.ItemID, Source: row.Source,
		Content: Content{Sensitive: row.Content.Sensitive},
	}
}

// SetDescription takes what may be told otherwise later, where it is told.
func (r *Recipient) SetDescription(u provider.RecipientUpdate) {
	r.Kind, r.Role = cmp.Or(u.Kind, r.Kind), cmp.Or(u.Role, r.Role)
	r.Name, r.Email = cmp.Or(u.Name, r.Name), cmp.Or(u.Email, r.Email)
	r.RoutingOrder = cmp.Or(int64(u.RoutingOrder), r.RoutingOrder)
	r.Embedded = r.Embedded || u.Embedded
}
