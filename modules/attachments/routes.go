package attachments

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// attachmentRoutes are the operations on attachments, but for their content.
func attachmentRoutes(r *web.Router, d *descriptions) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments", ID: "list_attachments", Access: web.Read,
		Summary:     "List attachments",
		Description: "Deleted ones come with `deleted=true`, and then alone. " + attachmentList().Describe(),
		Errors:      list.Errors,
	}, d.getList)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}", ID: "read_attachment", Access: web.Read,
		Summary: "Read what is known of an attachment", Errors: []*errs.Error{store.ErrNotFound},
	}, d.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/attachments/{uuid}", ID: "update_attachment", Access: web.Write,
		Summary:     "Say anew what an attachment is",
		Description: "What the body leaves out is empty afterwards, but for the file name, which stays. The content is replaced by PUT …/content.",
		Errors:      append(item.Errors, store.ErrNotFound, store.ErrInvalid),
	}, d.putOne)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/attachments/{uuid}", ID: "delete_attachment", Access: web.Write,
		Summary: "Delete an attachment", Description: "Until it is purged, it can be restored.",
		Errors: []*errs.Error{store.ErrNotFound, store.ErrHeld},
	}, d.deleteOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/attachments/{uuid}/restore", ID: "restore_attachment", Access: web.Write,
		Summary: "Restore an attachment that was deleted", Errors: []*errs.Error{store.ErrNotFound, store.ErrQuarantined},
	}, d.postRestore)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/usage", ID: "read_usage", Access: web.Read,
		Summary: "Read what the company's files take, and may take", Errors: []*errs.Error{database.ErrUnavailable},
	}, d.getUsage)
}

// descriptions answer the operations on what is known of files.
type descriptions struct {
	settings   settings.Settings
	repository *store.Repository
	keeper     *files.Keeper
}

func newDescriptions(s settings.Settings, r *store.Repository, k *files.Keeper) *descriptions {
	return &descriptions{settings: s, repository: r, keeper: k}
}

type listInput struct {
	list.Input

	Deleted bool `query:"deleted" doc:"List what is deleted and not purged yet."`
}

func (d *descriptions) getList(ctx context.Context, in *listInput) (*list.Output[files.Body], error) {
	q, err := in.Parse(ctx, attachmentList())
	if err != nil {
		return nil, err
	}
	page, err := d.repository.List(ctx, q, in.Deleted)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, files.BodyOf)), nil
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
}

func (d *descriptions) getOne(ctx context.Context, in *readInput) (*web.Resource[files.Body], error) {
	row, err := d.repository.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return files.Answer(row), nil
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

func (d *descriptions) putOne(ctx context.Context, in *putInput) (*web.Resource[files.Body], error) {
	row, err := d.keeper.Update(ctx, in.UUID, in.IfMatch, files.Description{
		Owner: item.Ref{Type: in.Body.OwnerType, UUID: in.Body.OwnerUUID}, Category: in.Body.Category,
		Visibility: in.Body.Visibility, Title: in.Body.Title, FileName: in.Body.FileName, ExpiresAt: in.Body.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}

	return files.Answer(row), nil
}

func (d *descriptions) deleteOne(ctx context.Context, in *writeInput) (*struct{}, error) {
	return nil, d.keeper.Remove(ctx, in.UUID, in.IfMatch, "")
}

func (d *descriptions) postRestore(ctx context.Context, in *writeInput) (*web.Resource[files.Body], error) {
	row, err := d.keeper.Restore(ctx, in.UUID, in.IfMatch)
	if err != nil {
		return nil, err
	}

	return files.Answer(row), nil
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

func (d *descriptions) getUsage(ctx context.Context, _ *struct{}) (*usageOutput, error) {
	used, err := d.repository.Usage(ctx)
	if err != nil {
		return nil, err
	}
	own, err := d.repository.Limits(ctx)
	if err != nil {
		return nil, err
	}

	return &usageOutput{Body: usageBody{
		Bytes: used.Bytes, Files: used.Files, Limit: nullableLimit(own.MaxTotal(d.settings)), MaxSize: d.settings.MaxSizeWithin(own.MaxSize),
	}}, nil
}

// attachmentList is what a list of attachments can be filtered and sorted by.
var attachmentList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[files.Body](list.Schema{
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
