package attachments

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
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
func contentRoutes(r *web.Router, c *contents) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/attachments", ID: "create_attachment", Access: web.Write,
		Summary: "Store a file",
		Description: "A form (multipart/form-data) with the file as its last field. Fields before it: `owner_type` and `owner_uuid`, " +
			"the item that the file belongs to; `category`, `visibility`, `title`, `file_name`, `expires_at`; and `sha256`, which is checked.",
		Errors:  uploadErrors(item.Errors...),
		MaxBody: c.maxSize + formRoom, Consumes: []string{filetype.Form},
	}, c.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/attachments/{uuid}/content", ID: "replace_attachment_content", Access: web.Write,
		Summary:     "Give an attachment new content",
		Description: "What it had stays readable as a version. The body is the file itself, or a form with the file as its last field.",
		Errors:      uploadErrors(store.ErrNotFound, store.ErrHeld, store.ErrNotReady, store.ErrQuarantined, store.ErrVersions),
		MaxBody:     c.maxSize + formRoom, Consumes: []string{filetype.Form, filetype.Bytes},
	}, c.putContent)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/content", ID: "read_attachment_content", Access: web.Read,
		Summary: "Read the content of an attachment",
		Description: "Parts of it can be asked for (Range). What browsers could run, such as HTML and SVG, " +
			"is given out as application/octet-stream.",
		Errors:   append(blob.Errors, store.ErrNotFound, store.ErrNotReady, store.ErrQuarantined),
		Produces: filetype.ServedTypes(),
	}, c.getContent)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/versions", ID: "list_attachment_versions", Access: web.Read,
		Summary: "List the versions of the content of an attachment, the newest first", Errors: []*errs.Error{store.ErrNotFound},
	}, c.getVersions)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/attachments/{uuid}/versions/{number}/content", ID: "read_attachment_version", Access: web.Read,
		Summary:  "Read the content that an attachment had",
		Errors:   append(blob.Errors, store.ErrNotFound, store.ErrVersion, store.ErrNotReady, store.ErrQuarantined),
		Produces: filetype.ServedTypes(),
	}, c.getVersionContent)
}

// contents answer the operations on what is in files.
type contents struct {
	repository *store.Repository
	intake     *files.Intake
	reader     *files.Reader
	maxSize    config.Size
}

func newContents(s settings.Settings, r *store.Repository, i *files.Intake, reader *files.Reader) *contents {
	return &contents{repository: r, intake: i, reader: reader, maxSize: s.MaxSize}
}

type postInput struct {
	upload.Upload

	ContentDigest string `header:"Content-Digest" doc:"SHA-256 of a body that is the file itself, as sha-256=:…:, with Base64 between the colons (RFC 9530)."`
	ReprDigest    string `header:"Repr-Digest" doc:"SHA-256 of the file, likewise; also of a file in a form."`
}

func (c *contents) postOne(ctx context.Context, in *postInput) (*web.Resource[files.Body], error) {
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
	row, err := c.intake.Store(ctx, d, receiving.Incoming{Content: f, Digests: sums}, nil)
	if err != nil {
		return nil, err
	}

	return files.Answer(row), nil
}

type putContentInput struct {
	upload.Upload
	web.IfMatch

	ContentDigest string    `header:"Content-Digest" doc:"SHA-256 of a body that is the file itself, as sha-256=:…:, with Base64 between the colons (RFC 9530)."`
	ReprDigest    string    `header:"Repr-Digest" doc:"SHA-256 of the file, likewise; also of a file in a form."`
	UUID          uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	FileName      string    `query:"file_name" maxLength:"1000" doc:"What the file is called from now on; a form says it too."`
}

func (c *contents) putContent(ctx context.Context, in *putContentInput) (*web.Resource[files.Body], error) {
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
	row, err := c.intake.Replace(ctx, in.UUID, in.IfMatch, receiving.Incoming{Content: f, FileName: name, Digests: sums})
	if err != nil {
		return nil, err
	}

	return files.Answer(row), nil
}

type contentInput struct {
	UUID        uuid.UUID         `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Disposition files.Disposition `query:"disposition" enum:"inline,attachment" doc:"Whether browsers show the file, where it is of a kind that is safe, or save it, which is the default."`
}

func (c *contents) getContent(ctx context.Context, in *contentInput) (*stream.Stream, error) {
	row, err := c.reader.Readable(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return c.reader.Stream(ctx, row, row.Content, in.Disposition)
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

func (c *contents) getVersions(ctx context.Context, in *readInput) (*versionsOutput, error) {
	if _, err := c.repository.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	rows, err := c.repository.Versions(ctx, in.UUID)
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
	UUID        uuid.UUID         `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Disposition files.Disposition `query:"disposition" enum:"inline,attachment" doc:"As for the newest content."`
	Number      int64             `path:"number" minimum:"1" doc:"Number of the version."`
}

func (c *contents) getVersionContent(ctx context.Context, in *versionInput) (*stream.Stream, error) {
	row, err := c.reader.Readable(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return c.reader.Stream(ctx, row, in.Number, in.Disposition)
}
