package attachments

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// uploadLinkItem is the type of upload links, as links and the audit trail name them.
const uploadLinkItem = "attachments.upload_link"

// sending is what upload links are for.
const sending link.Purpose = "attachments.upload"

// How long an upload link is good unless its maker says otherwise, and at most.
const (
	uploadLife    = 7 * 24 * time.Hour
	maxUploadLife = 90 * 24 * time.Hour
)

const longestMessage = 2000

// wish is what an upload link is to be.
type wish struct {
	files.Description

	Message    string
	Brand      string
	MaxUploads int64
	MaxSize    int64
	Types      []string
	Until      time.Time
}

func (w wish) check() error {
	wrong := store.ErrInvalid
	if utf8.RuneCountInString(w.Message) > longestMessage {
		wrong = wrong.WithField("message", fmt.Sprintf("The message must have at most %d characters.", longestMessage))
	}
	if !files.IsTitle(w.Brand) {
		wrong = wrong.WithField("brand", fmt.Sprintf("The brand must be one line of at most %d characters.", files.LongestTitle))
	}
	if len(w.Types) > limits.MaxTypes {
		wrong = wrong.WithField("types", fmt.Sprintf("The types must be at most %d.", limits.MaxTypes))
	}
	for _, t := range w.Types {
		if !settings.ValidMediaType(t) {
			wrong = wrong.WithField("types", "The types must be media types such as application/pdf or image/*.")

			break
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// invitations are the upload links that a company has made.
type invitations struct {
	repository *store.Repository
	keeper     *files.Keeper
	quota      *limits.Quota
	made       *link.Service
	clock      clock.Clock
}

func newInvitations(r *store.Repository, k *files.Keeper, q *limits.Quota, made *link.Service, c clock.Clock) *invitations {
	return &invitations{repository: r, keeper: k, quota: q, made: made, clock: c}
}

// invite makes a link by which somebody without a token sends files. Its text is in the answer alone.
func (i *invitations) invite(ctx context.Context, w wish) (row store.UploadLink, text string, err error) {
	if err := w.check(); err != nil {
		return row, "", err
	}
	d, err := i.keeper.Check(ctx, w.Description)
	if err != nil {
		return row, "", err
	}
	now := i.clock.Now()
	row = store.UploadLink{
		ID: database.NewID(), OwnerType: d.Owner.Type, OwnerID: web.Optional(d.Owner.UUID), OwnerPart: d.OwnerPart, Category: d.Category,
		Visibility: d.Visibility, Title: d.Title, Message: strings.TrimSpace(w.Message), Brand: strings.TrimSpace(w.Brand), MaxUploads: w.MaxUploads,
		MaxSize: w.MaxSize, Types: append([]string{}, w.Types...), CreatedBy: principal.UserOf(ctx), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	err = i.repository.DB.InTx(ctx, func(ctx context.Context) error {
		var made link.Link
		made, text, err = i.made.Create(ctx, link.NewLink{
			Purpose: sending, Subject: link.Subject{Type: uploadLinkItem, ID: row.ID}, MaxUses: int(row.MaxUploads), ExpiresAt: w.Until,
		})
		if err != nil {
			return err
		}
		row.LinkID, row.Prefix, row.ExpiresAt = made.ID, made.Prefix, made.ExpiresAt

		return i.repository.InsertUploadLink(ctx, &row)
	})

	return row, text, err
}

// revoke ends an upload link; doing it again changes nothing.
func (i *invitations) revoke(ctx context.Context, id uuid.UUID) (row store.UploadLink, err error) {
	err = i.repository.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = i.repository.LockUploadLink(ctx, id); err != nil || row.RevokedAt != nil {
			return err
		}
		if err := i.made.Revoke(ctx, row.LinkID); err != nil {
			return err
		}
		now := i.clock.Now()
		row.RevokedAt, row.UpdatedAt, row.Version = &now, now, row.Version+1

		return i.repository.SaveUploadLink(ctx, &row)
	})

	return row, err
}

// complete finds out what is shown of some links and is not in their rows.
func (i *invitations) complete(ctx context.Context, rows []store.UploadLink) error {
	ids := make([]uuid.UUID, len(rows))
	for n, row := range rows {
		ids[n] = row.ID
	}
	refused, err := i.repository.CountQuarantined(ctx, ids)
	if err != nil {
		return err
	}
	most, err := i.quota.LargestFile(ctx)
	if err != nil {
		return err
	}
	for n := range rows {
		rows[n].MaxFileSize, rows[n].Quarantined = most, refused[rows[n].ID]
		if own := rows[n].MaxSize; own > 0 {
			rows[n].MaxFileSize = min(own, most)
		}
	}

	return nil
}

func (i *invitations) page(ctx context.Context, q list.Query) (list.Page[store.UploadLink], error) {
	page, err := i.repository.UploadLinks(ctx, q)
	if err == nil {
		err = i.complete(ctx, page.Data)
	}

	return page, err
}
