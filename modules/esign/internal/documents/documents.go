// Package documents fetches the documents of completed envelopes, with the values that were signed, and keeps them as attachments.
package documents

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Where the documents of a completed envelope are.
const (
	DocumentsWanted = "wanted"
	DocumentsStored = "stored"
	DocumentsFailed = "failed"
)

// The categories of the attachments.
const (
	CategorySigned      = "esign_signed"
	CategoryCertificate = "esign_certificate"
)

// FetchTime is how long the job may take.
const FetchTime = 9 * time.Minute

// FetchDocuments is the job that keeps the documents of a completed envelope.
type FetchDocuments struct {
	Company  uuid.UUID `json:"company"`
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (FetchDocuments) Kind() string { return "esign.fetch_documents" }

// Requests has the documents of envelopes fetched, and keeps what became of that.
type Requests struct {
	store *store.Repository
	queue *jobs.Queue
	bus   *events.Bus
	clock clock.Clock
}

// NewRequests returns a Requests.
func NewRequests(r *store.Repository, queue *jobs.Queue, bus *events.Bus, c clock.Clock) *Requests {
	return &Requests{store: r, queue: queue, bus: bus, clock: c}
}

// Request has the documents of an envelope that is completed fetched, once. The envelope is held; it is stored by
// the caller, or was.
func (s *Requests) Request(ctx context.Context, row *store.Envelope) error {
	if row.Documents != "" {
		return nil
	}
	row.Documents = DocumentsWanted
	if err := s.store.SaveDocuments(ctx, row); err != nil {
		return err
	}

	return s.queue.Enqueue(ctx, FetchDocuments{Company: row.CompanyID, Envelope: row.ID}, jobs.Unique())
}

// Archive keeps signed documents.
type Archive struct {
	store    *store.Repository
	vendors  *accounts.Vendors
	requests *Requests
	filing   *Filing
}

// Retry has documents fetched that could not be.
func (s *Requests) Retry(ctx context.Context, id uuid.UUID, check func(version int64) error) (row store.Envelope, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.HeldEnvelope(ctx, id); err != nil {
			return err
		}
		if err := check(row.Version); err != nil {
			return err
		}
		isComplete := row.State == store.Completed || row.State == store.AuthoritativeCopy || row.State == store.TransferCompleted
		if !isComplete || row.Documents == DocumentsStored && row.DocumentsProblem == "" {
			return store.ErrNoDocument.WithDetail("current", string(row.State)).WithDetail("documents", row.Documents)
		}
		row.Documents, row.DocumentsProblem = "", ""
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.store.SaveEnvelope(ctx, &row); err != nil {
			return err
		}

		return s.Request(ctx, &row)
	})

	return row, err
}

// Fetch stores the signed documents of an envelope as attachments; it does nothing unless they are wanted.
func (s *Archive) Fetch(ctx context.Context, args FetchDocuments) error {
	row, err := s.store.Envelope(ctx, args.Envelope)
	if errors.Is(err, store.ErrEnvelope) || err == nil && (row.Documents != DocumentsWanted || row.ExternalID == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	problem, err := s.fetchFrom(ctx, row)
	if err == nil {
		return s.requests.finish(ctx, row.ID, problem)
	}
	refusal, answered := errors.AsType[*provider.Error](err)
	if answered && refusal.Reason == provider.RateLimited {
		return jobs.Later(max(refusal.RetryAfter, time.Minute))
	}
	attempt, inJob := jobs.Current(ctx)
	if answered && !refusal.Retryable || inJob && attempt.Last {
		if noted := s.requests.fail(ctx, row.ID, explainFailure(err)); noted != nil {
			return noted
		}

		return jobs.Permanent(err)
	}

	return err
}

// explainFailure is why documents could not be stored, for people.
func explainFailure(err error) string {
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		return refusal.Reason.Explain()
	}
	if refusal, ok := errors.AsType[*errs.Error](err); ok {
		return refusal.Message
	}

	return "The documents could not be fetched from the provider, or not be stored."
}

// fetchFrom asks the provider for what was signed. The problem is why the values of tabs are not known, "" if they are.
func (s *Archive) fetchFrom(ctx context.Context, row store.Envelope) (problem string, err error) {
	from, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil {
		return "", err
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return "", err
	}
	if err := s.fetchEach(ctx, open, row); err != nil {
		return "", err
	}

	return s.fetchTabs(ctx, open, row)
}

func (s *Archive) fetchEach(ctx context.Context, open provider.Account, row store.Envelope) error {
	for _, kind := range []provider.Document{provider.Combined, provider.Certificate} {
		d, err := s.requests.Reserve(ctx, row.ID, kind)
		if err != nil {
			return err
		}
		if d.SHA256 != "" {
			continue
		}
		if err := s.filing.fetch(ctx, open, row, d); err != nil {
			return fmt.Errorf("document %s: %w", kind, err)
		}
	}

	return nil
}

// Reserve returns the row of a document, made before the document is fetched: the attachment's id is chosen then, so a
// run after one that died in between stores no second file.
func (s *Requests) Reserve(ctx context.Context, envelope uuid.UUID, kind provider.Document) (row store.Document, err error) {
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.store.HeldEnvelope(ctx, envelope); err != nil {
			return err
		}
		if row, err = s.store.Document(ctx, envelope, kind); !errors.Is(err, store.ErrNoDocument) {
			return err
		}
		row = store.Document{ID: database.NewID(), EnvelopeID: envelope, Kind: kind, AttachmentID: database.NewID(), CreatedAt: s.clock.Now()}

		return s.store.Insert(ctx, &row)
	})

	return row, err
}

// fetch stores one document.
func (s *Filing) fetch(ctx context.Context, open provider.Account, row store.Envelope, d store.Document) error {
	content, err := open.Document(ctx, *row.ExternalID, d.Kind)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() //nolint:errcheck // it was read
	sum := sha256.New()
	reader := bufio.NewReader(io.TeeReader(&limitedReader{content, s.maxBytes}, sum))
	if head, err := reader.Peek(5); err != nil || string(head) != "%PDF-" {
		return fmt.Errorf("%w: %w", ErrNoPDF, err)
	}
	file, read, err := s.storeFile(ctx, row, d, reader)
	if err != nil {
		return err
	}
	if read && hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
		return errChanged
	}
	d.SHA256, d.Size = file.SHA256, file.Size

	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		if err := s.holds.Hold(ctx, file.UUID, store.EnvelopeItem, row.ID.String()); err != nil {
			return err
		}

		return s.store.SaveDocument(ctx, &d)
	})
}

var (
	// ErrNoPDF says that what the provider sent is no PDF.
	ErrNoPDF   = errors.New("esign: the provider sent a document that is not a PDF")
	errChanged = errors.New("esign: the stored document differs from the one that the provider sent")
)

// storeFile stores a document with its item, or with the envelope where there is none, or none any more. It reports whether the
// content was read: it is not where the file is there.
func (s *Filing) storeFile(ctx context.Context, row store.Envelope, d store.Document, content *bufio.Reader) (attachmentsapi.File, bool, error) {
	there, err := s.files.Find(ctx, d.AttachmentID.String())
	if err != nil {
		return attachmentsapi.File{}, false, err
	}
	if file, ok := there[d.AttachmentID.String()]; ok {
		return file, false, nil
	}
	n := attachmentsapi.NewFile{
		UUID: d.AttachmentID.String(), OwnerType: store.EnvelopeItem, OwnerUUID: row.ID.String(), Category: CategorySigned, Visibility: attachmentsapi.Internal,
		Title: store.Clip(row.Subject, 150) + " (signed)", FileName: "signed-" + row.ID.String() + ".pdf",
	}
	if d.Kind == provider.Certificate {
		n.Category, n.Title, n.FileName = CategoryCertificate, store.Clip(row.Subject, 150)+" (certificate)", "certificate-"+row.ID.String()+".pdf"
	}
	if about := row.ItemRef(); row.ItemID != nil {
		if missing, err := s.items.Exists(ctx, about); err == nil && len(missing) == 0 {
			n.OwnerType, n.OwnerUUID = about.Type, about.UUID.String()
		}
	}
	file, err := s.files.Put(ctx, n, content)

	return file, true, err
}

// limitedReader fails where there is more than there may be.
type limitedReader struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (b *limitedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooLarge
	}

	return n, err
}

// ErrTooLarge says that a document is larger than modules.esign.max_document.
var ErrTooLarge = errors.New("esign: the document is larger than modules.esign.max_document")

// finish says that all documents are stored, and with which problem besides.
func (s *Requests) finish(ctx context.Context, id uuid.UUID, problem string) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.HeldEnvelope(ctx, id)
		if err != nil || row.Documents != DocumentsWanted {
			return err
		}
		rows, err := s.store.Documents(ctx, id)
		if err != nil {
			return err
		}
		stored := map[string]string{}
		for _, d := range rows {
			stored[string(d.Kind)] = d.AttachmentID.String()
		}
		people, err := s.store.SignedRecipients(ctx, id)
		if err != nil {
			return err
		}
		row.Documents, row.DocumentsProblem = DocumentsStored, store.Clip(problem, 1000)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.store.SaveEnvelope(ctx, &row); err != nil {
			return err
		}

		return s.bus.Publish(ctx, esignapi.DocumentsStored{About: row.EventAbout(), Attachments: stored, Tabs: VisibleTabs(people, false)})
	})
}

func (s *Requests) fail(ctx context.Context, id uuid.UUID, problem string) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.HeldEnvelope(ctx, id)
		if err != nil || row.Documents != DocumentsWanted {
			return err
		}
		row.Documents, row.DocumentsProblem = DocumentsFailed, store.Clip(problem, 1000)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.store.SaveEnvelope(ctx, &row)
	})
}

// NewArchive returns an Archive.
func NewArchive(r *store.Repository, v *accounts.Vendors, q *Requests, f *Filing) *Archive {
	return &Archive{store: r, vendors: v, requests: q, filing: f}
}

// Filing keeps documents as attachments.
type Filing struct {
	store    *store.Repository
	files    attachmentsapi.Files
	holds    attachmentsapi.Holds
	items    *item.Registry
	maxBytes int64 // bytes of a document
}

// NewFiling returns a Filing.
func NewFiling(r *store.Repository, files attachmentsapi.Files, holds attachmentsapi.Holds, items *item.Registry, s settings.Settings) *Filing {
	return &Filing{store: r, files: files, holds: holds, items: items, maxBytes: int64(s.MaxDocument)}
}
