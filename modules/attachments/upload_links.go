package attachments

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// uploadLinkItem is the type of upload links, as links and the audit trail name them.
const uploadLinkItem = "attachments.upload_link"

const (
	longestMessage = 2000
)

// wish is what an upload link is to be.
type wish struct {
	description

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
	if utf8.RuneCountInString(w.Brand) > longestTitle || strings.ContainsFunc(w.Brand, isControl) {
		wrong = wrong.WithField("brand", fmt.Sprintf("The brand must be one line of at most %d characters.", longestTitle))
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

// invite makes a link by which somebody without a token sends files. Its text is in the answer alone.
func (l *links) invite(ctx context.Context, w wish) (row store.UploadLink, text string, err error) {
	if err := w.check(); err != nil {
		return row, "", err
	}
	d, err := l.files.check(ctx, w.description)
	if err != nil {
		return row, "", err
	}
	now := l.files.clock.Now()
	row = store.UploadLink{
		ID: database.NewID(), OwnerType: d.Owner.Type, OwnerID: web.Optional(d.Owner.UUID), OwnerPart: d.ownerPart, Category: d.Category,
		Visibility: d.Visibility, Title: d.Title, Message: strings.TrimSpace(w.Message), Brand: strings.TrimSpace(w.Brand), MaxUploads: w.MaxUploads,
		MaxSize: w.MaxSize, Types: append([]string{}, w.Types...), CreatedBy: principal.UserOf(ctx), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	err = l.files.db.InTx(ctx, func(ctx context.Context) error {
		var made link.Link
		made, text, err = l.made.Create(ctx, link.NewLink{
			Purpose: sending, Subject: link.Subject{Type: uploadLinkItem, ID: row.ID}, MaxUses: int(row.MaxUploads), ExpiresAt: w.Until,
		})
		if err != nil {
			return err
		}
		row.LinkID, row.Prefix, row.ExpiresAt = made.ID, made.Prefix, made.ExpiresAt

		return l.files.repository.InsertUploadLink(ctx, &row)
	})

	return row, text, err
}

// revoke ends an upload link; doing it again changes nothing.
func (l *links) revoke(ctx context.Context, id uuid.UUID) (row store.UploadLink, err error) {
	err = l.files.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = l.files.repository.LockUploadLink(ctx, id); err != nil || row.RevokedAt != nil {
			return err
		}
		if err := l.made.Revoke(ctx, row.LinkID); err != nil {
			return err
		}
		now := l.files.clock.Now()
		row.RevokedAt, row.UpdatedAt, row.Version = &now, now, row.Version+1

		return l.files.repository.SaveUploadLink(ctx, &row)
	})

	return row, err
}

// resolveLink returns what a link that can be used is for, and the context of its company.
func (l *links) resolveLink(ctx context.Context, text string) (context.Context, store.UploadLink, error) {
	found, err := l.made.Peek(ctx, sending, text)
	if err != nil {
		return ctx, store.UploadLink{}, err
	}
	ctx = principal.AsCompany(ctx, found.Company)
	row, err := l.files.repository.FindUploadLink(ctx, found.Subject.ID)

	return ctx, row, concealLinkError(err)
}

// send stores a file that somebody sends by a link. The use counts with the row of the file, so nothing
// is used up by an upload that fails, and no more get through than may.
func (l *links) send(ctx context.Context, text string, in receiving.Incoming) (store.Attachment, error) {
	ctx, row, err := l.resolveLink(ctx, text)
	if err != nil {
		return store.Attachment{}, err
	}
	in.MaxSize, in.Types = row.MaxSize, row.Types
	made, err := l.files.store(ctx, descriptionBy(row, in.FileName), in, func(ctx context.Context, file *store.Attachment) error {
		if _, err := l.made.Use(ctx, sending, text); err != nil {
			return err
		}
		file.UploadLinkID = &row.ID

		return l.files.repository.CountUpload(ctx, row.ID, l.files.clock.Now())
	})

	return made, err
}

// descriptionBy is what a file is that comes by the link.
func descriptionBy(row store.UploadLink, name string) description {
	return description{Owner: row.Owner(), Category: row.Category, Visibility: row.Visibility, Title: row.Title, FileName: name}
}
