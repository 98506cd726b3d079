package attachments

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
	"github.com/dispatchd/dispatchd/platform/web"
)

// What the links of the area are for.
const (
	sharing link.Purpose = "attachments.share"
	sending link.Purpose = "attachments.upload"
)

const (
	uploadLife    = 7 * 24 * time.Hour
	maxUploadLife = 90 * 24 * time.Hour
)

// links let somebody without a token read a file, or send some.
type links struct {
	files   *service
	made    *link.Service
	baseURL string
	limit   *ratelimit.Limiter
}

func newLinks(s *service, made *link.Service, w web.Settings, c clock.Clock) *links {
	policy := ratelimit.Policy{Name: "link", Quota: s.settings.LinkUploads, Window: time.Minute}

	return &links{
		files: s, made: made, baseURL: strings.TrimSuffix(w.BaseURL, "/"), limit: ratelimit.New(policy, c),
	}
}

// shared is what a link to a file says.
type shared struct {
	Inline bool `json:"inline"`
}

// share makes a link to a file that can be read.
func (l *links) share(ctx context.Context, id uuid.UUID, s attachmentsapi.Share) (link.Link, string, error) {
	if _, err := l.files.readable(ctx, id); err != nil {
		return link.Link{}, "", err
	}
	if s.ExpiresAt.IsZero() {
		s.ExpiresAt = l.files.clock.Now().Add(l.files.settings.LinkLife)
	}

	return l.made.Create(ctx, link.NewLink{
		Purpose: sharing, Subject: link.Subject{Type: store.AttachmentItem, ID: id}, Payload: shared{Inline: s.Inline},
		MaxUses: s.MaxUses, ExpiresAt: s.ExpiresAt,
	})
}

// sharesPage is how many links are listed at a time.
const sharesPage = 100

// shares are the links to an attachment, the newest first, from one on.
func (l *links) shares(ctx context.Context, id, before uuid.UUID) ([]link.Link, error) {
	if _, err := l.files.repository.Find(ctx, id); err != nil {
		return nil, err
	}

	return l.made.List(ctx, link.Filter{Purpose: sharing, Subject: link.Subject{Type: store.AttachmentItem, ID: id}, Before: before})
}

// unshare revokes a link to an attachment.
func (l *links) unshare(ctx context.Context, id, which uuid.UUID) error {
	for before := uuid.Nil; ; {
		some, err := l.shares(ctx, id, before)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(some, func(one link.Link) bool { return one.ID == which }) {
			return l.made.Revoke(ctx, which)
		}
		if len(some) < sharesPage {
			return store.ErrShare
		}
		before = some[len(some)-1].ID
	}
}

// address is where a link leads, without a host if the service does not know its own.
func (l *links) address(path, text string) string { return l.baseURL + base + path + text }

// linkedFile is a file that a link leads to.
type linkedFile struct {
	store.Attachment

	how shown
}

// open counts a use of a link to a file and returns the file.
func (l *links) open(ctx context.Context, text string) (file linkedFile, err error) {
	err = l.files.db.InTx(ctx, func(ctx context.Context) error {
		used, err := l.made.Use(ctx, sharing, text)
		if err != nil {
			return err
		}
		what, err := link.PayloadOf[shared](used)
		if err != nil {
			return err
		}
		file = linkedFile{}
		if what.Inline {
			file.how = inline
		}
		file.Attachment, err = l.files.readable(principal.AsCompany(ctx, used.Company), used.Subject.ID)

		return concealLinkError(err)
	})

	return file, err
}

// concealLinkError tells a stranger nothing about why a link leads nowhere.
func concealLinkError(err error) error {
	for _, own := range []error{store.ErrNotFound, store.ErrUploadLink, store.ErrNotReady, store.ErrQuarantined} {
		if errors.Is(err, own) {
			return store.ErrLinkVoid
		}
	}

	return err
}
