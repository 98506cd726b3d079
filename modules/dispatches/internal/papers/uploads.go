package papers

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrierlink"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

// What carriers send by one link: so many files, of so many bytes, for so long.
const (
	uploadFiles = 10
	uploadBytes = 25 << 20
	uploadLife  = 24 * time.Hour
)

// A carrier makes so many upload links for a load at most.
const uploadLinksPerHour, uploadLinksPerDay = 10, 20

// Uploads lets carriers send invoices and proofs of delivery.
type Uploads struct {
	door      *carrierlink.Door
	documents *Documents
	uploads   attachmentsapi.Uploads
	brands    companiesapi.Brands
	db        *database.DB
}

// NewUploads returns Uploads.
func NewUploads(d *carrierlink.Door, docs *Documents, u attachmentsapi.Uploads, brands companiesapi.Brands, db *database.DB) *Uploads {
	return &Uploads{d, docs, u, brands, db}
}

// UploadRoutes registers the operation by which a carrier sends documents.
func UploadRoutes(r *web.Router, u *Uploads) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/uploads", ID: "create_carrier_upload", Access: web.Public, Secret: true, Summary: "Send an invoice or a proof of delivery by a carrier's link",
		Description: "The response has the address of a page, which takes up to ten files of 25 MiB within a day. They are files of the dispatch.",
		Errors:      carrierlink.Refusals(errEnough, store.ErrNoLoad),
		Form:        func(form url.Values) any { return map[string]any{"kind": form.Get("kind")} }, Page: onward(page.New(page.Parts{})),
	}, u.invite)
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
func (u *Uploads) invite(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	ctx, e, err := u.door.EnterLoad(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	row := *e.Dispatch
	brand, err := u.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.documents.checkRoom(ctx, row.ID); err != nil {
		return nil, err
	}
	title := map[string]string{kindInvoice: "Invoice for " + row.LoadNumber(), kindProof: "Proof of delivery of " + row.LoadNumber()}[in.Body.Kind]
	out := &uploadOutput{}
	err = u.db.InTx(ctx, func(ctx context.Context) error {
		if err := u.door.Allow(ctx, "uploads of "+row.ID.String(), uploadLinksPerHour, uploadLinksPerDay); err != nil {
			return err
		}
		made, err := u.uploads.Invite(ctx, attachmentsapi.Upload{
			OwnerType: dispatchesapi.Dispatch, OwnerUUID: row.ID.String(), Category: in.Body.Kind, Title: title, Brand: brand.Name,
			Message: "Please send it as PDF or as photos.", MaxUploads: uploadFiles, MaxSize: uploadBytes,
			Types: []string{document.MediaPDF, "image/*"}, ExpiresAt: e.At.Add(uploadLife),
		})
		out.Body.URL = made.URL

		return err
	})

	return out, err
}

// onward leads from the form to the page that takes the files, which leads back.
func onward(layout *page.Layout) func(a web.Answer) web.Page {
	return func(a web.Answer) web.Page {
		var made struct {
			URL string `json:"url"`
		}
		if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &made) != nil {
			return layout.Answered(a, nil, nil)
		}

		return web.Page{Location: attachmentsapi.BackTo(made.URL, path.Dir(a.Path)+"/documents")}
	}
}
