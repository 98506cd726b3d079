package printing

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// The kinds of papers of the area.
const (
	Bill      = "bill_of_lading"
	Proof     = "pod"
	Condition = "condition_report"
)

// Papers are the models of the papers of the area.
type Papers struct {
	reader      *Reader
	inspections *resource.Resource[store.Inspection]
	album       *Album
}

// NewPapers returns Papers.
func NewPapers(r *Reader, inspections *resource.Resource[store.Inspection], a *Album) *Papers {
	return &Papers{r, inspections, a}
}

func (k *Papers) read(ctx context.Context, bol uuid.UUID, o document.Options) (printed, error) {
	of, err := k.reader.read(ctx, bol)
	if err != nil {
		return of, err
	}
	of.scan = o.Scan
	of.open, err = k.album.shown(ctx)

	return of, err
}

// Bill is the current state of a bill of lading.
func (k *Papers) Bill(ctx context.Context, of item.Ref, o document.Options) (document.Model, error) {
	b, err := k.read(ctx, of.UUID, o)

	return b.billModel(), err
}

// Proof is the proof of delivery of a bill of lading. Error: document.ErrNotThere before the delivery is signed.
func (k *Papers) Proof(ctx context.Context, of item.Ref, o document.Options) (document.Model, error) {
	b, err := k.read(ctx, of.UUID, o)
	if err == nil && b.bill.DeliveryAt == nil {
		err = document.ErrNotThere.WithMessage("The vehicles were not delivered yet. There is a proof of delivery once the receiver has signed the bill of lading.")
	}

	return b.proofModel(), err
}

// Condition is how one vehicle was found when it changed hands.
func (k *Papers) Condition(ctx context.Context, of item.Ref, o document.Options) (document.Model, error) {
	i, err := k.inspections.Find(ctx, of.UUID)
	if err != nil {
		return document.Model{}, err
	}
	b, err := k.read(ctx, i.BOL, o)

	return b.conditionModel(i.Vehicle, i.Stage), err
}

// Shelf lists the papers of the area.
type Shelf struct {
	bols  *resource.Resource[store.Bol]
	rows  *store.Repository
	files attachmentsapi.Files
}

// NewShelf returns a Shelf.
func NewShelf(bols *resource.Resource[store.Bol], rows *store.Repository, f attachmentsapi.Files) *Shelf {
	return &Shelf{bols, rows, f}
}

// Papers are the bills of lading of a load as they were signed, with the proofs of delivery. Customers see them, and of carriers the one that has carried the vehicles.
func (s *Shelf) Papers(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	bills, err := s.bills(ctx, of)
	if err != nil {
		return nil, err
	}
	var all []document.Paper
	titles := map[string]string{}
	var ids []string
	for _, b := range bills {
		for at, file := range map[store.Stage]*uuid.UUID{store.AtPickup: b.PickupFile, store.AtDelivery: b.DeliveryFile} {
			if file != nil {
				titles[file.String()] = "Bill of lading " + b.Number + ", " + string(at)
				ids = append(ids, file.String())
			}
		}
	}
	files, err := s.files.Find(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, b := range bills {
		for _, id := range []*uuid.UUID{b.PickupFile, b.DeliveryFile} {
			if id == nil || !files[id.String()].Ready() {
				continue
			}
			all = append(all, shared(b, document.Paper{UUID: *id, Kind: Bill, Title: titles[id.String()], CreatedAt: files[id.String()].CreatedAt}))
		}
		if b.DeliveryAt != nil {
			all = append(all, shared(b, document.Paper{Kind: Proof, Title: "Proof of delivery " + b.Number, CreatedAt: *b.DeliveryAt, Path: pathOf(b.ID) + "/pod"}))
		}
	}

	return all, nil
}

func (s *Shelf) bills(ctx context.Context, of item.Ref) ([]store.Bol, error) {
	if of.Type == loadsapi.Load {
		return s.rows.Issued(ctx, of.UUID)
	}

	return s.bols.FindSome(ctx, []uuid.UUID{of.UUID})
}

// shared is a paper of a bill of lading for its parties.
func shared(b store.Bol, p document.Paper) document.Paper {
	p.Visibility, p.Carrier, p.Of = document.Public, b.CarrierID.String(), item.Ref{Type: billsofladingapi.BOL, UUID: b.ID}

	return p
}

func pathOf(bol uuid.UUID) string { return "/bills_of_lading/api/v1/bols/" + bol.String() }
