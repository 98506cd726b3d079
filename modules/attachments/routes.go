package attachments

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// base is what the paths of the area begin with.
const base = "/attachments/api/v1"

// attachmentRoutes are the operations on attachments, but for their content.
func attachmentRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments", ID: "list_attachments", Access: web.Read,
		Summary:     "List attachments",
		Description: "Deleted ones come with `deleted=true`, and then alone. " + attachmentList().Describe(),
		Errors:      list.Errors,
	}, s.getList)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}", ID: "read_attachment", Access: web.Read,
		Summary: "Read what is known of an attachment", Errors: []*errs.Error{store.ErrNotFound},
	}, s.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/attachments/{uuid}", ID: "update_attachment", Access: web.Write,
		Summary:     "Say anew what an attachment is",
		Description: "What the body leaves out is empty afterwards, but for the file name, which stays. The content is replaced by PUT …/content.",
		Errors:      append(item.Errors, store.ErrNotFound, store.ErrInvalid),
	}, s.putOne)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/attachments/{uuid}", ID: "delete_attachment", Access: web.Write,
		Summary: "Delete an attachment", Description: "Until it is purged, it can be restored.",
		Errors: []*errs.Error{store.ErrNotFound, store.ErrHeld},
	}, s.deleteOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/attachments/{uuid}/restore", ID: "restore_attachment", Access: web.Write,
		Summary: "Restore an attachment that was deleted", Errors: []*errs.Error{store.ErrNotFound, store.ErrQuarantined},
	}, s.postRestore)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/usage", ID: "read_usage", Access: web.Read,
		Summary: "Read what the company's files take, and may take", Errors: []*errs.Error{database.ErrUnavailable},
	}, s.getUsage)
}

// body is an attachment as the API shows it.
type body struct {
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
func (body) SchemaName() string { return "Attachment" }

func bodyOf(row store.Attachment) body {
	b := body{
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

func answer(row store.Attachment) *web.Resource[body] {
	return web.NewResource(bodyOf(row), row.Version, base+"/attachments/"+row.ID.String())
}

type listInput struct {
	list.Input

	Deleted bool `query:"deleted" doc:"List what is deleted and not purged yet."`
}

func (s *service) getList(ctx context.Context, in *listInput) (*list.Output[body], error) {
	q, err := in.Parse(ctx, attachmentList())
	if err != nil {
		return nil, err
	}
	page, err := s.repository.List(ctx, q, in.Deleted)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, bodyOf)), nil
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
}

func (s *service) getOne(ctx context.Context, in *readInput) (*web.Resource[body], error) {
	row, err := s.repository.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return answer(row), nil
}

type writeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
}

type putInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Body putBody
}

type putBody struct {
	OwnerType  string                    `json:"owner_type,omitempty" maxLength:"100" doc:"Type of the item that it belongs to."`
	OwnerUUID  uuid.UUID                 `json:"owner_uuid,omitzero" doc:"Which item."`
	Category   string                    `json:"category,omitempty" maxLength:"60" doc:"Lower case letters, digits and underscores."`
	Visibility attachmentsapi.Visibility `json:"visibility,omitempty" enum:"internal,customer,carrier,public" doc:"For whom it is meant; internal if it is left out."`
	Title      string                    `json:"title,omitempty"`
	FileName   string                    `json:"file_name,omitempty" maxLength:"1000" doc:"It stays unchanged if it is left out."`
	ExpiresAt  *time.Time                `json:"expires_at,omitempty" doc:"When it is deleted."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (putBody) SchemaName() string { return "AttachmentDescription" }

func (s *service) putOne(ctx context.Context, in *putInput) (*web.Resource[body], error) {
	row, err := s.update(ctx, in.UUID, in.IfMatch, description{
		Owner: item.Ref{Type: in.Body.OwnerType, UUID: in.Body.OwnerUUID}, Category: in.Body.Category,
		Visibility: in.Body.Visibility, Title: in.Body.Title, FileName: in.Body.FileName, ExpiresAt: in.Body.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}

	return answer(row), nil
}

func (s *service) deleteOne(ctx context.Context, in *writeInput) (*struct{}, error) {
	return nil, s.remove(ctx, in.UUID, in.IfMatch, "")
}

func (s *service) postRestore(ctx context.Context, in *writeInput) (*web.Resource[body], error) {
	row, err := s.restore(ctx, in.UUID, in.IfMatch)
	if err != nil {
		return nil, err
	}

	return answer(row), nil
}

type usageBody struct {
	Bytes   int64  `json:"bytes" doc:"What all versions of all files take, with those that are deleted and not purged yet."`
	Files   int64  `json:"files" doc:"How many versions of files there are."`
	Limit   *int64 `json:"limit" doc:"How many bytes there may be; null for any number."`
	MaxSize int64  `json:"max_size" doc:"How many bytes one file may have."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (usageBody) SchemaName() string { return "AttachmentUsage" }

type usageOutput struct{ Body usageBody }

func (s *service) getUsage(ctx context.Context, _ *struct{}) (*usageOutput, error) {
	used, err := s.repository.Usage(ctx)
	if err != nil {
		return nil, err
	}
	own, err := s.repository.Limits(ctx)
	if err != nil {
		return nil, err
	}

	return &usageOutput{Body: usageBody{
		Bytes: used.Bytes, Files: used.Files, Limit: nullableLimit(own.MaxTotal(s.settings)), MaxSize: s.settings.MaxSizeWithin(own.MaxSize),
	}}, nil
}

// attachmentList is what a list of attachments can be filtered and sorted by.
var attachmentList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[body](list.Schema{
		Fields: []list.Field{
			{Name: "owner_type", Expr: "owner_type", Kind: kind.Text, Filterable: true},
			{Name: "owner_uuid", Expr: "owner_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "category", Expr: "category", Kind: kind.Text, Filterable: true},
			{Name: "visibility", Expr: "visibility", Kind: kind.Text, Filterable: true},
			{Name: "title", Expr: "title", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "file_name", Expr: "file_name", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "media_type", Expr: "media_type", Kind: kind.Text, Filterable: true},
			{Name: "size", Expr: "size", Kind: kind.Integer, Sortable: true, Filterable: true},
			{Name: "sha256", Expr: "sha256", Kind: kind.Text, Filterable: true, Operators: []list.Operator{list.Equal, list.In}},
			{Name: "state", Expr: "state", Kind: kind.Text, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "upload_link_uuid", Expr: "upload_link_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "updated_at", Expr: "updated_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "expires_at", Expr: "expires_at", Kind: kind.Time, Nullable: true, Filterable: true},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		DefaultSort: []string{"-created_at"},
		Search:      []string{"title", "file_name"},
	})
})
