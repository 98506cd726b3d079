package files

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Keeper changes what is known of files, and holds those that may not go.
type Keeper struct {
	repository *store.Repository
	items      *item.Registry
	journal    *Journal
	clock      clock.Clock
}

// NewKeeper returns the keeper of a repository's files.
func NewKeeper(r *store.Repository, items *item.Registry, j *Journal, c clock.Clock) *Keeper {
	return &Keeper{repository: r, items: items, journal: j, clock: c}
}

// Check returns a description as it is stored. It refuses a description that is wrong, and an owner that is not there.
func (k *Keeper) Check(ctx context.Context, d Description) (Description, error) {
	d, err := d.accept(k.clock.Now())
	if err != nil {
		return d, err
	}
	d.OwnerPart, err = partOf(ctx, k.items, d.Owner)

	return d, err
}

// draft returns the row of a new file, which is not stored yet.
func (k *Keeper) draft(ctx context.Context, d Description) store.Attachment {
	now := k.clock.Now()
	row := store.Attachment{
		ID: database.NewID(), State: store.Uploading, Version: 1, CreatedBy: principal.UserOf(ctx), CreatedAt: now, UpdatedAt: now,
	}
	if d.ID != uuid.Nil {
		row.ID = d.ID
	}
	d.put(&row)

	return row
}

// Change changes an attachment that is not deleted, in one transaction.
func (k *Keeper) Change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, change func(context.Context, *store.Attachment) error,
) (row store.Attachment, err error) {
	err = k.repository.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = k.lock(ctx, id, match); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, k.clock.Now()
		if err := change(ctx, &row); err != nil {
			return err
		}

		return k.repository.Save(ctx, &row)
	})

	return row, err
}

// lock keeps others from an attachment that is not deleted and is at the version that is meant.
func (k *Keeper) lock(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Attachment, error) {
	row, err := k.repository.Lock(ctx, id)
	if err != nil {
		return row, err
	}
	if row.DeletedAt != nil {
		return row, store.ErrNotFound
	}

	return row, match.Check(row.Version)
}

// Update changes the description of a file.
func (k *Keeper) Update(ctx context.Context, id uuid.UUID, match web.IfMatch, d Description) (store.Attachment, error) {
	row, err := k.repository.Find(ctx, id)
	if err != nil {
		return row, err
	}
	if d.FileName == "" {
		d.FileName = row.FileName
	}
	if d, err = d.accept(k.clock.Now()); err != nil {
		return row, err
	}
	if d.OwnerPart = row.OwnerPart; d.Owner != row.Owner() {
		if d.OwnerPart, err = partOf(ctx, k.items, d.Owner); err != nil {
			return row, err
		}
	}

	return k.Change(ctx, id, match, func(ctx context.Context, row *store.Attachment) error {
		before := *row
		d.put(row)

		return k.journal.Updated(ctx, before, *row)
	})
}

// Remove deletes a file, so that it can be restored until it is purged.
func (k *Keeper) Remove(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) error {
	_, err := k.Change(ctx, id, match, func(ctx context.Context, row *store.Attachment) error {
		if err := k.checkNotHeld(ctx, id); err != nil {
			return err
		}
		if err := k.journal.Step(ctx, row, store.VerbDelete, reason); err != nil {
			return err
		}
		at := row.UpdatedAt
		row.DeletedAt = &at

		return k.journal.Deleted(ctx, *row)
	})

	return err
}

// Restore brings a deleted file back. One that had expired is kept without an end.
func (k *Keeper) Restore(ctx context.Context, id uuid.UUID, match web.IfMatch) (row store.Attachment, err error) {
	err = k.repository.DB.InTx(ctx, func(ctx context.Context) error {
		if row, err = k.repository.Lock(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := k.journal.Step(ctx, &row, store.VerbRestore, ""); err != nil {
			return err
		}
		row.Version, row.UpdatedAt, row.DeletedAt = row.Version+1, k.clock.Now(), nil
		if row.ExpiresAt != nil && !row.ExpiresAt.After(row.UpdatedAt) {
			row.ExpiresAt = nil
		}
		if err := k.repository.Save(ctx, &row); err != nil {
			return err
		}

		return k.journal.Restored(ctx, id)
	})

	return row, err
}

// checkNotHeld refuses what is held.
func (k *Keeper) checkNotHeld(ctx context.Context, id uuid.UUID) error {
	held, err := k.repository.HasHold(ctx, id)
	if err == nil && held {
		err = store.ErrHeld
	}

	return err
}

// Hold implements attachmentsapi.Holds.
func (k *Keeper) Hold(ctx context.Context, id, holderType, holderUUID string) error {
	row, err := newHold(id, holderType, holderUUID)
	if err != nil {
		return err
	}

	return k.repository.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := k.lock(ctx, row.AttachmentID, web.IfMatch{}); err != nil {
			return err
		}
		row.CreatedAt = k.clock.Now()

		return k.repository.AddHold(ctx, &row)
	})
}

// Release implements attachmentsapi.Holds.
func (k *Keeper) Release(ctx context.Context, id, holderType, holderUUID string) error {
	row, err := newHold(id, holderType, holderUUID)
	if err != nil {
		return err
	}

	return k.repository.DB.InTx(ctx, func(ctx context.Context) error { return k.repository.DeleteHold(ctx, row) })
}

func newHold(id, holderType, holderUUID string) (store.Hold, error) {
	parsed, err := store.ParseID(id)
	if err != nil {
		return store.Hold{}, err
	}
	holder, err := uuid.Parse(holderUUID)
	if err != nil || holderType == "" {
		return store.Hold{}, store.ErrInvalid.WithField("holder", "The holder must be an item: a type and a UUID.")
	}

	return store.Hold{AttachmentID: parsed, HolderType: holderType, HolderID: holder}, nil
}
