package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Transfer is a row of attachments_transfers: a file that arrives bit by bit.
type Transfer struct {
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
func (Transfer) TableName() string { return "attachments_transfers" }

// Complete reports whether all has arrived.
func (row Transfer) Complete() bool { return row.Received == row.Length }

// Claimed reports whether somebody is at work on it at a time.
func (row Transfer) Claimed(now time.Time) bool {
	return row.ClaimedUntil != nil && row.ClaimedUntil.After(now)
}

// Part is a row of attachments_parts: bytes of a transfer, from a place on.
type Part struct {
	database.Tenant
	TransferID uuid.UUID
	Start      int64
	Size       int64
	BlobName   string
	CreatedAt  time.Time
}

// TableName implements GORM's naming.
func (Part) TableName() string { return "attachments_parts" }

// AsCreator is a context in which the service is at work for who began the transfer.
func (row Transfer) AsCreator(ctx context.Context) context.Context {
	who := principal.ForCompany(row.CompanyID)
	if row.CreatedBy != nil {
		who.User = *row.CreatedBy
	}

	return principal.With(ctx, who)
}

// AttachmentUUID is the file that a transfer with a token has become. Who has a link is not told.
func (row Transfer) AttachmentUUID() string {
	if row.AttachmentID == nil || row.UploadLinkID != nil {
		return ""
	}

	return row.AttachmentID.String()
}

// Owner is the item that the file is to belong to, the zero Ref for none.
func (row Transfer) Owner() item.Ref {
	return Attachment{OwnerType: row.OwnerType, OwnerID: row.OwnerID}.Owner()
}
