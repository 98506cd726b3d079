package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

// Base is what the paths of the area begin with.
const Base = "/attachments/api/v1"

// Attachment is a row of attachments_attachments: a file, with what its newest content is.
type Attachment struct {
	database.Tenant
	ID         uuid.UUID
	OwnerType  string // "" and nil for a file that belongs to nothing
	OwnerID    *uuid.UUID
	OwnerPart  string // of the owner's item.Class
	Category   string
	Visibility attachmentsapi.Visibility
	Title      string
	FileName   string
	MediaType  string
	Size       int64
	SHA256     string `gorm:"column:sha256"` // hexadecimal digits
	Content    int64  // number of the newest version
	State      Status
	Quarantine string     // why; "" for what is not quarantined
	Scan       ScanResult // what a scanner said of the newest content
	// ScanAskedAt is when the scanner was last asked, nil if it has answered. ScanAgain says that the file could be read before,
	// or was quarantined.
	ScanAskedAt *time.Time
	ScanAgain   bool
	Facts       database.JSON // what the steps of receiving found out about the newest content
	ExpiresAt   *time.Time
	CreatedBy   *uuid.UUID
	// UploadLinkID is the link by which somebody without a token has sent it.
	UploadLinkID *uuid.UUID
	Version      int64
	CreatedAt    time.Time
	UpdatedAt    time.Time
	DeletedAt    *time.Time
}

// TableName implements GORM's naming.
func (Attachment) TableName() string { return "attachments_attachments" }

// sortKey returns the value of a field that attachments are sorted by.
func (row Attachment) sortKey(field string) any {
	switch field {
	case "title":
		return row.Title
	case "file_name":
		return row.FileName
	case "size":
		return row.Size
	case "created_at":
		return row.CreatedAt
	case "updated_at":
		return row.UpdatedAt
	default:
		return row.ID
	}
}

// Version is a row of attachments_versions: a content that a file has or had.
type Version struct {
	database.Tenant
	AttachmentID uuid.UUID
	Number       int64
	BlobName     string
	FileName     string
	MediaType    string
	Size         int64
	SHA256       string `gorm:"column:sha256"`
	Facts        database.JSON
	CreatedBy    *uuid.UUID
	CreatedAt    time.Time
}

// TableName implements GORM's naming.
func (Version) TableName() string { return "attachments_versions" }

// Hold is a row of attachments_holds.
type Hold struct {
	database.Tenant
	AttachmentID uuid.UUID
	HolderType   string
	HolderID     uuid.UUID
	CreatedAt    time.Time
}

// TableName implements GORM's naming.
func (Hold) TableName() string { return "attachments_holds" }

// Usage is a row of attachments_usage: what the files of a company take.
type Usage struct {
	database.Tenant
	Bytes     int64
	Files     int64
	UpdatedAt time.Time
}

// TableName implements GORM's naming.
func (Usage) TableName() string { return "attachments_usage" }

// UploadLink is a row of attachments_upload_links.
type UploadLink struct {
	database.Tenant
	ID         uuid.UUID
	LinkID     uuid.UUID // of platform/link
	Prefix     string    // how its text begins
	OwnerType  string
	OwnerID    *uuid.UUID
	OwnerPart  string
	Category   string
	Visibility attachmentsapi.Visibility
	Title      string
	Message    string
	Brand      string // who asks, in words for anyone with the link
	MaxUploads int64  // 0 is any number
	Uploads    int64
	MaxSize    int64    // 0 is that of the company
	Types      []string `gorm:"serializer:json"`
	CreatedBy  *uuid.UUID
	ExpiresAt  time.Time
	RevokedAt  *time.Time
	Version    int64
	CreatedAt  time.Time
	UpdatedAt  time.Time
	// MaxFileSize is the largest file that the link takes now, and Quarantined how many of its files are quarantined. They are
	// set where a link is shown.
	MaxFileSize int64 `gorm:"-"`
	Quarantined int64 `gorm:"-"`
}

// TableName implements GORM's naming.
func (UploadLink) TableName() string { return "attachments_upload_links" }

func (row UploadLink) sortKey(field string) any {
	switch field {
	case "created_at":
		return row.CreatedAt
	case "expires_at":
		return row.ExpiresAt
	default:
		return row.ID
	}
}

// Owner is the item that a file belongs to, the zero Ref for none.
func (row Attachment) Owner() item.Ref {
	if row.OwnerID == nil {
		return item.Ref{}
	}

	return item.Ref{Type: row.OwnerType, UUID: *row.OwnerID}
}

// Expired reports whether the file is past its end at a time.
func (row Attachment) Expired(now time.Time) bool {
	return row.ExpiresAt != nil && !row.ExpiresAt.After(now)
}

// Owner is the item that the files belong to, the zero Ref for none.
func (row UploadLink) Owner() item.Ref {
	return Attachment{OwnerType: row.OwnerType, OwnerID: row.OwnerID}.Owner()
}

// Status says whether an upload link can be used at a time.
func (row UploadLink) Status(now time.Time) string {
	switch {
	case row.RevokedAt != nil:
		return "revoked"
	case row.MaxUploads > 0 && row.Uploads >= row.MaxUploads:
		return "used_up"
	case !now.Before(row.ExpiresAt):
		return "expired"
	default:
		return "open"
	}
}
