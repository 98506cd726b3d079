package inbound

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// State is what became of a delivery.
type State string

// The states of a delivery.
const (
	// Received waits for being processed, for the first time or again.
	Received State = "received"
	// Processed was done what it asks for.
	Processed State = "processed"
	// Failed used up its attempts.
	Failed State = "failed"
	// Skipped asks for nothing: its processor ignored it.
	Skipped State = "ignored"
)

// row is a row of inbound_deliveries.
type row struct {
	database.Tenant

	ID              uuid.UUID `gorm:"primaryKey"`
	Kind            string
	EndpointID      uuid.UUID
	DedupeKey       []byte
	KeyID           string
	Size            int64
	State           State
	Attempts        int
	Duplicates      int
	Replays         int
	Error           string
	Address         string
	RequestID       string
	ReceivedAt      time.Time
	LastDuplicateAt *time.Time
	ProcessedAt     *time.Time
}

// TableName implements gorm's Tabler.
func (row) TableName() string { return "inbound_deliveries" }

// bodyRow is a row of inbound_bodies: a request as it came.
type bodyRow struct {
	database.Tenant

	ID   uuid.UUID `gorm:"primaryKey"`
	Head string
	Body []byte
	// FileSize is how long the body is if it is a file, and zero if it is Body.
	FileSize int64
}

// TableName implements gorm's Tabler.
func (bodyRow) TableName() string { return "inbound_bodies" }

// notification is what came, without a body that is a file.
func (b bodyRow) notification() (Notification, error) {
	h, err := decodeHead(b.Head)

	return Notification{Header: h.Header, Target: h.Target, Body: b.Body}, err
}

// Refusal is a row of inbound_rejections: how often something was refused at an endpoint for a reason: no_key,
// no_url, unsigned, mismatch, stale, or the code of the area's own refusal. The last ones of before a crash may be missing.
type Refusal struct {
	database.Tenant

	Kind       string    `gorm:"primaryKey"`
	EndpointID uuid.UUID `gorm:"primaryKey"`
	Reason     string    `gorm:"primaryKey"`
	Count      int64
	// Address is that of the last one that was written down.
	Address string
	FirstAt time.Time
	LastAt  time.Time
}

// TableName implements gorm's Tabler.
func (Refusal) TableName() string { return "inbound_rejections" }

// Recorded is a delivery in the log.
type Recorded struct {
	ID       uuid.UUID
	Kind     string
	Endpoint uuid.UUID
	// Key is the ID of the key that the signature was made with, DedupeKey a hash of what tells it apart.
	Key       string
	DedupeKey []byte
	Size      int64
	State     State
	Attempts  int
	// Duplicates is how often the same came again, Replays how often it was processed again.
	Duplicates, Replays          int
	Error                        string
	Address                      string
	RequestID                    string
	ReceivedAt                   time.Time
	LastDuplicateAt, ProcessedAt *time.Time
}

func (r row) recorded() Recorded {
	return Recorded{
		ID: r.ID, Kind: r.Kind, Endpoint: r.EndpointID, Key: r.KeyID, DedupeKey: r.DedupeKey, Size: r.Size, State: r.State, Attempts: r.Attempts,
		Duplicates: r.Duplicates, Replays: r.Replays, Error: r.Error, Address: r.Address, RequestID: r.RequestID,
		ReceivedAt: r.ReceivedAt, LastDuplicateAt: r.LastDuplicateAt, ProcessedAt: r.ProcessedAt,
	}
}

func (r row) delivery(n Notification) Delivery {
	return Delivery{
		Notification: n, ID: r.ID, Endpoint: r.EndpointID, ReceivedAt: r.ReceivedAt, Key: r.KeyID, Replays: r.Replays,
	}
}
