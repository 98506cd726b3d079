// Package reading shows documents: those of the company, and all papers that an item has.
package reading

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/kinds"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Reader finds documents for those who may see them, and reads their files.
type Reader struct {
	rows  *resource.Resource[store.Document]
	kinds *kinds.Kinds
	files attachmentsapi.Files
}

// NewReader returns a Reader.
func NewReader(rows *resource.Resource[store.Document], k *kinds.Kinds, f attachmentsapi.Files) *Reader {
	return &Reader{rows, k, f}
}

// NotFound is the refusal of a document that there is not, or that the caller may not see.
func (r *Reader) NotFound() *errs.Error { return r.rows.NotFound() }

// Find returns a document that the caller may see. Error: NotFound.
func (r *Reader) Find(ctx context.Context, id uuid.UUID) (store.Document, error) {
	d, err := r.rows.Find(ctx, id)
	if err != nil {
		return d, err
	}
	hidden, err := r.kinds.Hidden(ctx)
	if err == nil && slices.Contains(hidden, d.Kind) {
		err = r.rows.NotFound()
	}

	return d, err
}

// ToGive returns a document that the caller may give to others. Errors: NotFound, store.ErrInvalid for one whose visibility its kind may not have.
func (r *Reader) ToGive(ctx context.Context, id uuid.UUID) (store.Document, error) {
	d, err := r.Find(ctx, id)
	if err != nil {
		return d, err
	}
	if why := r.kinds.Unmeant(d.Kind, d.Visibility); why != "" {
		return d, store.ErrInvalid.WithField("visibility", why)
	}

	return d, nil
}

// PDF is the file of a document: of one that is void, with a stamp on each page. Error: store.ErrNotReady.
func (r *Reader) PDF(ctx context.Context, d store.Document, inline bool) (*stream.Stream, error) {
	id := d.Attachment
	if d.State == store.Void {
		id = d.Stamped
	}
	if id == nil {
		return nil, store.ErrNotReady.WithDetail("state", d.State).WithDetail("problem", d.Problem)
	}
	file, content, err := r.files.Open(ctx, id.String())
	if err != nil {
		return nil, err
	}
	s := stream.NewFile(file.FileName, file.MediaType, file.SHA256, content)
	if inline {
		s.Inline(file.FileName)
	}

	return s, nil
}

// maxPage is how large the HTML of a document may be.
const maxPage = 40 << 20

// pagePolicy has browsers show the HTML of a document without loading or running anything.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

// HTML is a document as a page: one that is void says so at the top. Error: store.ErrNotReady.
func (r *Reader) HTML(ctx context.Context, d store.Document) (*stream.Stream, error) {
	if d.Page == nil {
		return nil, store.ErrNotReady.WithDetail("state", d.State).WithDetail("problem", d.Problem)
	}
	_, content, err := r.files.Open(ctx, d.Page.String())
	if err != nil {
		return nil, err
	}
	defer content.Close() //nolint:errcheck // it is read
	page, err := io.ReadAll(io.LimitReader(content, maxPage))
	if err != nil {
		return nil, err
	}
	if d.State == store.Void {
		page = stampPage(page)
	}

	return stream.NewDownload("text/html; charset=utf-8", bytes.NewReader(page)).With("Content-Security-Policy", pagePolicy), nil
}

// stampPage says at the top of a page that the document is void.
func stampPage(page []byte) []byte {
	const stamp = `<p role="alert" style="margin:0;padding:.6em;background:#b00020;color:#fff;font:bold 1.4em sans-serif;text-align:center">VOID</p>`
	at := bytes.Index(page, []byte("<body"))
	if at < 0 {
		return append([]byte(stamp), page...)
	}
	end := bytes.IndexByte(page[at:], '>')
	if end < 0 {
		return page
	}

	return slices.Concat(page[:at+end+1], []byte(stamp), page[at+end+1:])
}

type oneInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type contentInput struct {
	UUID        uuid.UUID `path:"uuid" format:"uuid"`
	Disposition string    `query:"disposition" enum:"inline,attachment" doc:"Whether browsers show the file or save it, which is the default."`
}

type snapshotOutput struct {
	ETag string `header:"ETag"`
	Body json.RawMessage
}

// Routes registers the operations that read one document.
func Routes(r *web.Router, k *Reader) {
	failures := []*errs.Error{k.NotFound(), store.ErrNotReady}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/documents/{uuid}", ID: "read_document", Access: web.Read, Summary: "Read what there is to know of a document", Errors: failures[:1],
	}, func(ctx context.Context, in *oneInput) (*web.Resource[store.Document], error) {
		d, err := k.Find(ctx, in.UUID)

		return k.rows.Answer(ctx, d, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/documents/{uuid}/content", ID: "read_document_content", Access: web.Read, Summary: "Download the PDF of a document",
		Description: "Its bytes never change; once it is void, they are those of a copy with a stamp on each page.", Errors: failures, Produces: stream.FileTypes(),
	}, func(ctx context.Context, in *contentInput) (*stream.Stream, error) {
		d, err := k.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}

		return k.PDF(ctx, d, in.Disposition == "inline")
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/documents/{uuid}/html", ID: "read_document_html", Access: web.Read, Summary: "Read a document as a page",
		Description: "For screens, for screen readers and for e-mails. Of a packet, its first page.", Errors: failures, Produces: []string{"text/html"},
	}, func(ctx context.Context, in *oneInput) (*stream.Stream, error) {
		d, err := k.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}

		return k.HTML(ctx, d)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/documents/{uuid}/snapshot", ID: "read_document_snapshot", Access: web.Read, Summary: "Read the values that a document was printed with", Errors: failures,
	}, func(ctx context.Context, in *oneInput) (*snapshotOutput, error) {
		d, err := k.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}
		if d.Attachment == nil {
			return nil, store.ErrNotReady.WithDetail("state", d.State).WithDetail("problem", d.Problem)
		}

		return &snapshotOutput{strconv.Quote(strconv.FormatInt(d.Revision, 10)), d.Snapshot.V}, nil
	})
}

// titleOf is what a document is called in lists.
func titleOf(d store.Document) string { return strings.TrimSpace(d.Title + " " + d.Number) }
