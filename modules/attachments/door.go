package attachments

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

// door is where people come in who have the text of an upload link, and no token.
type door struct {
	repository *store.Repository
	made       *link.Service
	clock      clock.Clock
	limit      *ratelimit.Limiter
}

func newDoor(s settings.Settings, r *store.Repository, made *link.Service, c clock.Clock) *door {
	policy := ratelimit.Policy{Name: "link", Quota: s.LinkUploads, Window: time.Minute}

	return &door{repository: r, made: made, clock: c, limit: ratelimit.New(policy, c)}
}

// limitRate refuses what happens too often.
func (d *door) limitRate(ctx context.Context, what string) error {
	if r := d.limit.Take(ctx, what); !r.Allowed {
		return store.ErrTooOften.WithRetryAfter(r.RetryAfter)
	}

	return nil
}

// enter returns what a link that can be used is for, and the context of its company.
func (d *door) enter(ctx context.Context, text string) (context.Context, store.UploadLink, error) {
	found, err := d.made.Peek(ctx, sending, text)
	if err != nil {
		return ctx, store.UploadLink{}, err
	}
	ctx = principal.AsCompany(ctx, found.Company)
	row, err := d.repository.FindUploadLink(ctx, found.Subject.ID)

	return ctx, row, store.ConcealLinkError(err)
}

// look returns the upload link of a text also when it can be used no more, and the context of its company.
func (d *door) look(ctx context.Context, text string) (context.Context, store.UploadLink, error) {
	found, err := d.made.Known(ctx, sending, text)
	if err != nil {
		return ctx, store.UploadLink{}, err
	}
	ctx = principal.AsCompany(ctx, found.Company)
	row, err := d.repository.FindUploadLink(ctx, found.Subject.ID)

	return ctx, row, store.ConcealLinkError(err)
}

// ended reports whether a link was revoked or has expired, whether it is used up or not.
func (d *door) ended(row store.UploadLink) bool {
	return row.RevokedAt != nil || !d.clock.Now().Before(row.ExpiresAt)
}

// use counts an upload by the text of a link, if it may have one more. It runs in a transaction.
func (d *door) use(ctx context.Context, text string, id uuid.UUID) error {
	if _, err := d.made.Use(ctx, sending, text); err != nil {
		return err
	}

	return d.repository.CountUpload(ctx, id, d.clock.Now())
}

// useByID is use for who has come in before, and returns the link.
func (d *door) useByID(ctx context.Context, id uuid.UUID) (store.UploadLink, error) {
	row, err := d.repository.FindUploadLink(ctx, id)
	if err != nil {
		return row, store.ConcealLinkError(err)
	}
	if err := d.made.UseByID(ctx, sending, row.LinkID); err != nil {
		return row, err
	}

	return row, d.repository.CountUpload(ctx, id, d.clock.Now())
}
