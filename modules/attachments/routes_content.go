package attachments

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/limit"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// formRoom is what a form has beside its file.
const formRoom = config.MiB

// uploadErrors are the failures of taking content in.
func uploadErrors(more ...*errs.Error) []*errs.Error {
	return append(append(blob.Errors, store.ErrInvalid, store.ErrType, store.ErrTooLarge, store.ErrEmpty, store.ErrDigest, store.ErrQuota, limit.ErrReached, store.ErrNotScanned), more...)
}

// contentRoutes are the operations on what is in attachments.
func contentRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/attachments", ID: "create_attachment", Access: web.Write,
		Summary: "Store a file",
		Description: "A form (multipart/form-data) with the file as its last field. Fields before it: `owner_type` and `owner_uuid`, " +
			"the item that the file belongs to; `category`, `visibility`, `title`, `file_name`, `expires_at`; and `sha256`, which is checked.",
		Errors:  uploadErrors(item.Errors...),
		MaxBody: s.settings.MaxSize + formRoom, Consumes: []string{filetype.Form},
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/attachments/{uuid}/content", ID: "replace_attachment_content", Access: web.Write,
		Summary:     "Give an attachment new content",
		Description: "What it had stays readable as a version. The body is the file itself, or a form with the file as its last field.",
		Errors:      uploadErrors(store.ErrNotFound, store.ErrHeld, store.ErrNotReady, store.ErrQuarantined, store.ErrVersions),
		MaxBody:     s.settings.MaxSize + formRoom, Consumes: []string{filetype.Form, filetype.Bytes},
	}, s.putContent)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/content", ID: "read_attachment_content", Access: web.Read,
		Summary: "Read the content of an attachment",
		Description: "Parts of it can be asked for (Range). What browsers could run, such as HTML and SVG, " +
			"is given out as application/octet-stream.",
		Errors:   append(blob.Errors, store.ErrNotFound, store.ErrNotReady, store.ErrQuarantined),
		Produces: filetype.ServedTypes(),
	}, s.getContent)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/versions", ID: "list_attachment_versions", Access: web.Read,
		Summary: "List the versions of the content of an attachment, the newest first", Errors: []*errs.Error{store.ErrNotFound},
	}, s.getVersions)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/versions/{number}/content", ID: "read_attachment_version", Access: web.Read,
		Summary:  "Read the content that an attachment had",
		Errors:   append(blob.Errors, store.ErrNotFound, store.ErrVersion, store.ErrNotReady, store.ErrQuarantined),
		Produces: filetype.ServedTypes(),
	}, s.getVersionContent)
}

type postInput struct {
	upload.Upload

	ContentDigest string `header:"Content-Digest" doc:"SHA-256 of a body that is the file itself, as sha-256=:…:, with Base64 between the colons (RFC 9530)."`
	ReprDigest    string `header:"Repr-Digest" doc:"SHA-256 of the file, likewise; also of a file in a form."`
}

func (s *service) postOne(ctx context.Context, in *postInput) (*web.Resource[body], error) {
	f, err := openForm(&in.Upload, "owner_type", "owner_uuid", "category", "visibility", "title", "file_name", "expires_at", "sha256")
	if err != nil {
		return nil, err
	}
	d, err := f.describe()
	if err != nil {
		return nil, err
	}
	sums, err := receiving.Digests{Content: in.ContentDigest, Repr: in.ReprDigest}.Expected(true, f.fields["sha256"])
	if err != nil {
		return nil, err
	}
	row, err := s.store(ctx, d, receiving.Incoming{Content: f, Digests: sums}, nil)
	if err != nil {
		return nil, err
	}

	return answer(row), nil
}

type putContentInput struct {
	upload.Upload
	web.IfMatch

	ContentDigest string    `header:"Content-Digest" doc:"SHA-256 of a body that is the file itself, as sha-256=:…:, with Base64 between the colons (RFC 9530)."`
	ReprDigest    string    `header:"Repr-Digest" doc:"SHA-256 of the file, likewise; also of a file in a form."`
	UUID          uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	FileName      string    `query:"file_name" maxLength:"1000" doc:"What the file is called from now on; a form says it too."`
}

func (s *service) putContent(ctx context.Context, in *putContentInput) (*web.Resource[body], error) {
	f, err := openForm(&in.Upload, "file_name", "sha256")
	if err != nil {
		return nil, err
	}
	sums, err := receiving.Digests{Content: in.ContentDigest, Repr: in.ReprDigest}.Expected(in.Fields() != nil, f.fields["sha256"])
	if err != nil {
		return nil, err
	}
	name := in.FileName
	if name == "" {
		name = f.fileName()
	}
	row, err := s.replace(ctx, in.UUID, in.IfMatch, receiving.Incoming{Content: f, FileName: name, Digests: sums})
	if err != nil {
		return nil, err
	}

	return answer(row), nil
}

// shown says how browsers are to take content.
type shown string

const inline shown = "inline"

type contentInput struct {
	UUID        uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Disposition shown     `query:"disposition" enum:"inline,attachment" doc:"Whether browsers show the file, where it is of a kind that is safe, or save it, which is the default."`
}

func (s *service) getContent(ctx context.Context, in *contentInput) (*stream.Stream, error) {
	row, err := s.readable(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return s.streamContent(ctx, row, row.Content, in.Disposition)
}

// readable returns an attachment whose content may be read.
func (s *service) readable(ctx context.Context, id uuid.UUID) (store.Attachment, error) {
	row, err := s.repository.Find(ctx, id)
	if err != nil {
		return row, err
	}

	return row, s.mayRead(row)
}

// mayRead says why the content of an attachment may not be read. It is asked wherever content is given out.
func (s *service) mayRead(row store.Attachment) error {
	switch {
	case row.DeletedAt != nil, row.Expired(s.clock.Now()):
		return store.ErrNotFound
	case row.State != store.Ready:
		return unreadableError(row)
	default:
		return nil
	}
}

// streamContent answers with a version of the content of an attachment that may be read.
func (s *service) streamContent(ctx context.Context, row store.Attachment, number int64, how shown) (*stream.Stream, error) {
	v, err := s.repository.FindVersion(ctx, row.ID, number)
	if err != nil {
		return nil, err
	}
	media, showable := filetype.ServeAs(v.MediaType)
	answer := stream.NewDownload(media, s.storage.Blobs.Open(ctx, v.BlobName, v.Size)).
		Tagged(v.SHA256).Modified(v.CreatedAt).
		With("Cache-Control", "private, no-cache").
		With("Content-Security-Policy", policyOf(media))
	if how == inline && showable {
		return answer.Inline(v.FileName), nil
	}

	return answer.Attachment(v.FileName), nil
}

// policyOf keeps browsers from running anything of content. Of a PDF the viewer is the browser's own, which
// does not start in a sandbox.
func policyOf(media string) string {
	if media == "application/pdf" {
		return "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"
	}

	return "default-src 'none'; sandbox; frame-ancestors 'none'"
}

type versionBody struct {
	Number        int64         `json:"number" doc:"1 is the first."`
	FileName      string        `json:"file_name"`
	MediaType     string        `json:"media_type"`
	Size          int64         `json:"size"`
	SHA256        string        `json:"sha256"`
	Facts         database.JSON `json:"facts"`
	CreatedByUUID *uuid.UUID    `json:"created_by_uuid"`
	CreatedAt     time.Time     `json:"created_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (versionBody) SchemaName() string { return "AttachmentRevision" }

type versionsOutput struct {
	Body struct {
		Data []versionBody `json:"data" nullable:"false"`
	}
}

func (s *service) getVersions(ctx context.Context, in *readInput) (*versionsOutput, error) {
	if _, err := s.repository.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	rows, err := s.repository.Versions(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out := &versionsOutput{}
	for _, v := range rows {
		b := versionBody{
			Number: v.Number, FileName: v.FileName, MediaType: v.MediaType, Size: v.Size, SHA256: v.SHA256, Facts: v.Facts,
			CreatedByUUID: v.CreatedBy, CreatedAt: v.CreatedAt,
		}
		if b.Facts == nil {
			b.Facts = database.JSON("null")
		}
		out.Body.Data = append(out.Body.Data, b)
	}

	return out, nil
}

type versionInput struct {
	UUID        uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Disposition shown     `query:"disposition" enum:"inline,attachment" doc:"As for the newest content."`
	Number      int64     `path:"number" minimum:"1" doc:"Number of the version."`
}

func (s *service) getVersionContent(ctx context.Context, in *versionInput) (*stream.Stream, error) {
	row, err := s.readable(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return s.streamContent(ctx, row, in.Number, in.Disposition)
}
