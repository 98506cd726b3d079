package envelopes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// checkFiles refuses attachments that could not be signed.
func (s *Holdings) checkFiles(ctx context.Context, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	files, err := s.readFiles(ctx, ids)
	if err != nil {
		return err
	}
	wrong, total := store.ErrInvalid, int64(0)
	seen := map[uuid.UUID]bool{}
	for i, id := range ids {
		file, ok := files[id.String()]
		field := fmt.Sprintf("attachments.%d", i)
		total += file.Size
		switch {
		case !ok:
			wrong = wrong.WithField(field, "There is no such attachment.")
		case seen[id]:
			wrong = wrong.WithField(field, "The attachment is there twice.")
		case file.State != "ready":
			wrong = wrong.WithField(field, "The attachment cannot be read: it is "+file.State+".")
		case !slices.Contains(s.settings.DocumentTypes, file.MediaType):
			wrong = wrong.WithField(field, "Files of the type "+file.MediaType+" cannot be signed: make it a PDF.")
		}
		seen[id] = true
	}
	if total > int64(s.settings.MaxFiles) {
		wrong = wrong.WithField("attachments", fmt.Sprintf("The attachments must have at most %d bytes together; they have %d.", s.settings.MaxFiles, total))
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

func (s *Holdings) readFiles(ctx context.Context, ids []uuid.UUID) (map[string]attachmentsapi.File, error) {
	who, _ := principal.From(ctx)
	if !who.Allows(attachmentsapi.Area + ":read") {
		return nil, principal.Lacks(attachmentsapi.Area + ":read")
	}
	if len(ids) > mostAttachments {
		return nil, store.ErrInvalid.WithField("attachments", fmt.Sprintf("The attachments must be at most %d.", mostAttachments))
	}
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, id.String())
	}

	return s.files.Find(ctx, names...)
}

// hold keeps the attachments of an envelope from being changed while they are under signature, and notes what they are.
func (s *Holdings) hold(ctx context.Context, row *store.Envelope) error {
	if len(row.Content.Attachments) == 0 {
		return nil
	}
	if err := s.checkFiles(ctx, row.Content.Attachments); err != nil {
		return err
	}
	for i, id := range row.Content.Attachments {
		err := s.holds.Hold(ctx, id.String(), store.EnvelopeItem, row.ID.String())
		if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.NotFound {
			return store.ErrInvalid.WithField(fmt.Sprintf("attachments.%d", i), "There is no such attachment.")
		}
		if err != nil {
			return err
		}
	}
	files, err := s.readFiles(ctx, row.Content.Attachments) // as they are now that nobody changes them
	if err != nil {
		return err
	}
	row.Content.Sums = map[uuid.UUID]string{}
	for _, id := range row.Content.Attachments {
		row.Content.Sums[id] = files[id.String()].SHA256
	}

	return nil
}

// release lets go of the attachments of an envelope that came to nothing.
func (s *Holdings) release(ctx context.Context, row store.Envelope) error {
	for _, id := range row.Content.Attachments {
		if err := s.holds.Release(ctx, id.String(), store.EnvelopeItem, row.ID.String()); err != nil {
			return err
		}
	}

	return nil
}

// Holdings keeps the files that are under signature.
type Holdings struct {
	db       *database.DB
	store    *store.Repository
	files    attachmentsapi.Files
	holds    attachmentsapi.Holds
	settings settings.Settings
}

// NewHoldings returns a Holdings.
func NewHoldings(r *store.Repository, files attachmentsapi.Files, holds attachmentsapi.Holds, s settings.Settings) *Holdings {
	return &Holdings{db: r.DB, store: r, files: files, holds: holds, settings: s}
}

// ReleaseFilesOf lets go of the attachments of an envelope that ended without being signed.
func (s *Holdings) ReleaseFilesOf(ctx context.Context, about esignapi.About) error {
	id, err := uuid.Parse(about.Envelope)
	if err != nil {
		return jobs.Permanent(err)
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.Envelope(ctx, id)
		if err != nil {
			return err
		}

		return s.release(ctx, row)
	})
}
