// Package papers has the documents of a load that its customer may read by a link: what was signed, the bills of lading, and files that are meant for it.
package papers

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/record"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

var errNoDocument = errs.New(errs.NotFound, "loads.document_not_found", "The load has no such document for its customer.")

// Desk hands out documents.
type Desk struct {
	loads   signing.Loads
	signed  *signing.Desk
	records *record.Recorder
	files   attachmentsapi.Files
	brands  companiesapi.Brands
	layout  *page.Layout
}

// NewDesk returns a Desk.
func NewDesk(loads signing.Loads, signed *signing.Desk, records *record.Recorder, files attachmentsapi.Files, brands companiesapi.Brands) *Desk {
	return &Desk{loads, signed, records, files, brands, page.New(page.Parts{})}
}

// Routes registers the operations for anyone with the link of a customer.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/documents", ID: "list_shared_load_documents", Access: web.Public, Summary: "List the documents of a load by a link",
		Description: "What the customer has signed, the bills of lading as they were signed, and files of the load whose visibility is customer or public; the newest first. With Accept: text/html, the response is a page.",
		Errors:      append([]*errs.Error{loadsapi.ErrNotFound}, link.Refusals...), Page: d.page,
	}, d.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/documents/{document}", ID: "download_shared_load_document", Access: web.Public, Summary: "Download a document of a load by a link",
		Errors: append([]*errs.Error{loadsapi.ErrNotFound, errNoDocument}, link.Refusals...), Produces: stream.FileTypes(),
	}, d.download)
}

type linkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

type listOutput struct{ Body documents }

// documents are those of a load.
type documents struct {
	Brand  page.Brand `json:"brand"`
	Number string     `json:"number"`
	Data   []document `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (documents) SchemaName() string { return "SharedLoadDocuments" }

// document is one that a customer may read.
type document struct {
	UUID      uuid.UUID `json:"uuid"`
	Kind      string    `json:"kind" enum:"signature,bill_of_lading,file"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (document) SchemaName() string { return "SharedLoadDocument" }

func (d *Desk) list(ctx context.Context, in *linkInput) (*listOutput, error) {
	ctx, load, err := d.loads.Enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	number, _, err := d.loads.Known(ctx, load)
	if err != nil {
		return nil, err
	}
	brand, err := d.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	all, err := d.of(ctx, load)

	return &listOutput{documents{page.Brand(brand), number, all}}, err
}

// of are the documents of a load, the newest first.
func (d *Desk) of(ctx context.Context, load uuid.UUID) ([]document, error) {
	all := []document{}
	signed, err := d.signed.Signed(ctx, load)
	if err != nil {
		return nil, err
	}
	for _, s := range signed {
		all = append(all, document{s.ID, "signature", "Your signed order", s.At})
	}
	own, err := d.files.OfOwner(ctx, loadsapi.Load, load.String())
	if err != nil {
		return nil, err
	}
	for _, f := range own {
		all = add(all, "file", f.Name(), f)
	}
	bills, err := d.records.Bills(ctx, load)
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, b := range bills {
		maps.Copy(titles, b.FileTitles())
	}
	printed, err := d.files.Find(ctx, slices.Collect(maps.Keys(titles))...)
	for id, f := range printed {
		all = add(all, "bill_of_lading", titles[id], f)
	}
	slices.SortStableFunc(all, func(a, b document) int { return b.CreatedAt.Compare(a.CreatedAt) })

	return all, err
}

// add adds a file that can be read, and that is meant for customers.
func add(all []document, kind, title string, f attachmentsapi.File) []document {
	id, err := uuid.Parse(f.UUID)
	if err != nil || !f.Ready() || f.Visibility != attachmentsapi.Customer && f.Visibility != attachmentsapi.Public {
		return all
	}

	return append(all, document{id, kind, title, f.CreatedAt})
}

type downloadInput struct {
	Link     string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Document uuid.UUID `path:"document" format:"uuid"`
}

func (d *Desk) download(ctx context.Context, in *downloadInput) (*stream.Stream, error) {
	ctx, load, err := d.loads.Enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	number, _, err := d.loads.Known(ctx, load)
	if err != nil {
		return nil, err
	}
	all, err := d.of(ctx, load)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(one document) bool { return one.UUID == in.Document })
	switch {
	case i < 0:
		return nil, errNoDocument
	case all[i].Kind == "signature":
		return d.signed.Print(ctx, load, in.Document, number)
	}
	file, content, err := d.files.Open(ctx, in.Document.String())
	if errs.IsRefusal(err) {
		err = errNoDocument
	}
	if err != nil {
		return nil, err
	}

	return stream.NewFile(file.FileName, file.MediaType, file.SHA256, content), nil
}

func (d *Desk) page(a web.Answer) web.Page {
	var all documents
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &all) != nil {
		return d.layout.Refused(a, func(string) string { return "" })
	}
	shown := page.Page{Brand: all.Brand, Heading: "Documents of " + all.Number, Back: "../" + path.Base(path.Dir(a.Path))}
	for _, one := range all.Data {
		shown.Links = append(shown.Links, page.Link{Text: one.Title, Path: "documents/" + one.UUID.String(), Note: page.Day(one.CreatedAt.UTC().Format(time.DateOnly))})
	}
	if len(all.Data) == 0 {
		shown.Texts = []string{"There are no documents yet."}
	}

	return d.layout.Show(shown)
}
