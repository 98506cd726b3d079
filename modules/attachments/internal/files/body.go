package files

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Body is an attachment as the API shows it.
type Body struct {
	UUID           uuid.UUID                 `json:"uuid"`
	OwnerType      *string                   `json:"owner_type" doc:"Type of the item that it belongs to; null for none."`
	OwnerUUID      *uuid.UUID                `json:"owner_uuid"`
	Category       string                    `json:"category" doc:"A word of the owner's, such as pod_photo."`
	Visibility     attachmentsapi.Visibility `json:"visibility" enum:"internal,customer,carrier,public"`
	Title          string                    `json:"title"`
	FileName       string                    `json:"file_name"`
	MediaType      string                    `json:"media_type" doc:"What the content is, found by looking at it."`
	Size           int64                     `json:"size" doc:"In bytes."`
	SHA256         string                    `json:"sha256" doc:"Of the content, in hexadecimal digits."`
	ContentNumber  int64                     `json:"content_number" doc:"Number of the newest version of the content."`
	State          store.Status              `json:"state" enum:"uploading,scanning,ready,quarantined,deleted"`
	Quarantine     *string                   `json:"quarantine" doc:"Why it is quarantined; null if it is not."`
	Scan           *store.ScanResult         `json:"scan" enum:"pending,clean,infected,too_large,failed,released" doc:"What a scanner said of the newest content; null if none was asked."`
	Facts          database.JSON             `json:"facts" doc:"What was found out about the content; null if nothing."`
	ExpiresAt      *time.Time                `json:"expires_at" doc:"When it is deleted; null for never."`
	CreatedByUUID  *uuid.UUID                `json:"created_by_uuid" doc:"The user who sent it; null for a program, or a link."`
	UploadLinkUUID *uuid.UUID                `json:"upload_link_uuid" doc:"The link by which it was sent; null if it was not by one."`
	Version        int64                     `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt      time.Time                 `json:"created_at"`
	UpdatedAt      time.Time                 `json:"updated_at"`
	DeletedAt      *time.Time                `json:"deleted_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Body) SchemaName() string { return "Attachment" }

// BodyOf shows an attachment.
func BodyOf(row store.Attachment) Body {
	b := Body{
		UUID: row.ID, OwnerUUID: row.OwnerID, Category: row.Category, Visibility: row.Visibility, Title: row.Title,
		FileName: row.FileName, MediaType: row.MediaType, Size: row.Size, SHA256: row.SHA256, ContentNumber: row.Content,
		State: row.State, Facts: row.Facts, ExpiresAt: row.ExpiresAt, CreatedByUUID: row.CreatedBy, UploadLinkUUID: row.UploadLinkID,
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, DeletedAt: row.DeletedAt,
	}
	if row.OwnerType != "" {
		b.OwnerType = &row.OwnerType
	}
	if row.Quarantine != "" {
		b.Quarantine = &row.Quarantine
	}
	if row.Scan != store.ScanNone {
		b.Scan = &row.Scan
	}
	if b.Facts == nil {
		b.Facts = database.JSON("null")
	}

	return b
}

// Answer answers with an attachment.
func Answer(row store.Attachment) *web.Resource[Body] {
	return web.NewResource(BodyOf(row), row.Version, store.Base+"/attachments/"+row.ID.String())
}
