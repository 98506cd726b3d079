// Package archive files the PDFs of bills of lading as they were signed, and keeps what was signed from being deleted.
package archive

import (
	"bytes"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/billlink"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/printing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Filer files the PDFs of bills of lading as they were signed.
type Filer struct {
	bols    *resource.Resource[store.Bol]
	printer *document.Printer
	links   *billlink.Links
	files   attachmentsapi.Files
	archive *Archive
}

// NewFiler returns a Filer.
func NewFiler(bols *resource.Resource[store.Bol], p *document.Printer, l *billlink.Links, f attachmentsapi.Files, a *Archive) *Filer {
	return &Filer{bols, p, l, f, a}
}

// Render files the PDF of a bill of lading as it was signed at a stage.
func (k *Filer) Render(ctx context.Context, args store.Rendering) error {
	b, err := k.bols.Find(ctx, args.BOL)
	if err != nil {
		return err
	}
	scan, err := k.links.Code(ctx, b)
	if err != nil {
		return err
	}
	file, _, err := k.printer.Print(ctx, printing.Bill, item.Ref{Type: billsofladingapi.BOL, UUID: b.ID}, document.Options{Scan: scan})
	if err != nil {
		return err
	}
	stored, err := k.files.Put(ctx, attachmentsapi.NewFile{
		UUID: uuid.NewSHA1(b.ID, []byte(args.Stage)).String(), OwnerType: billsofladingapi.BOL, OwnerUUID: b.ID.String(), Category: "bill_of_lading",
		Visibility: attachmentsapi.Customer, Title: b.Number, FileName: b.Number + "-" + string(args.Stage) + ".pdf",
	}, bytes.NewReader(file.Content))
	if err != nil {
		return err
	}

	return k.archive.keep(ctx, b, args.Stage, stored.UUID)
}

// Archive keeps what was signed: its PDF and photos can no longer be deleted.
type Archive struct {
	bols  *resource.Resource[store.Bol]
	rows  *store.Repository
	holds attachmentsapi.Holds
	bus   *events.Bus
}

// NewArchive returns an Archive.
func NewArchive(bols *resource.Resource[store.Bol], rows *store.Repository, h attachmentsapi.Holds, bus *events.Bus) *Archive {
	return &Archive{bols, rows, h, bus}
}

// keep holds the PDF of a stage and all photos. After the delivery, the bill of lading is closed.
func (k *Archive) keep(ctx context.Context, b store.Bol, at store.Stage, file string) error {
	photos, err := k.rows.PhotosOf(ctx, b.ID)
	if err != nil {
		return err
	}

	return k.rows.InTx(ctx, func(ctx context.Context) error {
		for _, p := range photos {
			if err := k.holds.Hold(ctx, p.Attachment.String(), billsofladingapi.BOL, b.ID.String()); err != nil {
				return err
			}
		}
		if err := k.holds.Hold(ctx, file, billsofladingapi.BOL, b.ID.String()); err != nil {
			return err
		}

		return k.filed(ctx, b, at, file)
	})
}

// filed stores where the PDF of a stage is, and publishes it once.
func (k *Archive) filed(ctx context.Context, b store.Bol, at store.Stage, file string) error {
	id, err := uuid.Parse(file)
	if err != nil {
		return err
	}
	verb := store.VerbPrint
	if at == store.AtDelivery && b.State == store.DeliverySigned {
		verb = store.VerbClose
	}
	known := false
	if _, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, verb, func(ctx context.Context, b *store.Bol) error {
		if at == store.AtPickup {
			known = b.PickupFile != nil
			b.PickupFile = &id

			return nil
		}
		known = b.DeliveryFile != nil
		b.DeliveryFile = &id
		if verb != store.VerbClose {
			return nil
		}

		return k.bols.Step(ctx, b, state.Move{Verb: string(store.VerbClose)})
	}); err != nil || known {
		return err
	}
	signatures, err := k.rows.SignaturesOf(ctx, b.ID)
	if err != nil {
		return err
	}

	return k.bus.Publish(ctx, documentReady(b, at, file, signatures))
}

// documentReady is the event of a PDF, with who released or received the vehicles.
func documentReady(b store.Bol, at store.Stage, file string, signatures []store.Signature) billsofladingapi.DocumentReady {
	ready := billsofladingapi.DocumentReady{About: b.About(), Stage: string(at), Stop: b.PickupStop.String(), Attachment: file}
	if at == store.AtDelivery {
		ready.Stop = b.DeliveryStop.String()
	}
	for _, s := range signatures {
		if s.Stage == at && s.Role != store.Driver {
			ready.Signer = s.Name
		}
	}

	return ready
}
