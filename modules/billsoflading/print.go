package billsoflading

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

func printRoutes(r *web.Router, k *book) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/pdf", ID: "download_bol", Access: web.Read, Summary: "Download a bill of lading as PDF",
		Description: "As it is now: the vehicles, what was found at the pickup and at the delivery, the signatures, and what was amended.", Errors: []*errs.Error{k.bols.NotFound()},
		Produces: []string{mediaPDF},
	}, func(ctx context.Context, in *oneInput) (*stream.Stream, error) {
		b, err := k.bols.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}

		return k.download(ctx, b)
	})
}

func (k *book) download(ctx context.Context, b bol) (*stream.Stream, error) {
	file, err := k.print(ctx, b, "")
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment(b.Number + ".pdf").Sized(int64(len(file))), nil
}

// print prints a bill of lading. The same content is printed to the same bytes. Whoever scans its QR code reads it at an address; "" for none.
func (k *book) print(ctx context.Context, b bol, scan string) ([]byte, error) {
	s, err := k.show(ctx, b)
	if err != nil {
		return nil, err
	}
	brand, err := k.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	company, err := k.brands.Identity(ctx)
	if err != nil {
		return nil, err
	}
	load, err := k.standings.Standing(ctx, b.Load.String())
	if errors.Is(err, loadsapi.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	d := paper.Document{
		Title: "Bill of lading", Number: b.Number, Scan: scan, ScanText: "Read this bill of lading as it is now, with its photos where the company shows them.", Date: b.CreatedAt.In(page.Zone(b.zone(atPickup))).Format("January 2, 2006"), Created: b.CreatedAt,
		Facts: []paper.Fact{
			{Name: "Broker", Text: below(append(append([]string{cmp.Or(company.LegalName, brand.Name)}, company.Address...), labeled("USDOT ", company.USDOT), company.Docket)...)},
			{Name: "Load", Text: load.Number},
			{Name: "Carrier", Text: below(s.Carrier.Name, labeled("USDOT ", s.Carrier.USDOT), s.Carrier.Docket)},
			{Name: "Consignor (origin)", Text: s.Consignor.text()},
			{Name: "Consignee (destination)", Text: s.Consignee.text()},
			{Name: "Number of vehicles", Text: strconv.Itoa(len(s.Vehicles))},
		},
	}
	for i, v := range s.Vehicles {
		name := "Vehicle " + strconv.Itoa(i+1) + ": " + v.Vehicle.text()
		d.Columns = append(d.Columns, paper.Columns{Name: name, Left: found("At the pickup", v.Pickup), Right: found("At the delivery", v.Delivery)})
	}
	for _, one := range s.Signatures {
		d.Signatures = append(d.Signatures, paper.Signature{Name: map[stage]string{atPickup: "Pickup", atDelivery: "Delivery"}[one.Stage], Text: one.text() + "\n" + one.Statement, Strokes: one.Strokes})
	}
	for _, a := range s.Amendments {
		d.Last = append(d.Last, paper.Fact{Name: "Amended on " + page.Moment(a.At, page.Zone(b.zone(atPickup))), Text: a.Text + "\nWhy: " + a.Reason})
	}
	if index, err := k.photoIndex(ctx, b); err != nil {
		return nil, err
	} else if index != "" {
		d.Last = append(d.Last, paper.Fact{Name: "Photos, with the SHA-256 of each file", Text: index})
	}
	if s.Terms != "" {
		d.Last = append(d.Last, paper.Fact{Name: "Terms", Text: s.Terms})
	}

	return paper.Print(d)
}

// photoIndex lists the photos of a bill of lading, so that each can be proved to be the one that was taken.
func (k *book) photoIndex(ctx context.Context, b bol) (string, error) {
	photos, err := k.rows.photosOf(ctx, b.ID)
	var all []string
	for _, p := range photos {
		car, err := b.vehicle(p.Vehicle)
		if err != nil {
			continue
		}
		text := string(p.Stage) + ", " + car.text() + ", " + words(p.Subject)
		if p.TakenAt != nil {
			text += ", " + page.Moment(*p.TakenAt, page.Zone(b.zone(p.Stage)))
		}
		all = append(all, text+"\n"+p.SHA256)
	}

	return strings.Join(all, "\n"), err
}

func found(title string, i *inspectedShown) string {
	lines := append([]string{title}, i.lines()...)
	if i == nil {
		lines = append(lines, "Not inspected yet")
	}

	return strings.Join(lines, "\n")
}

// text is a party as people read it.
func (p party) text() string {
	lines := append(append([]string{p.Name}, p.Address...), p.place())
	if p.Contact != "" && p.Contact != p.Name {
		lines = append(lines, p.Contact)
	}

	return strings.TrimSpace(strings.Join(append(lines, p.Phones...), "\n"))
}

// below are texts below each other, without empty ones.
func below(texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }), "\n")
}

func labeled(label, text string) string {
	if text == "" {
		return ""
	}

	return label + text
}

// printing is the job that keeps a bill of lading as it was signed.
type printing struct {
	BOL   uuid.UUID `json:"bol"`
	Stage stage     `json:"stage"`
}

// Kind implements jobs.Args.
func (printing) Kind() string { return "bills_of_lading.render" }

// render keeps the PDF of a bill of lading as it was signed, and the photos, which can be deleted no more. After the delivery, it is closed.
func (k *book) render(ctx context.Context, args printing) error {
	b, err := k.bols.Find(ctx, args.BOL)
	if err != nil {
		return err
	}
	scan, err := k.scanOf(ctx, b)
	if err != nil {
		return err
	}
	file, err := k.print(ctx, b, scan)
	if err != nil {
		return err
	}
	stored, err := k.files.Put(ctx, attachmentsapi.NewFile{
		UUID: uuid.NewSHA1(b.ID, []byte(args.Stage)).String(), OwnerType: billsofladingapi.BOL, OwnerUUID: b.ID.String(), Category: "bill_of_lading",
		Visibility: attachmentsapi.Customer, Title: b.Number, FileName: b.Number + "-" + string(args.Stage) + ".pdf",
	}, bytes.NewReader(file))
	if err != nil {
		return err
	}
	photos, err := k.rows.photosOf(ctx, b.ID)
	if err != nil {
		return err
	}

	return k.db.InTx(ctx, func(ctx context.Context) error {
		for _, p := range photos {
			if err := k.holds.Hold(ctx, p.Attachment.String(), billsofladingapi.BOL, b.ID.String()); err != nil {
				return err
			}
		}
		if err := k.holds.Hold(ctx, stored.UUID, billsofladingapi.BOL, b.ID.String()); err != nil {
			return err
		}

		return k.printed(ctx, b, args.Stage, stored.UUID)
	})
}

// scanOf is where whoever has the paper reads a bill of lading, "" if the service does not know its own address.
func (k *book) scanOf(ctx context.Context, b bol) (string, error) {
	if !k.given.KnowsAddress() {
		return "", nil
	}
	given, err := k.giveViewing(ctx, b.ID)
	if err != nil {
		return "", err
	}
	made, err := k.given.Give(ctx, given, share.Create{})

	return made.URL, err
}

// printed keeps where the PDF of a stage is.
func (k *book) printed(ctx context.Context, b bol, at stage, file string) error {
	id, err := uuid.Parse(file)
	if err != nil {
		return err
	}
	verb := verbPrint
	if at == atDelivery && b.State == deliverySigned {
		verb = verbClose
	}
	known := false
	if _, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, verb, func(ctx context.Context, b *bol) error {
		if at == atPickup {
			known = b.PickupFile != nil
			b.PickupFile = &id

			return nil
		}
		known = b.DeliveryFile != nil
		b.DeliveryFile = &id
		if verb != verbClose {
			return nil
		}

		return k.bols.Step(ctx, b, state.Move{Verb: string(verbClose)})
	}); err != nil || known {
		return err
	}

	ready := billsofladingapi.DocumentReady{About: b.about(), Stage: string(at), Stop: b.PickupStop.String(), Attachment: file}
	if at == atDelivery {
		ready.Stop = b.DeliveryStop.String()
	}
	all, err := k.rows.signaturesOf(ctx, b.ID)
	for _, s := range all {
		if s.Stage == at && s.Role != driver {
			ready.Signer = s.Name
		}
	}
	if err != nil {
		return err
	}

	return k.bus.Publish(ctx, ready)
}
