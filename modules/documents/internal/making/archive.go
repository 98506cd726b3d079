package making

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/pdfjoin"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Archive files what was printed: in attachments, which are held as long as the document is retained.
type Archive struct {
	rows  *resource.Resource[store.Document]
	files attachmentsapi.Files
	holds attachmentsapi.Holds
	bus   *events.Bus
	db    *database.DB
}

// NewArchive returns an Archive.
func NewArchive(rows *resource.Resource[store.Document], f attachmentsapi.Files, h attachmentsapi.Holds, bus *events.Bus, db *database.DB) *Archive {
	return &Archive{rows, f, h, bus, db}
}

// find returns a document. Error: documents.document_not_found.
func (a *Archive) find(ctx context.Context, id uuid.UUID) (store.Document, error) {
	return a.rows.Find(ctx, id)
}

// put stores a file of a document. Putting it again stores nothing: an attempt that was broken off is repeated with the same id.
func (a *Archive) put(ctx context.Context, d store.Document, what, name string, content []byte, types ...string) (attachmentsapi.File, error) {
	return a.files.Put(ctx, attachmentsapi.NewFile{
		UUID: uuid.NewSHA1(d.ID, []byte(what)).String(), OwnerType: documentsapi.Document, OwnerUUID: d.ID.String(), Category: "document",
		Visibility: attachmentsapi.Internal, Title: strings.TrimSpace(d.Title + " " + d.Number), FileName: name, Types: types,
	}, bytes.NewReader(content))
}

// file stores the PDF and the HTML of a document, and makes it ready.
func (a *Archive) file(ctx context.Context, d store.Document, made printed) error {
	pdf, err := a.put(ctx, d, "pdf", made.file.Name, made.file.Content, mediaPDF)
	if err != nil {
		return err
	}
	html, err := a.put(ctx, d, "html", strings.TrimSuffix(made.file.Name, ".pdf")+".html", []byte(made.html), "text/html")
	if err != nil {
		return err
	}
	values, err := snapshot(made.model)
	if err != nil {
		return err
	}

	return a.db.InTx(ctx, func(ctx context.Context) error {
		_, err := a.rows.Change(ctx, d.ID, web.IfMatch{}, store.VerbPrint, func(ctx context.Context, d *store.Document) error {
			d.Attachment, d.Page = idOf(pdf.UUID), idOf(html.UUID)
			d.SHA256, d.Bytes, d.Pages = pdf.SHA256, pdf.Size, made.pages
			d.Warnings.V, d.Snapshot = made.warnings, resource.JSON[json.RawMessage]{V: values}

			return a.rows.Step(ctx, d, state.Move{Verb: string(store.VerbPrint)})
		})
		if err != nil {
			return err
		}

		return errors.Join(a.holds.Hold(ctx, pdf.UUID, documentsapi.Document, d.ID.String()), a.holds.Hold(ctx, html.UUID, documentsapi.Document, d.ID.String()))
	})
}

// note stores what was found of the parts of a packet, which its first page lists.
func (a *Archive) note(ctx context.Context, d store.Document, parts []store.Part) error {
	_, err := a.rows.Change(ctx, d.ID, web.IfMatch{}, store.VerbGather, func(_ context.Context, d *store.Document) error {
		d.Parts.V = parts

		return nil
	})

	return err
}

// fail ends a document that cannot be printed.
func (a *Archive) fail(ctx context.Context, d store.Document, why error) error {
	problem := "The service could not print it. Make it again."
	if refusal, is := errors.AsType[*errs.Error](why); is && errs.IsRefusal(why) {
		problem = refusal.Message
		if text, is := refusal.Details["problem"].(string); is {
			problem += " " + text
		}
	}

	told := failed(d, why)

	return a.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := a.rows.Change(ctx, d.ID, web.IfMatch{}, store.VerbFail, func(ctx context.Context, d *store.Document) error {
			d.Problem, d.ProblemCode = problem, told.Code

			return a.rows.Step(ctx, d, state.Move{Verb: string(store.VerbFail), Reason: problem})
		}); err != nil {
			return err
		}

		return a.bus.Publish(ctx, told)
	})
}

// Stamp is the job that stamps the PDF of a void document.
type Stamp struct {
	Document uuid.UUID `json:"document"`
}

// Kind implements jobs.Args.
func (Stamp) Kind() string { return "documents.stamp" }

// Stamp files the PDF of a void document with a stamp on each page. What was filed before stays.
func (a *Archive) Stamp(ctx context.Context, args Stamp) error {
	d, err := a.rows.Find(ctx, args.Document)
	if err != nil || d.State != store.Void || d.Stamped != nil || d.Attachment == nil {
		return err
	}
	content, file, err := readAll(ctx, a.files, *d.Attachment)
	if err != nil {
		return err
	}
	stamped, err := pdfjoin.Stamp(ctx, content, "VOID")
	if err != nil {
		return err
	}
	stored, err := a.put(ctx, d, "void", "void-"+file.FileName, stamped, mediaPDF)
	if err != nil {
		return err
	}
	_, err = a.rows.Change(ctx, d.ID, web.IfMatch{}, store.VerbStamp, func(_ context.Context, d *store.Document) error {
		d.Stamped = idOf(stored.UUID)

		return nil
	})

	return err
}

// ReleaseEvery is how often documents are released whose time is over.
const ReleaseEvery = 24 * time.Hour

// ReleaseAll is the job that releases the files of documents of all companies that are no longer retained.
type ReleaseAll struct{}

// Kind implements jobs.Args.
func (ReleaseAll) Kind() string { return "documents.release" }
