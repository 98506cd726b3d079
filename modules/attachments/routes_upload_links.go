package attachments

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/uploadpage"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// uploadLinkRoutes are the operations on links by which somebody without a token sends files.
func uploadLinkRoutes(r *web.Router, l *links) {
	wrong := errs.New(errs.Invalid, "link.invalid", "The given data was invalid.")
	show := uploadpage.New()
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
	}, list.Serve(uploadLinkList(), l.page, l.showLink))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/upload_links/{uuid}", ID: "read_upload_link", Access: web.Read,
		Summary: "Read an upload link", Errors: []*errs.Error{store.ErrUploadLink},
	}, l.getLink)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/upload_links/{uuid}/revoke", ID: "revoke_upload_link", Access: web.Write,
		Summary: "Revoke an upload link", Errors: []*errs.Error{store.ErrUploadLink},
	}, l.postRevoke)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/uploads/{link}", ID: "read_upload", Access: web.Public,
		Summary:     "Read what an upload link asks for",
		Description: "Browsers, which ask for text/html, get a page by which people send files.",
		Errors:      append(link.Refusals, store.ErrLinkVoid, store.ErrTooOften), Page: show.Form,
	}, l.getUpload)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/uploads/{link}", ID: "upload", Access: web.Public,
		Summary:     "Send a file by an upload link",
		Description: "A form (multipart/form-data) with the file as its last field; `file_name` and `sha256` may stand before it. The answer says nothing of the company.",
		Errors:      append(uploadErrors(link.Refusals...), store.ErrLinkVoid, store.ErrTooOften),
		MaxBody:     l.files.settings.MaxSize + formRoom, Consumes: []string{filetype.Form}, Page: show.Result,
	}, l.postUpload)
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

func (l *links) showLink(row store.UploadLink) uploadLinkBody {
	return uploadLinkBody{
		UUID: row.ID, Prefix: row.Prefix, Status: row.Status(l.files.clock.Now()), OwnerType: row.OwnerType, OwnerUUID: row.OwnerID,
		Category: row.Category, Visibility: row.Visibility, Title: row.Title, Message: row.Message, Brand: row.Brand, MaxUploads: row.MaxUploads,
		Uploads: row.Uploads, Refused: row.Quarantined, MaxSize: row.MaxFileSize, Types: row.Types, CreatedByUUID: row.CreatedBy,
		ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

// complete finds out what is shown of some links and is not in their rows.
func (l *links) complete(ctx context.Context, rows []store.UploadLink) error {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	refused, err := l.files.repository.CountQuarantined(ctx, ids)
	if err != nil {
		return err
	}
	bound, err := l.files.quota.Apply(ctx, receiving.Incoming{})
	if err != nil {
		return err
	}
	for i := range rows {
		bound.MaxSize = rows[i].MaxSize
		rows[i].MaxFileSize, rows[i].Quarantined = l.files.storage.MaxSize(bound), refused[rows[i].ID]
	}

	return nil
}

func (l *links) page(ctx context.Context, q list.Query) (list.Page[store.UploadLink], error) {
	page, err := l.files.repository.UploadLinks(ctx, q)
	if err == nil {
		err = l.complete(ctx, page.Data)
	}

	return page, err
}

func (l *links) linkResource(ctx context.Context, row store.UploadLink, text string) (*web.Resource[uploadLinkBody], error) {
	rows := []store.UploadLink{row}
	if err := l.complete(ctx, rows); err != nil {
		return nil, err
	}
	b := l.showLink(rows[0])
	if text != "" {
		b.Link, b.URL = text, l.address("/uploads/", text)
	}

	return web.NewResource(b, row.Version, base+"/upload_links/"+row.ID.String()), nil
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

func (l *links) postLink(ctx context.Context, in *postLinkInput) (*web.Resource[uploadLinkBody], error) {
	b := in.Body
	row, text, err := l.invite(ctx, wish{
		description: description{
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

func (l *links) getLink(ctx context.Context, in *linkInput) (*web.Resource[uploadLinkBody], error) {
	row, err := l.files.repository.FindUploadLink(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return l.linkResource(ctx, row, "")
}

func (l *links) postRevoke(ctx context.Context, in *linkInput) (*web.Resource[uploadLinkBody], error) {
	row, err := l.revoke(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return l.linkResource(ctx, row, "")
}

type uploadInput struct {
	uploadpage.Back

	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
}

type uploadOutput struct {
	Body uploadpage.Asked
}

func (l *links) getUpload(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	if err := l.limitRate(ctx, "look "+in.Link); err != nil {
		return nil, err
	}
	ctx, row, err := l.resolveLink(ctx, in.Link)
	if err != nil {
		if expected, ok := errors.AsType[*errs.Error](err); ok && expected.Code == usedUp {
			err = l.outcome(ctx, in.Link, expected)
		}

		return nil, err
	}
	bound, err := l.files.quota.Apply(ctx, receiving.Incoming{MaxSize: row.MaxSize})
	if err != nil {
		return nil, err
	}

	refused, err := l.files.repository.QuarantinedNames(ctx, row.ID, openPerLink)
	if err != nil {
		return nil, err
	}
	if len(row.Types) == 0 {
		row.Types = append(row.Types, bound.Limits.Types...)
	}

	return &uploadOutput{Body: uploadpage.Asked{
		Brand: row.Brand, Title: row.Title, Message: row.Message, MaxSize: l.files.storage.MaxSize(bound), Types: row.Types,
		UploadsLeft: row.MaxUploads - row.Uploads, Refused: refused, ExpiresAt: row.ExpiresAt, Back: in.Back.Back,
	}}, nil
}

// usedUp is the code of the refusal of a link that has no uses left.
const usedUp = "link.used_up"

// outcome adds to the refusal of a link that is used up what became of what was sent, as long as the link lives.
func (l *links) outcome(ctx context.Context, text string, refusal *errs.Error) error {
	found, err := l.made.Known(ctx, sending, text)
	if err != nil {
		return err
	}
	ctx = principal.AsCompany(ctx, found.Company)
	row, err := l.files.repository.FindUploadLink(ctx, found.Subject.ID)
	if err != nil {
		return concealLinkError(err)
	}
	if row.RevokedAt != nil || !l.files.clock.Now().Before(row.ExpiresAt) {
		return refusal
	}
	names, err := l.files.repository.QuarantinedNames(ctx, row.ID, openPerLink)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return refusal
	}

	return refusal.WithDetail("refused", names)
}

// limitRate refuses what happens too often.
func (l *links) limitRate(ctx context.Context, what string) error {
	if r := l.limit.Take(ctx, what); !r.Allowed {
		return store.ErrTooOften.WithRetryAfter(r.RetryAfter)
	}

	return nil
}

type postUploadInput struct {
	upload.Upload
	uploadpage.Back

	Link       string `path:"link" maxLength:"200" doc:"The text of the link."`
	ReprDigest string `header:"Repr-Digest" doc:"SHA-256 of the file, as sha-256=:…: (RFC 9530)."`
}

type sentOutput struct{ Body uploadpage.Sent }

func (l *links) postUpload(ctx context.Context, in *postUploadInput) (*sentOutput, error) {
	if err := l.limitRate(ctx, "send "+in.Link); err != nil {
		return nil, err
	}
	f, err := openForm(&in.Upload, "file_name", "sha256")
	if err != nil {
		return nil, err
	}
	sums, err := receiving.Digests{Repr: in.ReprDigest}.Expected(true, f.fields["sha256"])
	if err != nil {
		return nil, err
	}
	row, err := l.send(ctx, in.Link, receiving.Incoming{Content: f, FileName: f.fileName(), Digests: sums})
	if err != nil {
		return nil, err
	}

	out := &sentOutput{Body: uploadpage.SentOf(row)}
	out.Body.Back = in.Back.Back

	return out, nil
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
