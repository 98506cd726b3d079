package files

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

// Description is what can be said of a file and changed.
type Description struct {
	ID         uuid.UUID // chosen before, or uuid.Nil
	Owner      item.Ref  // the zero Ref for none
	OwnerPart  string    // of the owner's item.Class; Keeper.Check finds it out
	Category   string
	Visibility attachmentsapi.Visibility
	Title      string
	FileName   string
	ExpiresAt  *time.Time
}

// LongestTitle is how many characters a title may have.
const LongestTitle = 200

// accept returns the description as it is stored, or ErrInvalid with all that is wrong with it.
func (d Description) accept(now time.Time) (Description, error) {
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
	if !IsTitle(d.Title) {
		wrong = wrong.WithField("title", fmt.Sprintf("The title must be one line of at most %d characters.", LongestTitle))
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

// IsTitle reports whether a text is one line that is no longer than a title may be.
func IsTitle(text string) bool {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }

	return utf8.RuneCountInString(text) <= LongestTitle && !strings.ContainsFunc(text, control)
}

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
func (d Description) put(row *store.Attachment) {
	row.OwnerType, row.OwnerID, row.OwnerPart = d.Owner.Type, web.Optional(d.Owner.UUID), d.OwnerPart
	row.Category, row.Visibility, row.Title = d.Category, d.Visibility, d.Title
	row.FileName, row.ExpiresAt = d.FileName, d.ExpiresAt
}
