package giving

import (
	"context"
	"net/http"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/reading"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Door shows documents to those who have a link.
type Door struct {
	reader  *reading.Reader
	rows    *resource.Resource[store.Document]
	letters *Letters
	files   attachmentsapi.Files
	db      *database.DB
}

// NewDoor returns a Door.
func NewDoor(r *reading.Reader, rows *resource.Resource[store.Document], l *Letters, f attachmentsapi.Files, db *database.DB) *Door {
	return &Door{r, rows, l, f, db}
}

// Shown is a document as somebody with a link sees it.
type Shown struct {
	Brand    page.Brand `json:"brand"`
	Title    string     `json:"title"`
	Number   string     `json:"number"`
	Revision int64      `json:"revision"`
	Date     string     `json:"date" doc:"When it was printed, as YYYY-MM-DD."`
	Pages    int64      `json:"pages"`
	Beside   []Beside   `json:"beside" nullable:"false" doc:"Files that belong to it and could not be put into its PDF."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Shown) SchemaName() string { return "SharedDocument" }

// Beside is a file beside a packet.
type Beside struct {
	Index int    `json:"index" doc:"Of its path: …/parts/{index}."`
	Title string `json:"title"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Beside) SchemaName() string { return "SharedDocumentFile" }

type sharedInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

type partInput struct {
	Link  string `path:"link" maxLength:"200" doc:"Text of the link."`
	Index int    `path:"index" minimum:"0" maximum:"100"`
}

type viewedInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Revision int64 `json:"revision"`
	}
}

type sharedOutput struct{ Body Shown }

// SharedRoutes registers the operations for anyone with a link.
func SharedRoutes(r *web.Router, d *Door) {
	refusals := append([]*errs.Error{d.reader.NotFound(), store.ErrNotReady}, link.Refusals...)
	show := face.New(face.Parts[Shown]{View: func(s Shown, link string) face.View { return s.view(link) }})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}", ID: "read_shared_document", Access: web.Public, Summary: "Read about a document by a link",
		Description: "With Accept: text/html, the response is a page that leads to the PDF and to the text of the document.", Errors: refusals, Page: show.Page,
	}, d.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/content", ID: "read_shared_document_content", Access: web.Public, Summary: "Download the PDF of a document by a link",
		Errors: refusals, Produces: stream.FileTypes(),
	}, func(ctx context.Context, in *sharedInput) (*stream.Stream, error) {
		ctx, row, err := d.enter(ctx, in.Link)
		if err != nil {
			return nil, err
		}

		return d.reader.PDF(ctx, row, true)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/html", ID: "read_shared_document_html", Access: web.Public, Summary: "Read a document as a page by a link",
		Errors: refusals, Produces: []string{"text/html"},
	}, func(ctx context.Context, in *sharedInput) (*stream.Stream, error) {
		ctx, row, err := d.enter(ctx, in.Link)
		if err != nil {
			return nil, err
		}

		return d.reader.HTML(ctx, row)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/parts/{index}", ID: "read_shared_document_part", Access: web.Public, Summary: "Download a file beside a packet by a link",
		Errors: refusals, Produces: stream.FileTypes(),
	}, d.part)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/shared/{link}/viewed", ID: "note_document_view", Access: web.Public, Summary: "Say that the document was shown in a browser",
		Description: "The page's script does it, so that mail scanners do not count.", Errors: refusals,
	}, d.viewed)
}

// enter returns the document of a link, and the context of its company.
func (d *Door) enter(ctx context.Context, text string) (context.Context, store.Document, error) {
	ctx, id, err := d.letters.enter(ctx, text)
	if err != nil {
		return ctx, store.Document{}, err
	}
	row, err := d.rows.Find(ctx, id)

	return ctx, row, err
}

func (d *Door) read(ctx context.Context, in *sharedInput) (*sharedOutput, error) {
	ctx, row, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	brand, err := d.letters.brand(ctx)
	shown := Shown{
		Brand: brand, Title: row.Title, Number: row.Number, Revision: row.Revision,
		Date: row.CreatedAt.UTC().Format("2006-01-02"), Pages: row.Pages, Beside: []Beside{},
	}
	for i, part := range row.Parts.V {
		if part.Problem != "" && part.Attachment != nil {
			shown.Beside = append(shown.Beside, Beside{i, part.Title})
		}
	}

	return &sharedOutput{shown}, err
}

// view is the page of a document.
func (s Shown) view(link string) face.View {
	files := face.Card{Title: "Files", Links: []page.Link{
		{Text: "Open the PDF", Path: link + "/content", Note: page.Sprintf("%d pages", s.Pages)}, {Text: "Read it as a page", Path: link + "/html"},
	}}
	if s.Pages == 1 {
		files.Links[0].Note = "1 page"
	}
	for _, one := range s.Beside {
		files.Links = append(files.Links, page.Link{Text: one.Title, Path: link + "/parts/" + strconv.Itoa(one.Index)})
	}
	revision := ""
	if s.Revision > 1 {
		revision = strconv.FormatInt(s.Revision, 10)
	}

	return face.View{
		Brand: s.Brand, Over: s.Brand.Name, Heading: s.Title,
		Cards:  []face.Card{{Facts: face.Facts("Number", s.Number, "Date", page.Day(s.Date), "Revision", revision)}, files},
		Viewed: map[string]any{"revision": s.Revision},
	}
}

func (d *Door) part(ctx context.Context, in *partInput) (*stream.Stream, error) {
	ctx, row, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	if in.Index >= len(row.Parts.V) || row.Parts.V[in.Index].Problem == "" || row.Parts.V[in.Index].Attachment == nil {
		return nil, d.reader.NotFound()
	}
	file, content, err := d.files.Open(ctx, row.Parts.V[in.Index].Attachment.String())
	if errs.IsRefusal(err) {
		err = d.reader.NotFound()
	}
	if err != nil {
		return nil, err
	}

	return stream.NewFile(file.FileName, file.MediaType, file.SHA256, content), nil
}

// viewed notes that somebody has looked at a document.
func (d *Door) viewed(ctx context.Context, in *viewedInput) (*struct{}, error) {
	ctx, row, err := d.enter(ctx, in.Link)
	if err != nil || row.Revision != in.Body.Revision || row.ViewedAt != nil {
		return nil, err
	}
	now := d.letters.now()

	return nil, d.db.InTx(ctx, func(ctx context.Context) error {
		_, err := d.rows.Change(ctx, row.ID, web.IfMatch{}, store.VerbView, func(_ context.Context, row *store.Document) error {
			if row.ViewedAt == nil {
				row.ViewedAt = &now
			}
			if row.Delivery == store.NotSent || row.Delivery == store.Sent {
				row.Delivery = store.Viewed
			}

			return nil
		})

		return err
	})
}
