package esign

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
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Where the documents of a completed envelope are.
const (
	documentsWanted = "wanted"
	documentsStored = "stored"
	documentsFailed = "failed"
)

// The categories of the attachments.
const (
	categorySigned      = "esign_signed"
	categoryCertificate = "esign_certificate"
)

// documentTime is how long the job may take.
const documentTime = 9 * time.Minute

// fetchDocuments is the job that keeps the documents of a completed envelope.
type fetchDocuments struct {
	Company  uuid.UUID `json:"company"`
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (fetchDocuments) Kind() string { return "esign.fetch_documents" }

// wantDocuments has the documents of an envelope that is completed fetched, once. The envelope is held; it is stored by
// the caller, or was.
func (s *core) wantDocuments(ctx context.Context, row *envelope) error {
	if row.Documents != "" {
		return nil
	}
	row.Documents = documentsWanted
	if err := s.saveDocuments(ctx, row); err != nil {
		return err
	}

	return s.queue.Enqueue(ctx, fetchDocuments{Company: row.CompanyID, Envelope: row.ID}, jobs.Unique())
}

// archive keeps signed documents.
type archive struct {
	*core

	files attachmentsapi.Files
	holds attachmentsapi.Holds
}

func newArchive(c *core, files attachmentsapi.Files, holds attachmentsapi.Holds) *archive {
	return &archive{core: c, files: files, holds: holds}
}

// retry has documents fetched that could not be.
func (s *archive) retry(ctx context.Context, id uuid.UUID, check func(version int64) error) (row envelope, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldEnvelope(ctx, id); err != nil {
			return err
		}
		if err := check(row.Version); err != nil {
			return err
		}
		isComplete := row.State == completed || row.State == authoritativeCopy || row.State == transferCompleted
		if !isComplete || row.Documents == documentsStored && row.DocumentsProblem == "" {
			return errNoDocument.WithDetail("current", string(row.State)).WithDetail("documents", row.Documents)
		}
		row.Documents, row.DocumentsProblem = "", ""
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.saveEnvelope(ctx, &row); err != nil {
			return err
		}

		return s.wantDocuments(ctx, &row)
	})

	return row, err
}

// fetchAll does the job.
func (s *archive) fetchAll(ctx context.Context, args fetchDocuments) error {
	row, err := s.envelope(ctx, args.Envelope)
	if errors.Is(err, errEnvelope) || err == nil && (row.Documents != documentsWanted || row.ExternalID == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	problem, err := s.fetchFrom(ctx, row)
	if err == nil {
		return s.finishDocuments(ctx, row.ID, problem)
	}
	refusal, answered := errors.AsType[*provider.Error](err)
	if answered && refusal.Reason == provider.RateLimited {
		return jobs.Later(max(refusal.RetryAfter, time.Minute))
	}
	attempt, inJob := jobs.Current(ctx)
	if answered && !refusal.Retryable || inJob && attempt.Last {
		if noted := s.failDocuments(ctx, row.ID, problemOf(err)); noted != nil {
			return noted
		}

		return jobs.Permanent(err)
	}

	return err
}

// problemOf is why documents could not be stored, for people.
func problemOf(err error) string {
	if refusal, ok := errors.AsType[*provider.Error](err); ok {
		return refusal.Reason.Explain()
	}
	if refusal, ok := errors.AsType[*errs.Error](err); ok {
		return refusal.Message
	}

	return "The documents could not be fetched from the provider, or not be stored."
}

// fetchFrom asks the provider for what was signed. The problem is why the values of tabs are not known, "" if they are.
func (s *archive) fetchFrom(ctx context.Context, row envelope) (problem string, err error) {
	from, err := s.accounts.One(ctx, row.AccountID)
	if err != nil {
		return "", err
	}
	open, err := s.vendors.dial(ctx, from)
	if err != nil {
		return "", err
	}
	if err := s.fetchEach(ctx, open, row); err != nil {
		return "", err
	}

	return s.fetchTabs(ctx, open, row)
}

func (s *archive) fetchEach(ctx context.Context, open provider.Account, row envelope) error {
	for _, kind := range []provider.Document{provider.Combined, provider.Certificate} {
		d, err := s.place(ctx, row.ID, kind)
		if err != nil {
			return err
		}
		if d.SHA256 != "" {
			continue
		}
		if err := s.fetch(ctx, open, row, d); err != nil {
			return fmt.Errorf("document %s: %w", kind, err)
		}
	}

	return nil
}

// place returns the row of a document, made before the document is fetched: the attachment's id is chosen then, so a
// run after one that died in between stores no second file.
func (s *archive) place(ctx context.Context, envelope uuid.UUID, kind provider.Document) (row document, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.heldEnvelope(ctx, envelope); err != nil {
			return err
		}
		if row, err = s.document(ctx, envelope, kind); !errors.Is(err, errNoDocument) {
			return err
		}
		row = document{ID: database.NewID(), EnvelopeID: envelope, Kind: kind, AttachmentID: database.NewID(), CreatedAt: s.clock.Now()}

		return s.insert(ctx, &row)
	})

	return row, err
}

// fetch stores one document.
func (s *archive) fetch(ctx context.Context, open provider.Account, row envelope, d document) error {
	content, err := open.Document(ctx, *row.ExternalID, d.Kind)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() //nolint:errcheck // it was read
	sum := sha256.New()
	reader := bufio.NewReader(io.TeeReader(&bounded{content, int64(s.settings.MaxDocument)}, sum))
	if head, err := reader.Peek(5); err != nil || string(head) != "%PDF-" {
		return fmt.Errorf("%w: %w", errNoPDF, err)
	}
	file, read, err := s.put(ctx, row, d, reader)
	if err != nil {
		return err
	}
	if read && hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
		return errChanged
	}
	d.SHA256, d.Size = file.SHA256, file.Size

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.holds.Hold(ctx, file.UUID, envelopeItem, row.ID.String()); err != nil {
			return err
		}

		return s.saveDocument(ctx, &d)
	})
}

var (
	errNoPDF   = errors.New("esign: what the provider sent is no PDF")
	errChanged = errors.New("esign: what was stored is not what the provider sent")
)

// put stores a document with its item, or with the envelope where there is none, or none any more. It reports whether the
// content was read: it is not where the file is there.
func (s *archive) put(ctx context.Context, row envelope, d document, content *bufio.Reader) (attachmentsapi.File, bool, error) {
	there, err := s.files.Find(ctx, d.AttachmentID.String())
	if err != nil {
		return attachmentsapi.File{}, false, err
	}
	if file, ok := there[d.AttachmentID.String()]; ok {
		return file, false, nil
	}
	n := attachmentsapi.NewFile{
		UUID: d.AttachmentID.String(), OwnerType: envelopeItem, OwnerUUID: row.ID.String(), Category: categorySigned, Visibility: attachmentsapi.Internal,
		Title: clipTo(row.Subject, 150) + " (signed)", FileName: "signed-" + row.ID.String() + ".pdf",
	}
	if d.Kind == provider.Certificate {
		n.Category, n.Title, n.FileName = categoryCertificate, clipTo(row.Subject, 150)+" (certificate)", "certificate-"+row.ID.String()+".pdf"
	}
	if about := row.ref(); row.ItemID != nil {
		if missing, err := s.items.Exists(ctx, about); err == nil && len(missing) == 0 {
			n.OwnerType, n.OwnerUUID = about.Type, about.UUID.String()
		}
	}
	file, err := s.files.Put(ctx, n, content)

	return file, true, err
}

// bounded fails where there is more than there may be.
type bounded struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}

	return n, err
}

var errTooLarge = errors.New("esign: the document is larger than modules.esign.max_document")

// finishDocuments says that all documents are stored, and with which problem besides.
func (s *archive) finishDocuments(ctx context.Context, id uuid.UUID, problem string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.heldEnvelope(ctx, id)
		if err != nil || row.Documents != documentsWanted {
			return err
		}
		rows, err := s.documents(ctx, id)
		if err != nil {
			return err
		}
		stored := map[string]string{}
		for _, d := range rows {
			stored[string(d.Kind)] = d.AttachmentID.String()
		}
		people, err := s.signedRecipients(ctx, id)
		if err != nil {
			return err
		}
		row.Documents, row.DocumentsProblem = documentsStored, clipTo(problem, 1000)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()
		if err := s.saveEnvelope(ctx, &row); err != nil {
			return err
		}

		return s.bus.Publish(ctx, esignapi.DocumentsStored{About: row.about(), Attachments: stored, Tabs: contractTabs(people, false)})
	})
}

func (s *archive) failDocuments(ctx context.Context, id uuid.UUID, problem string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.heldEnvelope(ctx, id)
		if err != nil || row.Documents != documentsWanted {
			return err
		}
		row.Documents, row.DocumentsProblem = documentsFailed, clipTo(problem, 1000)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveEnvelope(ctx, &row)
	})
}
