package papers

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// The kinds of papers of dispatches. Invoices and proofs of delivery are what carriers send.
const (
	Confirmation = "rate_confirmation"
	kindInvoice  = "carrier_invoice"
	kindProof    = "proof_of_delivery"
)

// enoughFiles is the number of files of a dispatch from which a carrier can add no more.
const enoughFiles = 100

var errEnough = errs.New(errs.Conflict, "dispatches.enough_files", "There are 100 files for this load already. Please call us.")

// Documents are the papers of dispatches.
type Documents struct {
	files      attachmentsapi.Files
	dispatches *resource.Resource[store.Dispatch]
	rows       *store.Repository
}

// NewDocuments returns Documents.
func NewDocuments(files attachmentsapi.Files, dispatches *resource.Resource[store.Dispatch], rows *store.Repository) *Documents {
	return &Documents{files, dispatches, rows}
}

// Papers are the rate confirmation of a dispatch, and what its carrier has sent. Those of a load are those of the dispatch by which a carrier has it.
func (d *Documents) Papers(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	row, err := d.find(ctx, of)
	if errors.Is(err, store.ErrNone) || errs.IsRefusal(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := []document.Paper{confirmationOf(row)}
	own, err := d.files.OfOwner(ctx, dispatchesapi.Dispatch, row.ID.String())
	for _, f := range own {
		if f.Ready() && (f.Category == kindInvoice || f.Category == kindProof) {
			all = append(all, document.Paper{
				UUID: item.ID(f.UUID), Kind: f.Category, Title: f.Name(), CreatedAt: f.CreatedAt, Visibility: document.Carrier, Carrier: row.Carrier.String(), Of: itemOf(row),
			})
		}
	}

	return all, err
}

func (d *Documents) find(ctx context.Context, of item.Ref) (store.Dispatch, error) {
	if of.Type == loadsapi.Load {
		return d.rows.LiveDispatch(ctx, of.UUID)
	}

	return d.dispatches.Find(ctx, of.UUID)
}

// subjects are the items whose papers are those of a dispatch.
func subjects(row store.Dispatch) []item.Ref {
	return []item.Ref{itemOf(row), {Type: loadsapi.Load, UUID: row.Load}}
}

// isOf reports whether a paper of the load of a dispatch is of the dispatch, too: it is meant for its carrier.
func isOf(row store.Dispatch, p document.Paper) bool {
	return p.Of == itemOf(row) || p.Carrier == row.Carrier.String()
}

// checkRoom refuses more files of a dispatch than a carrier can add.
func (d *Documents) checkRoom(ctx context.Context, dispatch uuid.UUID) error {
	own, err := d.files.OfOwner(ctx, dispatchesapi.Dispatch, dispatch.String())
	if err == nil && len(own) >= enoughFiles {
		err = errEnough
	}

	return err
}
