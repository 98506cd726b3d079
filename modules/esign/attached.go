package esign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// attached refuses attachments that could not be signed.
func (s *envelopes) attached(ctx context.Context, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	files, err := s.filesOf(ctx, ids)
	if err != nil {
		return err
	}
	wrong, total := errInvalid, int64(0)
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

func (s *envelopes) filesOf(ctx context.Context, ids []uuid.UUID) (map[string]attachmentsapi.File, error) {
	who, _ := principal.From(ctx)
	if !who.Allows(attachmentsapi.Area + ":read") {
		return nil, errFiles
	}
	if len(ids) > mostAttachments {
		return nil, errInvalid.WithField("attachments", fmt.Sprintf("The attachments must be at most %d.", mostAttachments))
	}
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, id.String())
	}

	return s.files.Find(ctx, names...)
}

// hold keeps the attachments of an envelope from being changed while they are under signature, and notes what they are.
func (s *envelopes) hold(ctx context.Context, row *envelope) error {
	if len(row.Content.Attachments) == 0 {
		return nil
	}
	if err := s.attached(ctx, row.Content.Attachments); err != nil {
		return err
	}
	for i, id := range row.Content.Attachments {
		err := s.holds.Hold(ctx, id.String(), envelopeItem, row.ID.String())
		if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.NotFound {
			return errInvalid.WithField(fmt.Sprintf("attachments.%d", i), "There is no such attachment.")
		}
		if err != nil {
			return err
		}
	}
	files, err := s.filesOf(ctx, row.Content.Attachments) // as they are now that nobody changes them
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
func (s *envelopes) release(ctx context.Context, row envelope) error {
	for _, id := range row.Content.Attachments {
		if err := s.holds.Release(ctx, id.String(), envelopeItem, row.ID.String()); err != nil {
			return err
		}
	}

	return nil
}
