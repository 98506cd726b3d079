package document

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Files has the content of papers that are files. At most one area provides it (port.Provides).
type Files interface {
	// Download is the content of a file of the caller's company. A refusal says that it is not there, or cannot be read.
	Download(ctx context.Context, id uuid.UUID) (*stream.Stream, error)
	// Path is where the company reads a file.
	Path(id uuid.UUID) string
}

// Shelf shows the papers of items, and hands them out.
type Shelf struct {
	registry *Registry
	printer  *Printer
	ports    *port.Registry
}

// NewShelf returns a Shelf.
func NewShelf(r *Registry, p *Printer, ports *port.Registry) *Shelf { return &Shelf{r, p, ports} }

// Listed is a paper in a list.
type Listed struct {
	UUID      uuid.UUID `json:"uuid" doc:"Of the paper, and of the attachment if it is a file."`
	Kind      string    `json:"kind" doc:"A kind of papers, such as bill_of_lading, or file."`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	Path      string    `json:"path" doc:"Where it is downloaded."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Listed) SchemaName() string { return "ListedDocument" }

// Shared are the papers of an item as somebody with a link sees them.
type Shared struct {
	Brand  page.Brand `json:"brand"`
	Number string     `json:"number"`
	Data   []Listed   `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Shared) SchemaName() string { return "SharedDocuments" }

// List returns papers of Registry.Of for the company, with the paths by which it reads them.
func (s *Shelf) List(ctx context.Context, papers []Paper) ([]Listed, error) {
	all := listed(papers, "")
	files, err := s.files(ctx)
	for i, p := range papers {
		if all[i].Path = p.Path; !p.live() && files != nil {
			all[i].Path = files.Path(p.UUID)
		}
	}

	return all, err
}

// Share returns the papers of items that a viewer sees, each with a path below that of a link's documents.
func (s *Shelf) Share(ctx context.Context, v Viewer, below string, items ...item.Ref) ([]Listed, error) {
	papers, err := s.registry.Of(ctx, v, items...)

	return listed(papers, below), err
}

func listed(papers []Paper, below string) []Listed {
	all := make([]Listed, len(papers))
	for i, p := range papers {
		all[i] = Listed{p.UUID, p.Kind, p.Title, p.CreatedAt, below + "/" + p.UUID.String()}
	}

	return all
}

// Download is one of the papers of items that a viewer sees, one that a frozen paper has replaced in the list among them. Error: ErrNotFound.
func (s *Shelf) Download(ctx context.Context, v Viewer, id uuid.UUID, items ...item.Ref) (*stream.Stream, error) {
	papers, err := s.registry.Every(ctx, v, items...)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(papers, func(p Paper) bool { return p.UUID == id })
	if i < 0 {
		return nil, ErrNotFound
	}
	if p := papers[i]; p.live() {
		return s.printer.Download(ctx, p.Kind, p.Of, Options{})
	}
	files, err := s.files(ctx)
	if err != nil || files == nil {
		return nil, cmp.Or(err, error(ErrNotFound))
	}
	file, err := files.Download(ctx, id)
	if errs.IsRefusal(err) {
		err = ErrNotFound
	}

	return file, err
}

// files are those of the area that keeps files, nil without one.
func (s *Shelf) files(ctx context.Context) (Files, error) {
	return provided[Files](ctx, s.ports)
}

// SharedPage renders Shared, the answer of an operation whose path ends in /documents below that of a link, with forms below the list.
func SharedPage(forms ...*page.Form) func(a web.Answer) web.Page {
	layout := page.New(page.Parts{Content: `{{define "content"}}{{range .}}{{template "form" .}}{{end}}{{end}}`})

	return func(a web.Answer) web.Page {
		var all Shared
		if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &all) != nil {
			return layout.Refused(a, nil)
		}
		shown := page.Page{Brand: all.Brand, Heading: "Documents of " + all.Number, Back: "../" + path.Base(path.Dir(a.Path)), Content: forms}
		for _, one := range all.Data {
			shown.Links = append(shown.Links, page.Link{Text: one.Title, Path: "documents/" + one.UUID.String(), Note: page.Day(one.CreatedAt.UTC().Format(time.DateOnly))})
		}
		if len(all.Data) == 0 {
			shown.Texts = []string{"There are no documents yet."}
		}

		return layout.Show(shown)
	}
}
