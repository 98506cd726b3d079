package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Thumbnail is a row of attachments_thumbnails: a version that is an image, in small.
type Thumbnail struct {
	database.Tenant
	AttachmentID uuid.UUID
	Number       int64
	Edge         int64 // the longer side in pixels, at most
	BlobName     string
	MediaType    string
	Size         int64
	SHA256       string `gorm:"column:sha256"`
	CreatedAt    time.Time
}

// TableName implements GORM's naming.
func (Thumbnail) TableName() string { return "attachments_thumbnails" }
