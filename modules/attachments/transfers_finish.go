package attachments

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// claimTime is for how long somebody who puts a transfer together has it to himself. It is renewed meanwhile, so
// it is how long others wait for one who was killed.
const claimTime = 2 * time.Minute

// errUnfinished is why a transfer is left to the job that looks after it.
var errUnfinished = errors.New("another process failed while it assembled the upload")

// errFinished ends putting together what somebody else has put together meanwhile.
var errFinished = errors.New("the upload is already assembled")

// finishTransferJob is the job that puts a transfer together when the request that brought its end did not.
type finishTransferJob struct {
	Transfer uuid.UUID `json:"transfer"`
}

// Kind implements jobs.Args.
func (finishTransferJob) Kind() string { return "attachments.finish_transfer" }

// willFinish claims a transfer, all of which has arrived, for the caller, and has a job look after it should the
// caller fail.
func (t *transfers) willFinish(ctx context.Context, row *store.Transfer) error {
	until := t.files.clock.Now().Add(claimTime)
	row.ClaimedUntil = &until

	return t.files.queue.Enqueue(ctx, finishTransferJob{Transfer: row.ID}, jobs.At(until))
}

// finishLeft does the job.
func (t *transfers) finishLeft(ctx context.Context, args finishTransferJob) error {
	row, err := t.files.repository.FindTransfer(ctx, args.Transfer)
	if errors.Is(err, store.ErrTransfer) || err == nil && row.AttachmentID != nil {
		return nil
	}
	if err != nil {
		return err
	}
	ctx = row.AsCreator(ctx)
	mine := false
	err = t.files.db.InTx(ctx, func(ctx context.Context) error {
		mine = false
		held, err := t.files.repository.LockTransfer(ctx, args.Transfer)
		if err != nil || held.AttachmentID != nil {
			return err
		}
		if held.Claimed(t.files.clock.Now()) {
			return t.files.queue.Enqueue(ctx, args, jobs.At(*held.ClaimedUntil))
		}
		mine, row = true, held
		until := t.files.clock.Now().Add(claimTime)
		row.ClaimedUntil = &until

		return t.files.repository.SaveTransfer(ctx, &row)
	})
	if errors.Is(err, store.ErrTransfer) || err == nil && !mine {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err = t.finish(ctx, row); err != nil && isPermanent(err) {
		t.log.InfoContext(ctx, "upload refused when it was put together", "transfer", row.ID, "error", err)

		return nil
	}

	return err
}

// finish makes a file of a transfer that is claimed and all of which has arrived. What is refused is removed; after
// other failures the job tries again.
func (t *transfers) finish(ctx context.Context, row store.Transfer) (store.Attachment, error) {
	ctx, cancel := detachedContext(ctx)
	defer cancel()
	file, err := t.compose(ctx, row)
	switch {
	case errors.Is(err, errFinished):
		return t.finishedFile(ctx, row.ID)
	case err == nil:
		return file, nil
	case isPermanent(err):
		if gone := t.discard(ctx, row.ID); gone != nil && !errors.Is(gone, store.ErrTransfer) {
			return file, errors.Join(err, gone)
		}

		return file, err
	default:
		if open := t.unclaim(ctx, row.ID); open != nil {
			return file, errors.Join(err, open)
		}

		return file, fmt.Errorf("assembling upload %s: %w", row.ID, err)
	}
}

// finishedFile returns the file that a transfer has become. It asks in a transaction: what told the caller so may
// stand in one that is about to be committed, which nobody sees who only reads.
func (t *transfers) finishedFile(ctx context.Context, id uuid.UUID) (file store.Attachment, err error) {
	err = t.files.db.InTx(ctx, func(ctx context.Context) error {
		row, err := t.files.repository.LockTransfer(ctx, id)
		if err != nil {
			return err
		}
		if row.AttachmentID == nil { // that one was not committed
			return errUnfinished
		}
		file, err = t.files.repository.Find(ctx, *row.AttachmentID)

		return err
	})

	return file, err
}

// unclaim lets others try.
func (t *transfers) unclaim(ctx context.Context, id uuid.UUID) error {
	return t.files.db.InTx(ctx, func(ctx context.Context) error {
		row, err := t.files.repository.LockTransfer(ctx, id)
		if err != nil {
			return err
		}
		row.ClaimedUntil = nil

		return t.files.repository.SaveTransfer(ctx, &row)
	})
}

// compose takes the parts in as one content, and has it be a file instead of them.
func (t *transfers) compose(ctx context.Context, row store.Transfer) (store.Attachment, error) {
	d, err := t.files.check(ctx, descriptionOf(row))
	if err != nil {
		return store.Attachment{}, err
	}
	in, err := t.limits(ctx, row)
	if err != nil {
		return store.Attachment{}, err
	}
	parts, err := t.files.repository.Parts(ctx, row.ID)
	if err != nil {
		return store.Attachment{}, err
	}
	content := &joined{ctx: ctx, files: t.files.storage.Blobs, parts: parts, next: func() error { return t.renew(ctx, row.ID) }}
	defer content.close()
	in.Content, in.FileName, in.Category = content, d.FileName, d.Category
	arrived, err := t.files.storage.Receive(ctx, in)
	if err != nil {
		return store.Attachment{}, err
	}
	var file store.Attachment
	err = t.files.db.InTx(ctx, func(ctx context.Context) (err error) {
		file, err = t.completeTransfer(ctx, row.ID, d, arrived)

		return err
	})
	t.files.storage.DiscardOnError(ctx, err, arrived.Blob)

	return file, err
}

// limits are those of the file of a transfer.
func (t *transfers) limits(ctx context.Context, row store.Transfer) (receiving.Incoming, error) {
	in, err := t.files.quota.Apply(ctx, receiving.Incoming{})
	if err != nil {
		return in, err
	}
	if row.SHA256 != "" {
		sum, err := hex.DecodeString(row.SHA256)
		if err != nil {
			return in, fmt.Errorf("sha256 of upload %s: %w", row.ID, err)
		}
		in.Digests = [][]byte{sum}
	}
	if row.UploadLinkID == nil {
		return in, nil
	}
	l, err := t.files.repository.FindUploadLink(ctx, *row.UploadLinkID)
	in.MaxSize, in.Types = l.MaxSize, l.Types

	return in, concealLinkError(err)
}

// completeTransfer makes the row of the file, once, and removes the parts. It runs in a transaction.
func (t *transfers) completeTransfer(ctx context.Context, id uuid.UUID, d description, a *receiving.Arrival) (store.Attachment, error) {
	row, err := t.files.repository.LockTransfer(ctx, id)
	if err != nil {
		return store.Attachment{}, err
	}
	if row.AttachmentID != nil {
		return store.Attachment{}, errFinished
	}
	if err := t.release(ctx, id); err != nil { // before the file is counted: the bytes are the same
		return store.Attachment{}, err
	}
	now := t.files.clock.Now()
	until := t.expiresAt(now)
	file, err := t.files.storeArrival(ctx, d, a, func(ctx context.Context, file *store.Attachment) error {
		file.CreatedBy = row.CreatedBy
		if row.UploadLinkID == nil {
			return nil
		}
		file.UploadLinkID = row.UploadLinkID
		l, err := t.useLink(ctx, *row.UploadLinkID)
		if l.ExpiresAt.After(until) { // so long, who has sent it can ask what became of it
			until = l.ExpiresAt
		}

		return err
	})
	if err != nil {
		return file, err
	}
	row.AttachmentID, row.ClaimedUntil, row.UpdatedAt, row.ExpiresAt = &file.ID, nil, now, until

	return file, t.files.repository.SaveTransfer(ctx, &row)
}

// useLink counts an upload of a link, if it may have one more.
func (t *transfers) useLink(ctx context.Context, id uuid.UUID) (store.UploadLink, error) {
	l, err := t.files.repository.FindUploadLink(ctx, id)
	if err != nil {
		return l, concealLinkError(err)
	}
	if err := t.links.made.UseByID(ctx, sending, l.LinkID); err != nil {
		return l, err
	}

	return l, t.files.repository.CountUpload(ctx, id, t.files.clock.Now())
}

// renew keeps others from a transfer for a while longer.
func (t *transfers) renew(ctx context.Context, id uuid.UUID) error {
	return t.files.db.InTx(ctx, func(ctx context.Context) error {
		row, err := t.files.repository.LockTransfer(ctx, id)
		if err != nil {
			return err
		}
		if row.AttachmentID != nil {
			return errFinished
		}
		until := t.files.clock.Now().Add(claimTime)
		row.ClaimedUntil = &until

		return t.files.repository.SaveTransfer(ctx, &row)
	})
}

// joined reads parts one after the other.
type joined struct {
	ctx   context.Context //nolint:containedctx // of the reading
	files *blob.Store
	parts []store.Part
	open  *blob.Object
	// next is called before each part.
	next func() error
}

// Read implements io.Reader.
func (j *joined) Read(p []byte) (int, error) {
	for {
		if j.open == nil {
			if len(j.parts) == 0 {
				return 0, io.EOF
			}
			if err := j.next(); err != nil {
				return 0, err
			}
			j.open, j.parts = j.files.Open(j.ctx, j.parts[0].BlobName, j.parts[0].Size), j.parts[1:]
		}
		n, err := j.open.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		j.close()
		if n > 0 {
			return n, nil
		}
	}
}

func (j *joined) close() {
	if j.open != nil {
		_ = j.open.Close() //nolint:errcheck // it was only read
		j.open = nil
	}
}
