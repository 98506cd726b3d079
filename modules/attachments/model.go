package attachments

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// attachment is a row of attachments_attachments: a file, with what its newest content is.
type attachment struct {
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
	State      status
	Quarantine string  // why; "" for what is not quarantined
	Scan       scanned // what a scanner said of the newest content
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
func (attachment) TableName() string { return "attachments_attachments" }

// sortKey returns the value of a field of listSchema.
func (row attachment) sortKey(field string) any {
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

// version is a row of attachments_versions: a content that a file has or had.
type version struct {
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
func (version) TableName() string { return "attachments_versions" }

// hold is a row of attachments_holds.
type hold struct {
	database.Tenant
	AttachmentID uuid.UUID
	HolderType   string
	HolderID     uuid.UUID
	CreatedAt    time.Time
}

// TableName implements GORM's naming.
func (hold) TableName() string { return "attachments_holds" }

// usage is a row of attachments_usage: what the files of a company take.
type usage struct {
	database.Tenant
	Bytes     int64
	Files     int64
	UpdatedAt time.Time
}

// TableName implements GORM's naming.
func (usage) TableName() string { return "attachments_usage" }

// uploadLink is a row of attachments_upload_links.
type uploadLink struct {
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
	Brand      string // who asks, in words for whoever has the link
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
	// limit is the largest file that the link takes now, and refused how many of its files are quarantined. They are
	// set where a link is shown.
	limit, refused int64
}

// TableName implements GORM's naming.
func (uploadLink) TableName() string { return "attachments_upload_links" }

func (row uploadLink) sortKey(field string) any {
	switch field {
	case "created_at":
		return row.CreatedAt
	case "expires_at":
		return row.ExpiresAt
	default:
		return row.ID
	}
}
