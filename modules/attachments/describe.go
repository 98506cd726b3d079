package attachments

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

// description is what can be said of a file and changed.
type description struct {
	ID         uuid.UUID // chosen before, or uuid.Nil
	Owner      item.Ref  // the zero Ref for none
	ownerPart  string    // of the owner's item.Class; check finds it out
	Category   string
	Visibility attachmentsapi.Visibility
	Title      string
	FileName   string
	ExpiresAt  *time.Time
}

const longestTitle = 200

// accept returns the description as it is stored, or ErrInvalid with all that is wrong with it.
func (d description) accept(now time.Time) (description, error) {
	wrong := store.ErrInvalid
	if d.Visibility == "" {
		d.Visibility = attachmentsapi.Internal
	}
	switch d.Visibility {
	case attachmentsapi.Internal, attachmentsapi.Customer, attachmentsapi.Carrier, attachmentsapi.Public:
	default:
		wrong = wrong.WithField("visibility", "The visibility must be internal, customer, carrier or public.")
	}
	if !settings.ValidCategory(d.Category) {
		wrong = wrong.WithField("category", "The category must be at most 60 lower case letters, digits and underscores, such as pod_photo.")
	}
	d.Title = strings.TrimSpace(d.Title)
	if utf8.RuneCountInString(d.Title) > longestTitle || strings.ContainsFunc(d.Title, isControl) {
		wrong = wrong.WithField("title", fmt.Sprintf("The title must be one line of at most %d characters.", longestTitle))
	}
	if (d.Owner.Type == "") != (d.Owner.UUID == uuid.Nil) {
		wrong = wrong.WithField("owner_uuid", "The owner type and the owner uuid must be given together.")
	}
	if d.ExpiresAt != nil && !d.ExpiresAt.After(now) {
		wrong = wrong.WithField("expires_at", "`expires_at` must be in the future.")
	}
	if len(wrong.Fields) > 0 {
		return d, wrong
	}
	if d.ExpiresAt != nil {
		at := clock.Stamp(*d.ExpiresAt)
		d.ExpiresAt = &at
	}
	d.FileName = filetype.CleanName(d.FileName)

	return d, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// partOf returns the part of an owner's class, or refuses an owner that is not there.
func partOf(ctx context.Context, items *item.Registry, owner item.Ref) (string, error) {
	if owner.Type == "" {
		return "", nil
	}
	class, there, err := items.ClassOf(ctx, owner)
	if unknown, ok := errors.AsType[*errs.Error](err); ok && unknown.Kind == errs.Invalid {
		return "", unknown.WithField("owner_type", unknown.Message)
	}
	if err != nil {
		return "", err
	}
	if !there {
		return "", store.ErrInvalid.WithField("owner_uuid", "There is no such "+owner.Type+".")
	}

	return class.Part, nil
}

// put stores a description in a row.
func (d description) put(row *store.Attachment) {
	row.OwnerType, row.OwnerID, row.OwnerPart = d.Owner.Type, web.Optional(d.Owner.UUID), d.ownerPart
	row.Category, row.Visibility, row.Title = d.Category, d.Visibility, d.Title
	row.FileName, row.ExpiresAt = d.FileName, d.ExpiresAt
}
