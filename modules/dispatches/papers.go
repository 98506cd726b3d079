package dispatches

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// The kinds of documents. Invoices and proofs of delivery are what carriers send.
const (
	kindConfirmation = "rate_confirmation"
	kindBill         = "bill_of_lading"
	kindInvoice      = "carrier_invoice"
	kindProof        = "proof_of_delivery"
	kindFile         = "file"
)

// What carriers send: so many files by one link, of so many bytes, and with so many files of the dispatch no more.
const (
	uploadFiles = 10
	enoughFiles = 100
	// A carrier makes so many upload links for a load at most.
	uploadLinksPerHour, uploadLinksPerDay = 10, 20
	uploadBytes                           = 25 << 20
	uploadLife                            = 24 * time.Hour
)

var (
	errNoDocument = errs.New(errs.NotFound, "dispatches.document_not_found", "The dispatch has no such document.")
	errEnough     = errs.New(errs.Conflict, "dispatches.enough_files", "There are 100 files for this load already. Please call us.")
	errNoPhoto    = errs.New(errs.NotFound, "dispatches.photo_not_found", "The load has no such photo, or it is not there yet.")
)

// papers are the documents of dispatches: for the company, and for the carrier by its link.
type papers struct {
	sheets   sheets
	bills    loadsapi.Bills
	files    attachmentsapi.Files
	uploads  attachmentsapi.Uploads
	previews attachmentsapi.Previews
	layout   *page.Layout
}

func newPapers(s sheets, b loadsapi.Bills, f attachmentsapi.Files, u attachmentsapi.Uploads, p attachmentsapi.Previews) papers {
	return papers{s, b, f, u, p, page.New(page.Parts{Content: page.File(pageFiles, "page/documents.html")})}
}

func paperRoutes(r *web.Router, p papers) {
	refusals := append([]*errs.Error{errNoSheet, errNoLoad}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/dispatches/{uuid}/documents", ID: "list_dispatch_documents", Access: web.Read, Summary: "List the documents of a dispatch",
		Description: "The rate confirmation, the bills of lading as they were signed, what the carrier has sent, and other files of the dispatch; the newest first.",
		Errors:      []*errs.Error{p.sheets.desk.dispatches.NotFound()},
	}, p.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/documents", ID: "list_carrier_documents", Access: web.Public, Summary: "List the documents of a load by a carrier's link",
		Description: "As long as the carrier has the load. With Accept: text/html, the response is a page, which takes invoices and proofs of delivery, too.", Errors: refusals, Page: p.page,
	}, p.listByLink)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/documents/{document}", ID: "download_carrier_document", Access: web.Public, Summary: "Download a document of a load by a carrier's link",
		Errors: append([]*errs.Error{errNoDocument}, refusals...), Produces: stream.FileTypes(),
	}, p.download)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/uploads", ID: "create_carrier_upload", Access: web.Public, Secret: true, Summary: "Send an invoice or a proof of delivery by a carrier's link",
		Description: "The response has the address of a page, which takes up to ten files of 25 MiB within a day. They are files of the dispatch.", Errors: append([]*errs.Error{errEnough}, refusals...),
		Form: func(form url.Values) any { return map[string]any{"kind": form.Get("kind")} }, Page: p.onward,
	}, p.invite)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carrier/{link}/photos/{photo}", ID: "read_carrier_photo", Access: web.Public, Summary: "See a photo of a vehicle by a carrier's link",
		Description: "In small (1,200 pixels), and without what the camera has written into it.", Errors: append([]*errs.Error{errNoPhoto}, refusals...), Produces: []string{"image/jpeg", "image/png"},
	}, p.photo)
}

// document is one of a dispatch.
type document struct {
	UUID      uuid.UUID `json:"uuid,omitzero" doc:"Of the file in the area attachments; absent for what is printed when it is read."`
	Kind      string    `json:"kind" enum:"rate_confirmation,bill_of_lading,carrier_invoice,proof_of_delivery,file"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	Path      string    `json:"path" doc:"Where it is downloaded."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (document) SchemaName() string { return "DispatchDocument" }

// of are the documents of a dispatch, the newest first.
func (p papers) of(ctx context.Context, row store.Dispatch) ([]document, error) {
	all := []document{{Kind: kindConfirmation, Title: "Rate confirmation " + row.Number + ", revision " + strconv.FormatInt(row.Revision, 10), CreatedAt: row.CreatedAt}}
	if row.AcceptedAt != nil {
		all[0].CreatedAt = *row.AcceptedAt
	}
	own, err := p.files.OfOwner(ctx, dispatchesapi.Dispatch, row.ID.String())
	if err != nil {
		return nil, err
	}
	for _, f := range own {
		kind := kindFile
		if f.Category == kindInvoice || f.Category == kindProof {
			kind = f.Category
		}
		all = addFile(all, kind, f.Name(), f)
	}
	bills, err := p.bills.Of(ctx, row.Load.String())
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, b := range bills {
		if b.Carrier == row.Carrier.String() {
			maps.Copy(titles, b.FileTitles())
		}
	}
	printed, err := p.files.Find(ctx, slices.Collect(maps.Keys(titles))...)
	for id, f := range printed {
		all = addFile(all, kindBill, titles[id], f)
	}
	slices.SortStableFunc(all, func(a, b document) int { return b.CreatedAt.Compare(a.CreatedAt) })

	return all, err
}

func addFile(all []document, kind, title string, f attachmentsapi.File) []document {
	id, err := uuid.Parse(f.UUID)
	if err != nil || !f.Ready() {
		return all
	}

	return append(all, document{UUID: id, Kind: kind, Title: title, CreatedAt: f.CreatedAt})
}

type documentsOutput struct{ Body documentsShown }

// documentsShown are the documents of a dispatch.
type documentsShown struct {
	Data []document `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (documentsShown) SchemaName() string { return "DispatchDocuments" }

func (p papers) list(ctx context.Context, in *printInput) (*documentsOutput, error) {
	row, err := p.sheets.desk.dispatches.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	all, err := p.of(ctx, row)
	for i := range all {
		if all[i].Path = "/attachments/api/v1/attachments/" + all[i].UUID.String() + "/content"; all[i].Kind == kindConfirmation {
			all[i].Path = base + "/dispatches/" + row.ID.String() + "/rate_confirmation"
		}
	}

	return &documentsOutput{documentsShown{all}}, err
}

// enter returns the dispatch that a link leads to. Its carrier has the load.
func (p papers) enter(ctx context.Context, text string) (context.Context, store.Dispatch, error) {
	ctx, h, err := p.sheets.enter(ctx, text)
	if err == nil && (h.dispatch == nil || !h.dispatch.IsLive()) {
		err = errNoLoad
	}
	if err != nil {
		return ctx, store.Dispatch{}, err
	}

	return ctx, *h.dispatch, nil
}

// sent are the documents that the carrier sees: files of the company that are not meant for carriers are none.
func (p papers) sent(ctx context.Context, row store.Dispatch) ([]document, error) {
	all, err := p.of(ctx, row)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, one := range all {
		if one.Kind == kindFile {
			ids = append(ids, one.UUID.String())
		}
	}
	files, err := p.files.Find(ctx, ids...)

	return slices.DeleteFunc(all, func(one document) bool {
		seen := files[one.UUID.String()].Visibility

		return one.Kind == kindFile && seen != attachmentsapi.Carrier && seen != attachmentsapi.Public
	}), err
}

type carrierDocumentsOutput struct{ Body carrierDocuments }

// carrierDocuments are the documents of a load as its carrier sees them.
type carrierDocuments struct {
	Brand  page.Brand `json:"brand"`
	Number string     `json:"number"`
	Data   []document `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (carrierDocuments) SchemaName() string { return "CarrierDocuments" }

func (p papers) listByLink(ctx context.Context, in *viewInput) (*carrierDocumentsOutput, error) {
	ctx, row, err := p.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	brand, err := p.sheets.desk.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	all, err := p.sent(ctx, row)
	for i := range all {
		if all[i].Path = base + "/carrier/" + in.Link + "/documents/" + all[i].UUID.String(); all[i].Kind == kindConfirmation {
			all[i].Path = base + "/carrier/" + in.Link + "/rate_confirmation"
		}
	}

	return &carrierDocumentsOutput{carrierDocuments{page.Brand{Name: brand.Name, Color: brand.PrimaryColor}, row.Number, all}}, err
}

// page renders the documents, and the forms by which the carrier sends some.
func (p papers) page(a web.Answer) web.Page {
	var all carrierDocuments
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &all) != nil {
		return p.layout.Refused(a, fieldLabel)
	}
	shown := page.Page{Brand: all.Brand, Heading: "Documents of " + all.Number, Back: "../" + path.Base(path.Dir(a.Path))}
	for _, one := range all.Data {
		shown.Links = append(shown.Links, page.Link{Text: one.Title, Path: one.Path, Note: page.Day(one.CreatedAt.UTC().Format(time.DateOnly))})
	}
	shown.Content = []*page.Form{
		{Action: "uploads", Hidden: map[string]string{"kind": kindInvoice}, Submit: "Send us your invoice", Second: true},
		{Action: "uploads", Hidden: map[string]string{"kind": kindProof}, Submit: "Send us the proof of delivery", Second: true},
	}

	return p.layout.Show(shown)
}

type documentInput struct {
	Link     string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Document uuid.UUID `path:"document" format:"uuid"`
}

func (p papers) download(ctx context.Context, in *documentInput) (*stream.Stream, error) {
	ctx, row, err := p.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	all, err := p.sent(ctx, row)
	if err != nil {
		return nil, err
	}
	if in.Document == uuid.Nil || !slices.ContainsFunc(all, func(one document) bool { return one.UUID == in.Document }) {
		return nil, errNoDocument
	}
	file, content, err := p.files.Open(ctx, in.Document.String())
	if errs.IsRefusal(err) {
		err = errNoDocument
	}
	if err != nil {
		return nil, err
	}

	return stream.NewFile(file.FileName, file.MediaType, file.SHA256, content), nil
}

type uploadInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Kind string `json:"kind" enum:"carrier_invoice,proof_of_delivery"`
	}
}

type uploadOutput struct {
	Body struct {
		URL string `json:"url" doc:"The page that takes the files, and where they are sent."`
	}
}

// invite makes a link by which the carrier sends documents.
func (p papers) invite(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	ctx, row, err := p.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	d := p.sheets.desk
	brand, err := d.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	own, err := p.files.OfOwner(ctx, dispatchesapi.Dispatch, row.ID.String())
	if err == nil && len(own) >= enoughFiles {
		err = errEnough
	}
	if err != nil {
		return nil, err
	}
	title := map[string]string{kindInvoice: "Invoice for " + row.LoadNumber(), kindProof: "Proof of delivery of " + row.LoadNumber()}[in.Body.Kind]
	out := &uploadOutput{}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if err := d.given.AllowEntries(ctx, "uploads of "+row.ID.String(), 1, uploadLinksPerHour, uploadLinksPerDay); err != nil {
			return err
		}
		made, err := p.uploads.Invite(ctx, attachmentsapi.Upload{
			OwnerType: dispatchesapi.Dispatch, OwnerUUID: row.ID.String(), Category: in.Body.Kind, Title: title, Brand: brand.Name, Message: "Please send it as PDF or as photos.",
			MaxUploads: uploadFiles, MaxSize: uploadBytes, Types: []string{mediaPDF, "image/*"}, ExpiresAt: d.now().Add(uploadLife),
		})
		out.Body.URL = made.URL

		return err
	})

	return out, err
}

// onward leads from the form to the page that takes the files, which leads back.
func (p papers) onward(a web.Answer) web.Page {
	var made struct {
		URL string `json:"url"`
	}
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &made) != nil {
		return p.layout.Answered(a, nil, fieldLabel)
	}

	return web.Page{Location: attachmentsapi.BackTo(made.URL, path.Dir(a.Path)+"/documents")}
}

type photoInput struct {
	Link  string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Photo uuid.UUID `path:"photo" format:"uuid" doc:"One of the photo_uuids of the vehicles of the load."`
}

// photo is a photo of a vehicle that the carrier sees.
func (p papers) photo(ctx context.Context, in *photoInput) (*stream.Stream, error) {
	ctx, row, err := p.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	seen, err := p.sheets.desk.views.Carrier(ctx, row.Load.String())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(seen.Load.Vehicles, func(v loadsapi.CarrierVehicle) bool { return slices.Contains(v.Photos, in.Photo.String()) }) {
		return nil, errNoPhoto
	}
	image, err := p.previews.Preview(ctx, in.Photo.String())
	if errs.KindOf(err) == errs.NotFound {
		err = errNoPhoto
	}
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(image.MediaType, image.Content).Tagged(image.SHA256).With("Cache-Control", "private, max-age=3600").Inline("photo"), nil
}
