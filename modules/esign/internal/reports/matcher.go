package reports

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
)

// match returns the envelope that is told of, held; nil if it is none of ours. Found says that it was known by the
// vendor's id: else it is by now.
func (s *Matcher) match(ctx context.Context, account uuid.UUID, t Report) (row *store.Envelope, found bool, err error) {
	if row, err = s.store.HeldEnvelopeOf(ctx, account, t.Update.ID); err != nil || row != nil {
		return row, true, err
	}
	original, err := s.byReference(ctx, account, t)
	if err != nil {
		return nil, false, err
	}
	if original != nil && *original.ExternalID == t.Update.ID {
		return original, false, nil
	}
	if reportedStatus(t.Update) == "" {
		return nil, false, nil
	}
	if original != nil {
		return s.adopt(ctx, account, original.CopiedDraft(), t)
	}
	ref, ok := taggedItem(t)
	if !ok {
		return nil, false, nil
	}
	missing, err := s.items.Exists(ctx, ref)
	if kind := errs.KindOf(err); err != nil && kind != errs.Internal && kind != errs.Unavailable {
		return nil, false, nil // no such type of items, here or for this company
	}
	if err != nil || len(missing) > 0 {
		return nil, false, err
	}

	return s.adopt(ctx, account, store.Envelope{ItemType: ref.Type, ItemID: &ref.UUID, Source: t.Update.Fields[connect.FieldSource]}, t)
}

// byReference returns the envelope by our own name of it, nil if there is none. It gets the vendor's id if it has none yet: the
// answer that had it is on its way, or was lost.
func (s *Matcher) byReference(ctx context.Context, account uuid.UUID, t Report) (*store.Envelope, error) {
	id, err := uuid.Parse(t.Update.Reference)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // no name of ours
	}
	row, err := s.store.HeldEnvelopeByID(ctx, account, id)
	if err != nil || row == nil {
		return nil, err
	}
	if row.ExternalID == nil {
		row.ExternalID = &t.Update.ID

		return row, s.store.SaveReported(ctx, row)
	}

	return row, nil
}

// taggedItem returns the item that an envelope belongs to by its custom fields.
func taggedItem(t Report) (item.Ref, bool) {
	ref := item.Ref{Type: t.Update.Fields[connect.FieldItemType]}
	id, err := uuid.Parse(t.Update.Fields[connect.FieldItemUUID])
	ref.UUID = id

	return ref, err == nil && id != uuid.Nil && ref.Type != ""
}

// adopt makes a row of an envelope that was made at the vendor; about says what it is about. Who is second takes the row of
// the first.
func (s *Matcher) adopt(ctx context.Context, account uuid.UUID, about store.Envelope, t Report) (row *store.Envelope, found bool, err error) {
	now := s.clock.Now()
	row = &about
	row.ID, row.AccountID, row.ExternalID, row.Origin = database.NewID(), account, &t.Update.ID, store.OriginProvider
	row.Subject, row.Message = t.Update.Subject, t.Update.Message
	row.Heard, row.State, row.Version, row.CreatedAt, row.UpdatedAt = []byte("{}"), store.Draft, 1, now, now
	err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.store.Insert(ctx, row) })
	if err == nil {
		return row, false, nil
	}
	if !errors.Is(err, database.ErrDuplicate) {
		return nil, false, err
	}
	row, err = s.store.HeldEnvelopeOf(ctx, account, t.Update.ID)
	if err == nil && row == nil {
		err = fmt.Errorf("envelope %s of account %s: %w", t.Update.ID, account, database.ErrDuplicate)
	}

	return row, true, err
}

// Matcher finds which envelope a provider tells of.
type Matcher struct {
	db    *database.DB
	store *store.Repository
	items *item.Registry
	clock clock.Clock
}

// NewMatcher returns a Matcher.
func NewMatcher(r *store.Repository, items *item.Registry, c clock.Clock) *Matcher {
	return &Matcher{db: r.DB, store: r, items: items, clock: c}
}
