// Package files keeps attachments: it takes their content in, changes what is said of them, reads them, and removes them.
package files

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Intake takes in new files, and new content of files.
type Intake struct {
	repository *store.Repository
	storage    *receiving.Storage
	quota      *limits.Quota
	keeper     *Keeper
	journal    *Journal
}

// NewIntake returns the intake of a repository.
func NewIntake(r *store.Repository, st *receiving.Storage, q *limits.Quota, k *Keeper, j *Journal) *Intake {
	return &Intake{repository: r, storage: st, quota: q, keeper: k, journal: j}
}

// Store is the one way in for new files that come at once: forms, other areas, upload links. Done, if it is not nil, runs in the
// transaction that makes the row.
func (i *Intake) Store(
	ctx context.Context, d Description, in receiving.Incoming, done func(context.Context, *store.Attachment) error,
) (store.Attachment, error) {
	d, err := i.keeper.Check(ctx, d)
	if err != nil {
		return store.Attachment{}, err
	}
	in.Category = d.Category
	in.FileName = d.FileName
	if in, err = i.limit(ctx, in); err != nil {
		return store.Attachment{}, err
	}

	return i.Receive(ctx, in, func(ctx context.Context, a *receiving.Arrival) (store.Attachment, error) {
		return i.StoreArrival(ctx, d, a, done)
	})
}

// Receive takes content in, and has a function make a file of it in a transaction. Of an error, no content is left.
func (i *Intake) Receive(
	ctx context.Context, in receiving.Incoming, keep func(context.Context, *receiving.Arrival) (store.Attachment, error),
) (store.Attachment, error) {
	arrived, err := i.storage.Receive(ctx, in)
	if err != nil {
		return store.Attachment{}, err
	}
	var row store.Attachment
	err = i.repository.DB.InTx(ctx, func(ctx context.Context) (err error) {
		row, err = keep(ctx, arrived)

		return err
	})
	i.storage.DiscardOnError(ctx, err, arrived.Blob)

	return row, err
}

// limit refuses an upload of a company that is at its limit, before it is read, and gives it the company's limits.
func (i *Intake) limit(ctx context.Context, in receiving.Incoming) (receiving.Incoming, error) {
	in, err := i.quota.Apply(ctx, in)
	if err == nil {
		err = i.quota.CheckRoom(ctx, in.Limits, 1)
	}

	return in, err
}

// StoreArrival makes the row of content that has arrived.
func (i *Intake) StoreArrival(
	ctx context.Context, d Description, a *receiving.Arrival, done func(context.Context, *store.Attachment) error,
) (store.Attachment, error) {
	row := i.keeper.draft(ctx, d)
	if err := i.attach(ctx, &row, a); err != nil {
		return row, err
	}
	if done != nil {
		if err := done(ctx, &row); err != nil {
			return row, err
		}
	}
	if err := i.journal.Inspected(ctx, &row); err != nil {
		return row, err
	}
	if err := i.repository.Insert(ctx, &row); err != nil {
		return row, err
	}

	return row, i.journal.Announce(ctx, row)
}

// attach makes what arrived the newest content of a row, and counts it.
func (i *Intake) attach(ctx context.Context, row *store.Attachment, a *receiving.Arrival) error {
	facts, err := a.StoredFacts()
	if err != nil {
		return err
	}
	if err := i.quota.Add(ctx, a.Size, 1); err != nil {
		return err
	}
	row.Content++
	row.MediaType, row.Size, row.SHA256, row.Facts = a.MediaType, a.Size, a.SHA256, facts
	row.Quarantine, row.Scan = a.Quarantine, a.Scan

	return i.repository.InsertVersion(ctx, &store.Version{
		AttachmentID: row.ID, Number: row.Content, BlobName: a.Blob, FileName: row.FileName, MediaType: a.MediaType,
		Size: a.Size, SHA256: a.SHA256, Facts: facts, CreatedBy: principal.UserOf(ctx), CreatedAt: row.UpdatedAt,
	})
}

// Replace gives a file new content; what it had stays as a version.
func (i *Intake) Replace(ctx context.Context, id uuid.UUID, match web.IfMatch, in receiving.Incoming) (store.Attachment, error) {
	row, err := i.repository.Find(ctx, id)
	if err != nil {
		return row, err
	}
	if err := i.mayReplace(ctx, row, match); err != nil {
		return row, err
	}
	if in, err = i.limit(ctx, in); err != nil {
		return row, err
	}
	if in.FileName == "" {
		in.FileName = row.FileName
	}
	in.Category = row.Category

	return i.Receive(ctx, in, func(ctx context.Context, a *receiving.Arrival) (store.Attachment, error) {
		return i.keeper.Change(ctx, id, match, func(ctx context.Context, row *store.Attachment) error {
			if err := i.mayReplace(ctx, *row, web.IfMatch{}); err != nil {
				return err
			}
			row.FileName = a.FileName
			if err := i.attach(ctx, row, a); err != nil {
				return err
			}
			if err := i.journal.Inspected(ctx, row); err != nil {
				return err
			}

			return i.journal.Announce(ctx, *row)
		})
	})
}

// mayReplace refuses new content for a file that cannot have any.
func (i *Intake) mayReplace(ctx context.Context, row store.Attachment, match web.IfMatch) error {
	if row.DeletedAt != nil {
		return store.ErrNotFound
	}
	if err := match.Check(row.Version); err != nil {
		return err
	}
	if row.State != store.Ready {
		return unreadableError(row)
	}
	if err := i.quota.CheckVersions(row.Content); err != nil {
		return err
	}

	return i.keeper.checkNotHeld(ctx, row.ID)
}
