package making

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/modules/documents/internal/templates"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// PacketKind is the kind of papers that head packets: documents and attachments in one PDF.
const PacketKind = "packet"

// Packets makes packets.
type Packets struct {
	book     *Book
	subjects *Subjects
	chooser  *templates.Chooser
	files    attachmentsapi.Files
	db       *database.DB
}

// NewPackets returns Packets.
func NewPackets(b *Book, s *Subjects, c *templates.Chooser, f attachmentsapi.Files, db *database.DB) *Packets {
	return &Packets{b, s, c, f, db}
}

// PartInput is something to put into a packet.
type PartInput struct {
	Document   *uuid.UUID `json:"document_uuid,omitempty"`
	Attachment *uuid.UUID `json:"attachment_uuid,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (PartInput) SchemaName() string { return "DocumentPartInput" }

type packetInput struct {
	Body struct {
		Title      string      `json:"title,omitempty" maxLength:"200" doc:"The title of its first page." example:"Delivery of load L-2026-00012"`
		Item       item.Ref    `json:"item" doc:"What it is for, such as a load."`
		Visibility string      `json:"visibility,omitempty" enum:"internal,customer,carrier,public" doc:"By default internal."`
		Parts      []PartInput `json:"parts" minItems:"1" maxItems:"40" nullable:"false" doc:"In their order: documents and attachments (PDF, JPEG, PNG)."`
	}
}

// PacketRoutes registers the operation that makes packets.
func PacketRoutes(r *web.Router, p *Packets) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets", ID: "create_packet", Access: web.Write, Summary: "Make one PDF of documents and attachments",
		Description: "A packet is a document of the kind `packet`. Its first page lists what is in it. A file that cannot be read, because it is damaged or needs a password, is listed there, and is in `parts` with its `problem`. All files together have at most 190 pages and 45 MB; those beyond are beside the packet, too.",
		Errors:      append([]*errs.Error{store.ErrInvalid, store.ErrNotReady, store.ErrVoid}, item.Errors...),
	}, p.create)
}

func (p *Packets) create(ctx context.Context, in *packetInput) (*web.Resource[store.Document], error) {
	in.Body.Visibility = cmp.Or(in.Body.Visibility, string(document.Internal))
	row := store.Document{
		Kind: PacketKind, Title: in.Body.Title, Item: resource.Item{Type: in.Body.Item.Type, UUID: in.Body.Item.UUID},
		AboutType: documentsapi.Packet, About: uuid.New(), Visibility: in.Body.Visibility,
	}
	wrong := store.ErrInvalid
	var ids []string
	for i, part := range in.Body.Parts {
		if (part.Document == nil) == (part.Attachment == nil) {
			wrong = wrong.WithField("parts."+strconv.Itoa(i), "A part has either `document_uuid` or `attachment_uuid`.")
		}
		if part.Attachment != nil {
			ids = append(ids, part.Attachment.String())
		}
		row.Parts.V = append(row.Parts.V, store.Part{Document: part.Document, Attachment: part.Attachment})
	}
	if len(ids) > 0 {
		if err := web.RequireScope(ctx, attachmentsapi.Area+":read", "A packet of attachments"); err != nil {
			return nil, err
		}
	}
	hidden, err := p.subjects.Hidden(ctx)
	if err != nil {
		return nil, err
	}
	found, err := p.files.Find(ctx, ids...)
	if err != nil {
		return nil, err
	}
	if err := p.subjects.Exists(ctx, in.Body.Item); errors.Is(err, store.ErrNoItem) {
		wrong = wrong.WithField("item.uuid", "There is no such item.")
	} else if err != nil {
		return nil, err
	}
	for i, part := range in.Body.Parts {
		if part.Attachment != nil && !found[part.Attachment.String()].Ready() {
			wrong = wrong.WithField("parts."+strconv.Itoa(i)+".attachment_uuid", "There is no such attachment that can be read.")
		}
		if part.Document != nil {
			if d, err := p.book.find(ctx, *part.Document); errs.IsRefusal(err) || slices.Contains(hidden, d.Kind) {
				wrong = wrong.WithField("parts."+strconv.Itoa(i)+".document_uuid", "There is no such document.")
			} else if err != nil {
				return nil, err
			}
		}
	}
	for i, part := range row.Parts.V {
		why, err := p.subjects.unmeantPart(ctx, part, document.Visibility(in.Body.Visibility))
		if err != nil {
			return nil, err
		}
		if why != "" {
			wrong = wrong.WithField("parts."+strconv.Itoa(i), why)
		}
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}
	if row.Title == "" {
		row.Title = "Documents"
	}
	err = p.db.InTx(ctx, func(ctx context.Context) error {
		t, err := p.chooser.Default(ctx, PacketKind, "")
		if err != nil {
			return err
		}
		if t != nil {
			row.Template, row.Edition, row.Locale = &t.ID, t.Edition, t.Locale
		}
		row, err = p.book.Enter(ctx, row, func(store.Document) bool { return true })

		return err
	})

	return p.book.answer(ctx, row, err)
}

// Model is the first page of a packet.
func (p *Packets) Model(ctx context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	d, found, err := p.book.about(ctx, PacketKind, of.UUID)
	if err == nil && !found {
		err = document.ErrNotFound
	}

	return packetModel(d), err
}

// ExamplePacket is a packet of invented files.
func ExamplePacket() document.Model {
	return packetModel(store.Document{
		Number: "DOC-2026-00012", Title: "Delivery of load L-2026-00012", Parts: resource.JSON[[]store.Part]{V: []store.Part{
			{Title: "Bill of lading BOL-2026-00012", Pages: 3}, {Title: "scan.pdf", Problem: "The file is protected by a password."},
		}},
	})
}

// packetModel lists what is in a packet, and what is beside it.
func packetModel(d store.Document) document.Model {
	inside := paper.Table{Columns: []paper.Column{{Title: "Document", Weight: 5}, {Title: "Pages", Align: paper.Right}}} //nolint:mnd // shares
	beside := paper.Table{Title: "Not in this file", Columns: []paper.Column{{Title: "Document", Weight: 2}, {Title: "Why", Weight: 3}}}
	pages := 0
	for _, part := range d.Parts.V {
		if part.Problem != "" {
			beside.Rows = append(beside.Rows, paper.Row{Cells: []string{part.Title, part.Problem}})

			continue
		}
		pages += part.Pages
		inside.Rows = append(inside.Rows, paper.Row{Cells: []string{part.Title, strconv.Itoa(part.Pages)}})
	}
	m := document.Model{
		Title: d.Title, Number: d.Number, Created: d.CreatedAt,
		Values: map[string]any{"packet": map[string]any{"title": d.Title, "number": d.Number, "files": len(inside.Rows), "beside": len(beside.Rows), "pages": pages}},
		Parts:  []document.Part{{Name: "contents", Required: true, Blocks: []paper.Block{inside}}},
	}
	if !d.CreatedAt.IsZero() {
		m.Date = d.CreatedAt.UTC().Format("January 2, 2006")
	}
	if len(beside.Rows) > 0 {
		m.Parts = append(m.Parts, document.Part{Name: "beside", Required: true, Blocks: []paper.Block{beside}})
	}

	return m
}
