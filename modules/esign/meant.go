package esign

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
)

// meant returns the envelope that is told of, held; nil if it is none of ours. Found says that it was known by the
// vendor's id: else it is by now.
func (s *core) meant(ctx context.Context, account uuid.UUID, t told) (row *envelope, found bool, err error) {
	if row, err = s.heldEnvelopeOf(ctx, account, t.Update.ID); err != nil || row != nil {
		return row, true, err
	}
	original, err := s.referred(ctx, account, t)
	if err != nil {
		return nil, false, err
	}
	if original != nil && *original.ExternalID == t.Update.ID {
		return original, false, nil
	}
	if heardStatus(t.Update) == "" {
		return nil, false, nil
	}
	if original != nil {
		return s.adopt(ctx, account, original.twin(), t)
	}
	ref, ok := tied(t)
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

	return s.adopt(ctx, account, envelope{ItemType: ref.Type, ItemID: &ref.UUID, Source: t.Update.Fields[connect.FieldSource]}, t)
}

// twin returns what another envelope of the same name is about: one that was made by a call whose answer was lost, or one
// that somebody has copied at the vendor. It is a row of its own, since both may be signed.
func (e *envelope) twin() envelope {
	return envelope{
		CopyOf: &e.ID, TemplateID: e.TemplateID, ItemType: e.ItemType, ItemID: e.ItemID, Source: e.Source,
		Content: content{Sensitive: e.Content.Sensitive},
	}
}

// referred returns the envelope by our own name of it, nil if there is none. It gets the vendor's id if it has none yet: the
// answer that had it is on its way, or was lost.
func (s *core) referred(ctx context.Context, account uuid.UUID, t told) (*envelope, error) {
	id, err := uuid.Parse(t.Update.Reference)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // no name of ours
	}
	row, err := s.heldEnvelopeByID(ctx, account, id)
	if err != nil || row == nil {
		return nil, err
	}
	if row.ExternalID == nil {
		row.ExternalID = &t.Update.ID

		return row, s.saveHeard(ctx, row)
	}

	return row, nil
}

// tied returns the item that an envelope belongs to by its custom fields.
func tied(t told) (item.Ref, bool) {
	ref := item.Ref{Type: t.Update.Fields[connect.FieldItemType]}
	id, err := uuid.Parse(t.Update.Fields[connect.FieldItemUUID])
	ref.UUID = id

	return ref, err == nil && id != uuid.Nil && ref.Type != ""
}

// adopt makes a row of an envelope that was made at the vendor; about says what it is about. Who is second takes the row of
// the first.
func (s *core) adopt(ctx context.Context, account uuid.UUID, about envelope, t told) (row *envelope, found bool, err error) {
	now := s.clock.Now()
	row = &about
	row.ID, row.AccountID, row.ExternalID, row.Origin = database.NewID(), account, &t.Update.ID, originProvider
	row.Subject, row.Message = t.Update.Subject, t.Update.Message
	row.Heard, row.State, row.Version, row.CreatedAt, row.UpdatedAt = []byte("{}"), draft, 1, now, now
	err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.insert(ctx, row) })
	if err == nil {
		return row, false, nil
	}
	if !errors.Is(err, database.ErrDuplicate) {
		return nil, false, err
	}
	row, err = s.heldEnvelopeOf(ctx, account, t.Update.ID)
	if err == nil && row == nil {
		err = fmt.Errorf("envelope %s of account %s: %w", t.Update.ID, account, database.ErrDuplicate)
	}

	return row, true, err
}
