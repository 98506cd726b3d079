package sms

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// The directions.
const (
	outbound = "outbound"
	inbound  = "inbound"
)

// message is a row of sms_messages.
type message struct {
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
	BodyPurgedAt   *time.Time
	Encoding       string
	Segments       int64
	State          status
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
func (message) TableName() string { return "sms_messages" }

func (row message) sortKey(field string) any {
	switch field {
	case "created_at":
		return row.CreatedAt
	case "due_at":
		return row.DueAt
	default:
		return row.ID
	}
}

// counterpart is the number that is not ours.
func (row message) counterpart() string {
	if row.Direction == inbound {
		return row.Sender
	}

	return row.Recipient
}

// attempt is a row of sms_attempts. Its id is the reference by which the provider knows it.
type attempt struct {
	database.Tenant
	ID        uuid.UUID
	MessageID uuid.UUID
	Number    int64
	Outcome   outcome
	Reason    string
	Code      string
	Detail    string
	CalledAt  time.Time // when the provider was called last
	StartedAt time.Time
	EndedAt   *time.Time
}

// TableName implements GORM's naming.
func (attempt) TableName() string { return "sms_attempts" }

// outcome is what became of an attempt.
type outcome string

const (
	// attempting says that the provider is being called, or that the process died in the middle of it.
	attempting outcome = "attempting"
	taken      outcome = "taken"
	notTaken   outcome = "not_taken"
	// lost says that nobody knows, and that nobody can be asked.
	lost outcome = "unknown"
)

// thread is a row of sms_threads: what one of our numbers and one of theirs have written.
type thread struct {
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
func (thread) TableName() string { return "sms_threads" }

func (row thread) sortKey(field string) any {
	switch field {
	case "last_at":
		return row.LastAt
	default:
		return row.ID
	}
}

// contact is a row of sms_contacts: somebody's number, and whether he has opted out.
type contact struct {
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
func (contact) TableName() string { return "sms_contacts" }

func (row contact) sortKey(field string) any {
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

// consent is a row of sms_consents.
type consent struct {
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
func (consent) TableName() string { return "sms_consents" }

func (row consent) sortKey(field string) any {
	switch field {
	case "created_at":
		return row.CreatedAt
	default:
		return row.ID
	}
}
