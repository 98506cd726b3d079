package attachments

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// transfer is a row of attachments_transfers: a file that arrives bit by bit.
type transfer struct {
	database.Tenant
	ID            uuid.UUID
	UploadLinkID  *uuid.UUID // nil for one with a token
	OwnerType     string
	OwnerID       *uuid.UUID
	Category      string
	Visibility    attachmentsapi.Visibility
	Title         string
	FileName      string
	FileExpiresAt *time.Time
	SHA256        string `gorm:"column:sha256"` // that the file must have, in hexadecimal digits; "" for any
	Metadata      string // as its maker sent it
	Length        int64
	Received      int64
	Parts         int64
	AttachmentID  *uuid.UUID // nil until all is put together
	// ClaimedUntil is until when somebody is at work on putting it together.
	ClaimedUntil *time.Time
	CreatedBy    *uuid.UUID
	CreatedAt    time.Time
	UpdatedAt    time.Time
	ExpiresAt    time.Time
}

// TableName implements GORM's naming.
func (transfer) TableName() string { return "attachments_transfers" }

// description is what its file is to be.
func (row transfer) description() description {
	return description{
		Owner: attachment{OwnerType: row.OwnerType, OwnerID: row.OwnerID}.owner(), Category: row.Category,
		Visibility: row.Visibility, Title: row.Title, FileName: row.FileName, ExpiresAt: row.FileExpiresAt,
	}
}

// whole reports whether all has arrived.
func (row transfer) whole() bool { return row.Received == row.Length }

// claimed reports whether somebody is at work on it at a time.
func (row transfer) claimed(now time.Time) bool {
	return row.ClaimedUntil != nil && row.ClaimedUntil.After(now)
}

// part is a row of attachments_parts: bytes of a transfer, from a place on.
type part struct {
	database.Tenant
	TransferID uuid.UUID
	Start      int64
	Size       int64
	BlobName   string
	CreatedAt  time.Time
}

// TableName implements GORM's naming.
func (part) TableName() string { return "attachments_parts" }
