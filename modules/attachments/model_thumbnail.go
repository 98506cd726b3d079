package attachments

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// thumbnail is a row of attachments_thumbnails: a version that is an image, in small.
type thumbnail struct {
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
func (thumbnail) TableName() string { return "attachments_thumbnails" }
