package attachments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// remove deletes a file, so that it can be restored until it is purged.
func (s *service) remove(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) error {
	_, err := s.change(ctx, id, match, func(ctx context.Context, row *store.Attachment) (err error) {
		if err := s.checkNotHeld(ctx, id); err != nil {
			return err
		}
		row.State, err = store.Lifecycle.Apply(ctx, s.states, row.State, state.Move{
			Verb: store.VerbDelete, UUID: id, Part: row.OwnerPart, Thing: *row, Reason: reason,
		})
		if err != nil {
			return err
		}
		at := row.UpdatedAt
		row.DeletedAt = &at
		gone := attachmentsapi.Deleted{Attachment: id.String(), OwnerType: row.OwnerType}
		if row.OwnerID != nil {
			gone.Owner = row.OwnerID.String()
		}

		return s.bus.Publish(ctx, gone)
	})

	return err
}

// restore brings a deleted file back. One that had expired is kept without an end.
func (s *service) restore(ctx context.Context, id uuid.UUID, match web.IfMatch) (row store.Attachment, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.repository.Lock(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		row.State, err = store.Lifecycle.Apply(ctx, s.states, row.State, state.Move{Verb: store.VerbRestore, UUID: id, Part: row.OwnerPart, Thing: row})
		if err != nil {
			return err
		}
		row.Version, row.UpdatedAt, row.DeletedAt = row.Version+1, s.clock.Now(), nil
		if row.ExpiresAt != nil && !row.ExpiresAt.After(row.UpdatedAt) {
			row.ExpiresAt = nil
		}
		if err := s.repository.Save(ctx, &row); err != nil {
			return err
		}

		return s.bus.Publish(ctx, attachmentsapi.Restored{Attachment: id.String()})
	})

	return row, err
}
