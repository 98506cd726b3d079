package attachments

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// uploadLinkRoutes are the operations on links by which somebody without a token sends files.
func uploadLinkRoutes(r *web.Router, l *uploadLinks) {
	wrong := errs.New(errs.Invalid, "link.invalid", "The given data was invalid.")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/upload_links", ID: "create_upload_link", Access: web.Write, Secret: true,
		Summary: "Create a link that lets people without a token send files",
		Description: "Files that come by it belong to the owner, and have the category, visibility and title, that are said here. " +
			"The text is in this answer alone. It is good for one upload and seven days, unless the body says otherwise.",
		Errors: append(item.Errors, store.ErrInvalid, wrong),
	}, l.postLink)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/upload_links", ID: "list_upload_links", Access: web.Read,
		Summary: "List the company's upload links", Description: uploadLinkList().Describe(), Errors: list.Errors,
	}, list.Serve(uploadLinkList(), l.invitations.page, l.showLink))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/upload_links/{uuid}", ID: "read_upload_link", Access: web.Read,
		Summary: "Read an upload link", Errors: []*errs.Error{store.ErrUploadLink},
	}, l.getLink)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/upload_links/{uuid}/revoke", ID: "revoke_upload_link", Access: web.Write,
		Summary: "Revoke an upload link", Errors: []*errs.Error{store.ErrUploadLink},
	}, l.postRevoke)
}

// uploadLinks answer the operations on upload links, and make them for other areas.
type uploadLinks struct {
	repository  *store.Repository
	invitations *invitations
	clock       clock.Clock
	baseURL     string
}

func newUploadLinks(r *store.Repository, i *invitations, c clock.Clock, w web.Settings) *uploadLinks {
	return &uploadLinks{repository: r, invitations: i, clock: c, baseURL: strings.TrimSuffix(w.BaseURL, "/")}
}

// address is where files are sent to by a link.
func (l *uploadLinks) address(text string) string { return l.baseURL + store.Base + "/uploads/" + text }

// Invite implements attachmentsapi.Uploads.
func (l *uploadLinks) Invite(ctx context.Context, u attachmentsapi.Upload) (attachmentsapi.UploadLink, error) {
	owner, err := uuid.Parse(u.OwnerUUID)
	if err != nil {
		return attachmentsapi.UploadLink{}, store.ErrInvalid.WithField("owner_uuid", "The owner uuid must be a UUID.")
	}
	row, text, err := l.invitations.invite(ctx, wish{
		Description: files.Description{Owner: item.Ref{Type: u.OwnerType, UUID: owner}, Category: u.Category, Title: u.Title},
		Message:     u.Message, Brand: u.Brand, MaxUploads: int64(max(u.MaxUploads, 1)), MaxSize: u.MaxSize, Types: u.Types, Until: u.ExpiresAt,
	})
	if err != nil {
		return attachmentsapi.UploadLink{}, err
	}

	return attachmentsapi.UploadLink{UUID: row.ID.String(), URL: l.address(text)}, nil
}

// Revoke implements attachmentsapi.Uploads.
func (l *uploadLinks) Revoke(ctx context.Context, id string) error {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return store.ErrUploadLink
	}
	_, err = l.invitations.revoke(ctx, parsed)

	return err
}

// uploadLinkBody is an upload link as the API shows it to its company.
type uploadLinkBody struct {
	UUID          uuid.UUID                 `json:"uuid"`
	Link          string                    `json:"link,omitempty" doc:"The text of the link, in the answer that makes it alone: nobody can find it out later."`
	URL           string                    `json:"url,omitempty" doc:"Where files are sent to, with the text. Without a host where web.base_url is not set."`
	Prefix        string                    `json:"prefix" doc:"How the text begins, to recognise it by."`
	Status        string                    `json:"status" enum:"open,used_up,expired,revoked"`
	OwnerType     string                    `json:"owner_type"`
	OwnerUUID     *uuid.UUID                `json:"owner_uuid"`
	Category      string                    `json:"category"`
	Visibility    attachmentsapi.Visibility `json:"visibility" enum:"internal,customer,carrier,public"`
	Title         string                    `json:"title"`
	Message       string                    `json:"message"`
	Brand         string                    `json:"brand"`
	MaxUploads    int64                     `json:"max_uploads"`
	Uploads       int64                     `json:"uploads"`
	Refused       int64                     `json:"refused" doc:"How many of the files that came by the link are quarantined."`
	MaxSize       int64                     `json:"max_size" doc:"Largest file in bytes, by the link's own limit, the company's and the service's."`
	Types         []string                  `json:"types" nullable:"false" doc:"Media types that files may have; none is all that are taken."`
	CreatedByUUID *uuid.UUID                `json:"created_by_uuid"`
	ExpiresAt     time.Time                 `json:"expires_at"`
	RevokedAt     *time.Time                `json:"revoked_at"`
	Version       int64                     `json:"version"`
	CreatedAt     time.Time                 `json:"created_at"`
	UpdatedAt     time.Time                 `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (uploadLinkBody) SchemaName() string { return "UploadLink" }

func (l *uploadLinks) showLink(row store.UploadLink) uploadLinkBody {
	return uploadLinkBody{
		UUID: row.ID, Prefix: row.Prefix, Status: row.Status(l.clock.Now()), OwnerType: row.OwnerType, OwnerUUID: row.OwnerID,
		Category: row.Category, Visibility: row.Visibility, Title: row.Title, Message: row.Message, Brand: row.Brand, MaxUploads: row.MaxUploads,
		Uploads: row.Uploads, Refused: row.Quarantined, MaxSize: row.MaxFileSize, Types: row.Types, CreatedByUUID: row.CreatedBy,
		ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

func (l *uploadLinks) linkResource(ctx context.Context, row store.UploadLink, text string) (*web.Resource[uploadLinkBody], error) {
	rows := []store.UploadLink{row}
	if err := l.invitations.complete(ctx, rows); err != nil {
		return nil, err
	}
	b := l.showLink(rows[0])
	if text != "" {
		b.Link, b.URL = text, l.address(text)
	}

	return web.NewResource(b, row.Version, store.Base+"/upload_links/"+row.ID.String()), nil
}

type postLinkInput struct {
	Body struct {
		OwnerType  string                    `json:"owner_type,omitempty" maxLength:"100" doc:"Type of the item that the files belong to."`
		OwnerUUID  uuid.UUID                 `json:"owner_uuid,omitzero" doc:"Which item."`
		Category   string                    `json:"category,omitempty" maxLength:"60"`
		Visibility attachmentsapi.Visibility `json:"visibility,omitempty" enum:"internal,customer,carrier,public"`
		Title      string                    `json:"title,omitempty" doc:"What the files are called, and what anyone with the link is shown."`
		Message    string                    `json:"message,omitempty" doc:"What anyone with the link is told."`
		Brand      string                    `json:"brand,omitempty" doc:"Who asks, as anyone with the link is told: the company's name is not said unless it is here."`
		MaxUploads int64                     `json:"max_uploads,omitempty" minimum:"1" maximum:"1000" doc:"How many files may come; 1 if it is left out."`
		MaxSize    int64                     `json:"max_size,omitempty" minimum:"1" doc:"Largest file in bytes."`
		Types      []string                  `json:"types,omitempty" doc:"Media types that files may have, such as application/pdf and image/*."`
		ExpiresAt  time.Time                 `json:"expires_at,omitzero" doc:"When the link ends, in 90 days at the latest."`
	}
}

func (l *uploadLinks) postLink(ctx context.Context, in *postLinkInput) (*web.Resource[uploadLinkBody], error) {
	b := in.Body
	row, text, err := l.invitations.invite(ctx, wish{
		Description: files.Description{
			Owner: item.Ref{Type: b.OwnerType, UUID: b.OwnerUUID}, Category: b.Category, Visibility: b.Visibility, Title: b.Title,
		},
		Message: b.Message, Brand: b.Brand, MaxUploads: max(b.MaxUploads, 1), MaxSize: b.MaxSize, Types: b.Types, Until: b.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}

	return l.linkResource(ctx, row, text)
}

type linkInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the upload link."`
}

func (l *uploadLinks) getLink(ctx context.Context, in *linkInput) (*web.Resource[uploadLinkBody], error) {
	row, err := l.repository.FindUploadLink(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return l.linkResource(ctx, row, "")
}

func (l *uploadLinks) postRevoke(ctx context.Context, in *linkInput) (*web.Resource[uploadLinkBody], error) {
	row, err := l.invitations.revoke(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return l.linkResource(ctx, row, "")
}

// uploadLinkList is what a list of upload links can be filtered and sorted by.
var uploadLinkList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[uploadLinkBody](list.Schema{
		Fields: []list.Field{
			{Name: "owner_type", Expr: "owner_type", Kind: kind.Text, Filterable: true},
			{Name: "owner_uuid", Expr: "owner_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "category", Expr: "category", Kind: kind.Text, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "expires_at", Expr: "expires_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "revoked_at", Expr: "revoked_at", Kind: kind.Time, Nullable: true, Filterable: true},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		DefaultSort: []string{"-created_at"},
	})
})
