package history

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/history/historyapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// manage is the scope of who may change the entries of others.
const manage = "manage"

// service decides about entries that people write.
type service struct {
	settings   settings
	repository *repository
	book       *book
	items      *items
	clock      clock.Clock
}

func newService(s settings, r *repository, b *book, i *items, c clock.Clock) *service {
	return &service{settings: s, repository: r, book: b, items: i, clock: c}
}

// create stores an entry about an item that the caller may read.
func (s *service) create(ctx context.Context, row entry) (entry, error) {
	class, err := s.items.readable(ctx, row.item(), errNoItem)
	if err != nil {
		return row, unknownType(err, "item.type")
	}
	caller, _ := principal.From(ctx)
	now := s.clock.Now()
	row.ID, row.ItemPart, row.Version, row.CreatedAt, row.UpdatedAt = database.NewID(), class.Part, 1, now, now
	if row.CreatedBy = principal.UserOf(ctx); row.CreatedBy == nil {
		row.CreatedToken = web.Optional(caller.Token)
	}
	if row.HappenedAt.IsZero() {
		row.HappenedAt = now
	}
	if err := row.accept(s.settings, now); err != nil {
		return row, err
	}

	return row, s.book.add(ctx, &row)
}

// read returns an entry that is not deleted, about an item that the caller may read.
func (s *service) read(ctx context.Context, id uuid.UUID) (entry, error) {
	row, err := s.repository.find(ctx, id)
	if err != nil {
		return row, err
	}

	return row, s.shown(ctx, row, false)
}

// shown refuses an entry that is deleted, or is not, and one about an item that the caller may not read.
func (s *service) shown(ctx context.Context, row entry, deleted bool) error {
	if (row.DeletedAt != nil) != deleted {
		return errNotFound
	}
	_, err := s.items.readable(ctx, row.item(), errNotFound)
	if errs.KindOf(err) == errs.Invalid { // of an area that the company no longer uses
		return errNotFound
	}

	return err
}

// change holds an entry that is deleted, or is not, lets do change it, and stores it.
func (s *service) change(ctx context.Context, id uuid.UUID, match web.IfMatch, action string, do func(*entry, time.Time) error) (entry, error) {
	caller, _ := principal.From(ctx)
	may := func(ctx context.Context, row entry) error {
		if err := s.shown(ctx, row, action == "restored"); err != nil {
			return err
		}
		if !row.by(caller) && !caller.Allows(historyapi.Area+":"+manage) {
			return errNotYours
		}

		return match.Check(row.Version)
	}

	return s.book.change(ctx, id, action, may, func(row *entry) error {
		now := s.clock.Now()
		if err := do(row, now); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, now

		return nil
	})
}

// The longest texts of an entry beside its body, in characters.
const (
	maxOutcome = 200
	maxContact = 200
)

// accept tidies up the texts of an entry, and refuses what it cannot be.
func (row *entry) accept(s settings, now time.Time) error {
	row.Outcome, row.ContactName = strings.TrimSpace(row.Outcome), strings.TrimSpace(row.ContactName)
	row.Body, row.HappenedAt = strings.TrimSpace(row.Body), clock.Stamp(row.HappenedAt)
	wrong := errInvalid
	refuse := func(field, format string, args ...any) { wrong = wrong.WithField(field, fmt.Sprintf(format, args...)) }
	if !knownKind(row.Kind) {
		refuse("kind", "The kind must be one of %s.", strings.Join(kinds, ", "))
	}
	if row.Direction != "" && row.Direction != "inbound" && row.Direction != "outbound" {
		refuse("direction", "The direction must be inbound or outbound.")
	}
	if row.Body == "" && row.Outcome == "" {
		refuse("body", "The body is required, unless there is an outcome.")
	}
	for _, text := range []struct {
		field, value string
		most         int
	}{{"body", row.Body, s.MaxBody}, {"outcome", row.Outcome, maxOutcome}, {"contact_name", row.ContactName, maxContact}} {
		if n := utf8.RuneCountInString(text.value); n > text.most {
			refuse(text.field, "The %s must have at most %d characters; it has %d.", strings.ReplaceAll(text.field, "_", " "), text.most, n)
		}
		if strings.ContainsRune(text.value, 0) {
			refuse(text.field, "The %s must not have the character U+0000.", strings.ReplaceAll(text.field, "_", " "))
		}
	}
	if row.HappenedAt.After(now.Add(s.MaxAhead)) {
		refuse("happened_at", "`happened_at` must not be in the future: it is %s now.", now.Format(time.RFC3339))
	}
	if row.HappenedAt.Year() < 1 {
		refuse("happened_at", "`happened_at` must be a valid time.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}
