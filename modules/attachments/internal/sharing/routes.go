package sharing

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Routes are the operations on links to attachments.
func Routes(r *web.Router, d *Desk) {
	wrong := errs.New(errs.Invalid, "link.invalid", "The given data was invalid.")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/attachments/{uuid}/links", ID: "create_attachment_link", Access: web.Write, Secret: true,
		Summary:     "Create a link that lets people without a token read an attachment",
		Description: "The address is in this answer alone. It leads to the newest content, for seven days at most.",
		Errors:      []*errs.Error{store.ErrNotFound, store.ErrNotReady, store.ErrQuarantined, wrong},
	}, d.postShare)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/links", ID: "list_attachment_links", Access: web.Read,
		Summary: "List the latest 100 links to an attachment, the newest first", Errors: []*errs.Error{store.ErrNotFound},
	}, d.getShares)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/attachments/{uuid}/links/{link}", ID: "revoke_attachment_link", Access: web.Write,
		Summary: "Revoke a link to an attachment", Errors: []*errs.Error{store.ErrNotFound, store.ErrShare},
	}, d.deleteShare)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}", ID: "read_shared_attachment", Access: web.Public,
		Summary:  "Read the content of an attachment by a link",
		Errors:   append(append(blob.Errors, link.Refusals...), store.ErrLinkVoid),
		Produces: filetype.ServedTypes(),
	}, d.getShared)
}

// Desk answers the operations on links to files, and makes them for other areas.
type Desk struct {
	shares  *Shares
	reader  *files.Reader
	baseURL string
}

// NewDesk returns the desk of a deployment.
func NewDesk(s *Shares, reader *files.Reader, w web.Settings) *Desk {
	return &Desk{shares: s, reader: reader, baseURL: strings.TrimSuffix(w.BaseURL, "/")}
}

// address is where a link leads.
func (d *Desk) address(text string) string { return d.baseURL + store.Base + "/shared/" + text }

// Link implements attachmentsapi.Links.
func (d *Desk) Link(ctx context.Context, id string, s attachmentsapi.Share) (string, error) {
	parsed, err := store.ParseID(id)
	if err != nil {
		return "", err
	}
	_, text, err := d.shares.share(ctx, parsed, s)
	if err != nil {
		return "", err
	}

	return d.address(text), nil
}

type shareBody struct {
	UUID       uuid.UUID  `json:"uuid"`
	Link       string     `json:"link,omitempty" doc:"The text of the link, in the answer that makes it alone: nobody can find it out later."`
	URL        string     `json:"url,omitempty" doc:"Where it leads, with the text. Without a host where web.base_url is not set."`
	Prefix     string     `json:"prefix" doc:"How its text begins, to recognise it by."`
	Uses       int        `json:"uses"`
	MaxUses    int        `json:"max_uses" doc:"How often it can be used; 0 is any number."`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  time.Time  `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (shareBody) SchemaName() string { return "AttachmentLink" }

func showShare(l link.Link) shareBody {
	return shareBody{
		UUID: l.ID, Prefix: l.Prefix, Uses: l.Uses, MaxUses: l.MaxUses, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt,
		RevokedAt: l.RevokedAt, LastUsedAt: l.LastUsedAt,
	}
}

type postShareInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Body struct {
		ExpiresAt   time.Time         `json:"expires_at,omitzero" doc:"When it ends; in an hour, if the configuration does not say otherwise."`
		MaxUses     int               `json:"max_uses,omitempty" minimum:"0" maximum:"1000000" doc:"How often it can be used; 0 is any number."`
		Disposition files.Disposition `json:"disposition,omitempty" enum:"inline,attachment" doc:"inline for <img>: browsers show the file, where it is of a kind that is safe."`
	}
}

type shareOutput struct{ Body shareBody }

func (d *Desk) postShare(ctx context.Context, in *postShareInput) (*shareOutput, error) {
	made, text, err := d.shares.share(ctx, in.UUID, attachmentsapi.Share{
		ExpiresAt: in.Body.ExpiresAt, MaxUses: in.Body.MaxUses, Inline: in.Body.Disposition == files.Inline,
	})
	if err != nil {
		return nil, err
	}
	body := showShare(made)
	body.Link, body.URL = text, d.address(text)

	return &shareOutput{Body: body}, nil
}

type sharesInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
}

type sharesOutput struct {
	Body struct {
		Data []shareBody `json:"data" nullable:"false"`
	}
}

func (d *Desk) getShares(ctx context.Context, in *sharesInput) (*sharesOutput, error) {
	all, err := d.shares.shares(ctx, in.UUID, uuid.Nil)
	if err != nil {
		return nil, err
	}
	out := &sharesOutput{}
	for _, one := range all {
		out.Body.Data = append(out.Body.Data, showShare(one))
	}

	return out, nil
}

type deleteShareInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Link uuid.UUID `path:"link" format:"uuid" doc:"Id of the link."`
}

func (d *Desk) deleteShare(ctx context.Context, in *deleteShareInput) (*struct{}, error) {
	return nil, d.shares.unshare(ctx, in.UUID, in.Link)
}

type sharedInput struct {
	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
}

func (d *Desk) getShared(ctx context.Context, in *sharedInput) (*stream.Stream, error) {
	file, err := d.shares.Open(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return d.reader.Stream(principal.AsCompany(ctx, file.CompanyID), file.Attachment, file.Content, file.How)
}
