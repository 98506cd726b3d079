// Package sharing has the links by which people without an account read files.
package sharing

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Purpose is what links to files are for.
const Purpose link.Purpose = "attachments.share"

// Shares are links that let people without a token read a file.
type Shares struct {
	repository *store.Repository
	reader     *files.Reader
	made       *link.Service
	clock      clock.Clock
	life       time.Duration
}

// New returns the shares of a repository's files.
func New(s settings.Settings, r *store.Repository, reader *files.Reader, made *link.Service, c clock.Clock) *Shares {
	return &Shares{repository: r, reader: reader, made: made, clock: c, life: s.LinkLife}
}

// shared is what a link to a file says.
type shared struct {
	Inline bool `json:"inline"`
}

// share makes a link to a file that can be read, and returns its text.
func (s *Shares) share(ctx context.Context, id uuid.UUID, wanted attachmentsapi.Share) (made link.Link, text string, err error) {
	err = s.repository.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.reader.Readable(ctx, id); err != nil {
			return err
		}
		if wanted.ExpiresAt.IsZero() {
			wanted.ExpiresAt = s.clock.Now().Add(s.life)
		}
		made, text, err = s.made.Create(ctx, link.NewLink{
			Purpose: Purpose, Subject: link.Subject{Type: store.AttachmentItem, ID: id}, Payload: shared{Inline: wanted.Inline},
			MaxUses: wanted.MaxUses, ExpiresAt: wanted.ExpiresAt,
		})

		return err
	})

	return made, text, err
}

// sharesPage is how many links are listed at a time.
const sharesPage = 100

// shares are the links to an attachment, the newest first, from one on.
func (s *Shares) shares(ctx context.Context, id, before uuid.UUID) ([]link.Link, error) {
	if _, err := s.repository.Find(ctx, id); err != nil {
		return nil, err
	}

	return s.made.List(ctx, link.Filter{Purpose: Purpose, Subject: link.Subject{Type: store.AttachmentItem, ID: id}, Before: before})
}

// unshare revokes a link to an attachment.
func (s *Shares) unshare(ctx context.Context, id, which uuid.UUID) error {
	return s.repository.DB.InTx(ctx, func(ctx context.Context) error { return s.revoke(ctx, id, which) })
}

// revoke does it, in a transaction.
func (s *Shares) revoke(ctx context.Context, id, which uuid.UUID) error {
	for before := uuid.Nil; ; {
		some, err := s.shares(ctx, id, before)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(some, func(one link.Link) bool { return one.ID == which }) {
			return s.made.Revoke(ctx, which)
		}
		if len(some) < sharesPage {
			return store.ErrShare
		}
		before = some[len(some)-1].ID
	}
}

// File is a file that a link leads to.
type File struct {
	store.Attachment

	How files.Disposition
}

// Open counts a use of a link to a file and returns the file.
func (s *Shares) Open(ctx context.Context, text string) (file File, err error) {
	err = s.repository.DB.InTx(ctx, func(ctx context.Context) error {
		used, err := s.made.Use(ctx, Purpose, text)
		if err != nil {
			return err
		}
		what, err := link.PayloadOf[shared](used)
		if err != nil {
			return err
		}
		file = File{}
		if what.Inline {
			file.How = files.Inline
		}
		file.Attachment, err = s.reader.Readable(principal.AsCompany(ctx, used.Company), used.Subject.ID)

		return store.ConcealLinkError(err)
	})

	return file, err
}
