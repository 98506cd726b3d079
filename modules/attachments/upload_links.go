package attachments

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// uploadLinkItem is the type of upload links, as links and the audit trail name them.
const uploadLinkItem = "attachments.upload_link"

const (
	longestMessage = 2000
	mostTypes      = 20
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
	wrong := errInvalid
	if utf8.RuneCountInString(w.Message) > longestMessage {
		wrong = wrong.WithField("message", fmt.Sprintf("The message must have at most %d characters.", longestMessage))
	}
	if utf8.RuneCountInString(w.Brand) > longestTitle || strings.ContainsFunc(w.Brand, isControl) {
		wrong = wrong.WithField("brand", fmt.Sprintf("The brand must be one line of at most %d characters.", longestTitle))
	}
	if len(w.Types) > mostTypes {
		wrong = wrong.WithField("types", fmt.Sprintf("The types must be at most %d.", mostTypes))
	}
	for _, t := range w.Types {
		if !typeRule.MatchString(t) {
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
func (l *links) invite(ctx context.Context, w wish) (row uploadLink, text string, err error) {
	if err := w.check(); err != nil {
		return row, "", err
	}
	d, err := l.check(ctx, w.description)
	if err != nil {
		return row, "", err
	}
	now := l.clock.Now()
	row = uploadLink{
		ID: database.NewID(), OwnerType: d.Owner.Type, OwnerID: web.Optional(d.Owner.UUID), OwnerPart: d.ownerPart, Category: d.Category,
		Visibility: d.Visibility, Title: d.Title, Message: strings.TrimSpace(w.Message), Brand: strings.TrimSpace(w.Brand), MaxUploads: w.MaxUploads,
		MaxSize: w.MaxSize, Types: append([]string{}, w.Types...), CreatedBy: principal.UserOf(ctx), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	err = l.db.InTx(ctx, func(ctx context.Context) error {
		var made link.Link
		made, text, err = l.made.Create(ctx, link.NewLink{
			Purpose: sending, Subject: link.Subject{Type: uploadLinkItem, ID: row.ID}, MaxUses: int(row.MaxUploads), ExpiresAt: w.Until,
		})
		if err != nil {
			return err
		}
		row.LinkID, row.Prefix, row.ExpiresAt = made.ID, made.Prefix, made.ExpiresAt

		return l.repository.insertLink(ctx, &row)
	})

	return row, text, err
}

// revoke ends an upload link; doing it again changes nothing.
func (l *links) revoke(ctx context.Context, id uuid.UUID) (row uploadLink, err error) {
	err = l.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = l.repository.heldLink(ctx, id); err != nil || row.RevokedAt != nil {
			return err
		}
		if err := l.made.Revoke(ctx, row.LinkID); err != nil {
			return err
		}
		now := l.clock.Now()
		row.RevokedAt, row.UpdatedAt, row.Version = &now, now, row.Version+1

		return l.repository.saveLink(ctx, &row)
	})

	return row, err
}

// look returns what a link that can be used is for, and the context of its company.
func (l *links) look(ctx context.Context, text string) (context.Context, uploadLink, error) {
	found, err := l.made.Look(ctx, sending, text)
	if err != nil {
		return ctx, uploadLink{}, err
	}
	if err := l.allowed(ctx, found.Company); err != nil {
		return ctx, uploadLink{}, err
	}
	ctx = principal.AsCompany(ctx, found.Company)
	row, err := l.repository.findLink(ctx, found.Subject.ID)

	return ctx, row, dead(err)
}

// send stores a file that somebody sends by a link. The use counts with the row of the file, so nothing
// is used up by an upload that fails, and no more get through than may.
func (l *links) send(ctx context.Context, text string, in incoming) (attachment, error) {
	ctx, row, err := l.look(ctx, text)
	if err != nil {
		return attachment{}, err
	}
	in.maxSize, in.types = row.MaxSize, row.Types
	made, err := l.store(ctx, row.describe(in.fileName), in, func(ctx context.Context, file *attachment) error {
		if _, err := l.made.Use(ctx, sending, text); err != nil {
			return err
		}
		file.UploadLinkID = &row.ID

		return l.repository.countUpload(ctx, row.ID, l.clock.Now())
	})

	return made, err
}

// describe is what a file is that comes by the link.
func (row uploadLink) describe(name string) description {
	return description{Owner: row.owner(), Category: row.Category, Visibility: row.Visibility, Title: row.Title, FileName: name}
}

func (row uploadLink) owner() item.Ref {
	return attachment{OwnerType: row.OwnerType, OwnerID: row.OwnerID}.owner()
}

// status says whether an upload link can be used at a time.
func (row uploadLink) status(now time.Time) string {
	switch {
	case row.RevokedAt != nil:
		return "revoked"
	case row.MaxUploads > 0 && row.Uploads >= row.MaxUploads:
		return "used_up"
	case !now.Before(row.ExpiresAt):
		return "expired"
	default:
		return "open"
	}
}
