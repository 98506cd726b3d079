package incoming

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// mediaCategory is that of the attachments.
const mediaCategory = "sms_media"

// KeepFile is the job that keeps a file of a message from outside as an attachment: links of vendors end, and may ask for
// their credentials.
type KeepFile struct {
	Message uuid.UUID `json:"message"`
	Index   int       `json:"index"`
}

// Kind implements jobs.Args.
func (KeepFile) Kind() string { return "sms.keep_file" }

// Filer keeps files of messages.
type Filer struct {
	store    *store.Repository
	vendors  *vendors.Service
	files    attachmentsapi.Files
	clock    clock.Clock
	settings *settings.Settings
}

// NewFiler returns a Filer.
func NewFiler(r *store.Repository, v *vendors.Service, files attachmentsapi.Files, c clock.Clock, s *settings.Settings) *Filer {
	return &Filer{store: r, vendors: v, files: files, clock: c, settings: s}
}

// KeepFile does the job. It may run twice: the attachment's id follows from the message's. A file that is gone, or that
// attachments refuse, stays a link.
func (s *Filer) KeepFile(ctx context.Context, args KeepFile) error {
	row, err := s.store.Message(ctx, args.Message)
	if errors.Is(err, store.ErrNotFound) || err == nil && args.Index >= len(row.Media) { // it was purged
		return nil
	}
	if err != nil {
		return err
	}
	from, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil {
		return err
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.SendTimeout)
	defer cancel()
	file, err := open.Media(calling, row.Media[args.Index])
	if refusal, ok := errors.AsType[*provider.Error](err); ok && (refusal.Reason == provider.NotFound || refusal.Reason == provider.InvalidMessage) {
		return jobs.Permanent(err)
	}
	if err != nil {
		return err
	}
	kept, err := s.files.Put(ctx, s.fileOf(row, args.Index, file), bytes.NewReader(file.Content))
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind != errs.Unavailable {
		return jobs.Permanent(err)
	}
	if err != nil {
		return err
	}

	return s.addAttachment(ctx, row.ID, kept.UUID)
}

// fileOf describes the attachment. It ends with the texts, where these do not stay.
func (s *Filer) fileOf(row store.Message, index int, file provider.File) attachmentsapi.NewFile {
	n := attachmentsapi.NewFile{
		UUID:      uuid.NewSHA1(row.ID, fmt.Appendf(nil, "media %d", index)).String(),
		OwnerType: store.MessageItem, OwnerUUID: row.ID.String(), Category: mediaCategory, FileName: fmt.Sprintf("media-%d%s", index+1, fileExtension(file.MediaType)),
	}
	if s.settings.KeepBodies > 0 {
		n.ExpiresAt = row.CreatedAt.Add(s.settings.KeepBodies)
	}

	return n
}

// fileExtension is the usual ending of the names of files of a type, "" if there is none.
func fileExtension(mediaType string) string {
	plain, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return ""
	}
	usual := map[string]string{"image/jpeg": ".jpg", "video/mp4": ".mp4", "video/3gpp": ".3gp", "audio/amr": ".amr", "text/vcard": ".vcf", "text/x-vcard": ".vcf"}
	if known, ok := usual[plain]; ok {
		return known
	}
	if all, err := mime.ExtensionsByType(plain); err == nil && len(all) > 0 {
		return all[0]
	}

	return ""
}

// addAttachment notes an attachment of a message.
func (s *Filer) addAttachment(ctx context.Context, id uuid.UUID, attachment string) error {
	kept, err := uuid.Parse(attachment)
	if err != nil {
		return err
	}

	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.LockMessage(ctx, id)
		if err != nil || slices.Contains(row.AttachmentIDs, kept) {
			return err
		}
		row.AttachmentIDs = append(row.AttachmentIDs, kept)
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.store.SaveAttachments(ctx, &row)
	})
}
