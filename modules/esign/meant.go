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
	if row, err = s.referred(ctx, account, t); err != nil || row != nil {
		return row, false, err
	}
	ref, ok := tied(t)
	if !ok || heardStatus(t.Update) == "" {
		return nil, false, nil
	}
	missing, err := s.items.Exists(ctx, ref)
	if kind := errs.KindOf(err); err != nil && kind != errs.Internal && kind != errs.Unavailable {
		return nil, false, nil // no such type of items, here or for this company
	}
	if err != nil || len(missing) > 0 {
		return nil, false, err
	}

	return s.adopt(ctx, account, ref, t)
}

// referred returns the envelope by our own name of it, where the answer that had the vendor's id is on its way yet, or
// was lost. A copy that somebody made at the vendor has our name too, and is another envelope.
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
	if *row.ExternalID != t.Update.ID {
		return nil, nil //nolint:nilnil // the copy
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

// adopt makes a row of an envelope that was made at the vendor. Who is second takes the row of the first.
func (s *core) adopt(ctx context.Context, account uuid.UUID, ref item.Ref, t told) (row *envelope, found bool, err error) {
	now := s.clock.Now()
	row = &envelope{
		ID: database.NewID(), AccountID: account, ExternalID: &t.Update.ID, Origin: originProvider, Subject: t.Update.Subject,
		Message: t.Update.Message, ItemType: ref.Type, ItemID: &ref.UUID, Source: t.Update.Fields[connect.FieldSource],
		Heard: []byte("{}"), State: draft, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
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
