package papers

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// The kinds of documents. Invoices and proofs of delivery are what carriers send.
const (
	kindConfirmation = "rate_confirmation"
	kindBill         = "bill_of_lading"
	kindInvoice      = "carrier_invoice"
	kindProof        = "proof_of_delivery"
	kindFile         = "file"
)

// enoughFiles is the number of files of a dispatch from which a carrier can add no more.
const enoughFiles = 100

var errEnough = errs.New(errs.Conflict, "dispatches.enough_files", "There are 100 files for this load already. Please call us.")

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

// Documents are the documents of dispatches.
type Documents struct {
	files attachmentsapi.Files
	bills loadsapi.Bills
}

// NewDocuments returns Documents.
func NewDocuments(files attachmentsapi.Files, bills loadsapi.Bills) *Documents {
	return &Documents{files, bills}
}

// list are the documents of a dispatch, the newest first.
func (d *Documents) list(ctx context.Context, row store.Dispatch) ([]document, error) {
	all := []document{{
		Kind: kindConfirmation, Title: "Rate confirmation " + row.Number + ", revision " + strconv.FormatInt(row.Revision, 10), CreatedAt: row.CreatedAt,
	}}
	if row.AcceptedAt != nil {
		all[0].CreatedAt = *row.AcceptedAt
	}
	own, err := d.files.OfOwner(ctx, dispatchesapi.Dispatch, row.ID.String())
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
	bills, err := d.bills.Of(ctx, row.Load.String())
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, b := range bills {
		if b.Carrier == row.Carrier.String() {
			maps.Copy(titles, b.FileTitles())
		}
	}
	printed, err := d.files.Find(ctx, slices.Collect(maps.Keys(titles))...)
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

// shared are the documents that the carrier sees: all but files of the company that are not meant for carriers.
func (d *Documents) shared(ctx context.Context, row store.Dispatch) ([]document, error) {
	all, err := d.list(ctx, row)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, one := range all {
		if one.Kind == kindFile {
			ids = append(ids, one.UUID.String())
		}
	}
	files, err := d.files.Find(ctx, ids...)

	return slices.DeleteFunc(all, func(one document) bool {
		seen := files[one.UUID.String()].Visibility

		return one.Kind == kindFile && seen != attachmentsapi.Carrier && seen != attachmentsapi.Public
	}), err
}

// checkRoom refuses more files of a dispatch than a carrier can add.
func (d *Documents) checkRoom(ctx context.Context, row store.Dispatch) error {
	own, err := d.files.OfOwner(ctx, dispatchesapi.Dispatch, row.ID.String())
	if err == nil && len(own) >= enoughFiles {
		err = errEnough
	}

	return err
}
