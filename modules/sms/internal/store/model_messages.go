package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
	"github.com/dispatchd/dispatchd/modules/sms/smsapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// The directions.
const (
	Outbound = "outbound"
	Inbound  = "inbound"
)

// Message is a row of sms_messages.
type Message struct {
	database.Tenant
	ID             uuid.UUID
	ThreadID       uuid.UUID
	AccountID      uuid.UUID
	NumberID       uuid.UUID
	Direction      string
	Sender         string
	Recipient      string
	Body           string
	Media          []string    `gorm:"serializer:json"`
	AttachmentIDs  []uuid.UUID `gorm:"serializer:json"` // files of a message from outside
	SealedBody     []byte      // see Texts
	BodyPurgedAt   *time.Time
	Encoding       string
	Segments       int64
	State          Status
	Reason         string // why it failed, a provider.Reason or one of ours
	Code           string // the provider's
	ProviderID     *string
	ProviderStatus string
	Cost           string
	Currency       string
	OwnerType      string
	OwnerID        *uuid.UUID
	TemplateID     *uuid.UUID
	Keyword        string
	OptOutReview   *string    // of a message that may be an opt-out: pending, opted_out or dismissed
	Urgent         bool       // quiet hours do not matter
	SlotAt         *time.Time // the token that it has taken of its number's bucket; nil for none yet
	DueAt          time.Time  // not before
	Attempts       int64
	CreatedBy      *uuid.UUID
	SentAt         *time.Time
	DeliveredAt    *time.Time
	HeardAt        *time.Time // when the provider told of it last, or was asked
	Version        int64
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// TableName implements GORM's naming.
func (Message) TableName() string { return "sms_messages" }

func (row Message) sortKey(field string) any {
	switch field {
	case "created_at":
		return row.CreatedAt
	case "due_at":
		return row.DueAt
	default:
		return row.ID
	}
}

// Counterpart is the number that is not ours.
func (row Message) Counterpart() string {
	if row.Direction == Inbound {
		return row.Sender
	}

	return row.Recipient
}

// Attempt is a row of sms_attempts. Its id is the reference by which the provider knows it.
type Attempt struct {
	database.Tenant
	ID        uuid.UUID
	MessageID uuid.UUID
	Number    int64
	Outcome   AttemptOutcome
	Reason    string
	Code      string
	Detail    string
	CalledAt  time.Time // when the provider was called last
	StartedAt time.Time
	EndedAt   *time.Time
}

// TableName implements GORM's naming.
func (Attempt) TableName() string { return "sms_attempts" }

// AttemptOutcome is what became of an attempt.
type AttemptOutcome string

// The outcomes.
const (
	// AttemptOpen says that the provider is being called, or that the process died in the middle of it.
	AttemptOpen     AttemptOutcome = "attempting"
	AttemptAccepted AttemptOutcome = "taken"
	AttemptRefused  AttemptOutcome = "not_taken"
	// AttemptUnknown says that nobody knows, and that nobody can be asked.
	AttemptUnknown AttemptOutcome = "unknown"
)

// Thread is a row of sms_threads: what one of our numbers and one of theirs have written.
type Thread struct {
	database.Tenant
	ID          uuid.UUID
	NumberID    uuid.UUID
	Number      string
	Counterpart string
	LastID      uuid.UUID
	LastAt      time.Time
	Direction   string // of the last message
	Unread      int64
	CreatedAt   time.Time
}

// TableName implements GORM's naming.
func (Thread) TableName() string { return "sms_threads" }

func (row Thread) sortKey(field string) any {
	switch field {
	case "last_at":
		return row.LastAt
	default:
		return row.ID
	}
}

// Contact is a row of sms_contacts: somebody's number, and whether he has opted out.
type Contact struct {
	database.Tenant
	ID         uuid.UUID
	Number     string
	OptedOutAt *time.Time
	Source     string
	Keyword    string
	FarewellID *uuid.UUID // the one message that may still go: the answer to STOP
	RepliedAt  *time.Time // when a keyword was answered last
	BadAt      *time.Time // since when it is known to take no messages
	BadReason  string     // why, a provider.Reason
	CreatedAt  time.Time
}

// TableName implements GORM's naming.
func (Contact) TableName() string { return "sms_contacts" }

func (row Contact) sortKey(field string) any {
	switch field {
	case "opted_out_at":
		if row.OptedOutAt == nil {
			return nil
		}

		return *row.OptedOutAt
	default:
		return row.ID
	}
}

// Consent is a row of sms_consents.
type Consent struct {
	database.Tenant
	ID        uuid.UUID
	Number    string
	Action    string // opt_out or opt_in
	Source    string
	Keyword   string
	Reason    string
	MessageID *uuid.UUID
	UserID    *uuid.UUID
	CreatedAt time.Time
}

// TableName implements GORM's naming.
func (Consent) TableName() string { return "sms_consents" }

func (row Consent) sortKey(field string) any {
	switch field {
	case "created_at":
		return row.CreatedAt
	default:
		return row.ID
	}
}

// EventData is what events say of a message.
func (row Message) EventData() smsapi.Message {
	m := smsapi.Message{Message: row.ID.String(), Thread: row.ThreadID.String(), OwnerType: row.OwnerType}
	if row.OwnerID != nil {
		m.Owner = row.OwnerID.String()
	}

	return m
}

// Title is what people call the message.
func (row Message) Title() string {
	if row.Direction == Inbound {
		return "SMS from " + row.Sender
	}

	return "SMS to " + row.Recipient
}

// Interpret notes what a message says. "Yes" is an answer to a question, unless its sender has opted out; who has opted out
// already is not suspected of it.
func (row *Message) Interpret(says optout.Meaning, from Contact) {
	switch {
	case says == optout.Suspected && from.OptedOutAt == nil:
		row.OptOutReview = new(ReviewPending)
	case says == optout.Suspected, says == optout.Start && optout.IsYes(row.Body) && from.OptedOutAt == nil:
	default:
		row.Keyword = string(says)
	}
}
