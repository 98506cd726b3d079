package attachments

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	// mostParts bounds the rows of a transfer.
	mostParts = 10_000
	// Of transfers that have not ended, so many there may be.
	openPerLink    = 20
	openPerCompany = 1000
	// claimTime is for how long a process that assembles a transfer has it to itself. It is renewed meanwhile, so it is how long others
	// wait for one that was killed.
	claimTime = 2 * time.Minute
	// sweepEvery is how often uploads are looked for that nobody goes on with.
	sweepEvery = 15 * time.Minute
	// sweepBatch is how many are looked for at a time.
	sweepBatch = 200
)

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

// sweepTransfersJob is the job that removes them.
type sweepTransfersJob struct{}

// Kind implements jobs.Args.
func (sweepTransfersJob) Kind() string { return "attachments.sweep_transfers" }

// announcement is a file that is to come.
type announcement struct {
	files.Description

	length   int64
	sha256   []byte // nil for any
	metadata string
	// link is nil for one with a token; more limits are those of the link.
	link *store.UploadLink
}

// pending keeps unfinished uploads, counts what has arrived, and knows which process assembles them.
type pending struct {
	settings   settings.Settings
	repository *store.Repository
	quota      *limits.Quota
	queue      *jobs.Queue
	clock      clock.Clock
}

func newPending(s settings.Settings, r *store.Repository, q *limits.Quota, queue *jobs.Queue, c clock.Clock) *pending {
	return &pending{settings: s, repository: r, quota: q, queue: queue, clock: c}
}

// begin makes a transfer whose description was checked. Nothing of it has arrived yet.
func (p *pending) begin(ctx context.Context, a announcement) (store.Transfer, error) {
	if err := p.fits(ctx, a); err != nil {
		return store.Transfer{}, err
	}
	now := p.clock.Now()
	row := store.Transfer{
		ID: database.NewID(), OwnerType: a.Owner.Type, OwnerID: web.Optional(a.Owner.UUID), Category: a.Category, Visibility: a.Visibility,
		Title: a.Title, FileName: a.FileName, FileExpiresAt: a.ExpiresAt, SHA256: hex.EncodeToString(a.sha256), Metadata: a.metadata,
		Length: a.length, CreatedBy: principal.UserOf(ctx), CreatedAt: now, UpdatedAt: now, ExpiresAt: p.expiresAt(now),
	}
	most := int64(openPerCompany)
	if a.link != nil {
		row.UploadLinkID, most = &a.link.ID, openPerLink
	}

	return row, p.repository.DB.InTx(ctx, func(ctx context.Context) error {
		open, err := p.repository.CountOpenTransfers(ctx, row.UploadLinkID, now)
		if err != nil {
			return err
		}
		if open >= most {
			return store.ErrTooManyTransfers.WithDetail("limit", most)
		}

		return p.repository.InsertTransfer(ctx, &row)
	})
}

// fits refuses a file that would be too large, before anything of it is sent.
func (p *pending) fits(ctx context.Context, a announcement) error {
	in, err := p.quota.Apply(ctx, receiving.Incoming{})
	if err != nil {
		return err
	}
	if a.link != nil {
		in.MaxSize = a.link.MaxSize
	}
	if a.length == 0 {
		return store.ErrEmpty
	}
	if most := p.settings.MaxSizeWithin(in.MaxSize, in.Limits.MaxSize); a.length > most {
		return store.ErrTooLarge.WithMessage("The file is larger than %s.", config.Size(most)).WithDetail("limit", most)
	}

	return p.quota.CheckRoom(ctx, in.Limits, a.length)
}

// expiresAt is how long a transfer that somebody has gone on with waits for more.
func (p *pending) expiresAt(now time.Time) time.Time { return now.Add(p.settings.ResumeLife) }

// find returns a transfer of an upload link, nil for those with a token, that can be gone on with or has
// ended well.
func (p *pending) find(ctx context.Context, id uuid.UUID, link *uuid.UUID) (store.Transfer, error) {
	row, err := p.repository.FindTransfer(ctx, id)
	switch {
	case err != nil:
		return row, err
	case (link == nil) != (row.UploadLinkID == nil), link != nil && *link != *row.UploadLinkID:
		return row, store.ErrTransfer
	case !row.ExpiresAt.After(p.clock.Now()):
		return row, store.ErrTransfer
	default:
		return row, nil
	}
}

// discard removes a transfer with what has arrived. A file that was made of it stays.
func (p *pending) discard(ctx context.Context, id uuid.UUID) error {
	return p.repository.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := p.repository.LockTransfer(ctx, id); err != nil {
			return err
		}
		if err := p.release(ctx, id); err != nil {
			return err
		}

		return p.repository.DeleteTransfer(ctx, id)
	})
}

// release removes the parts of a transfer that is held, and has their content removed once that is certain.
func (p *pending) release(ctx context.Context, id uuid.UUID) error {
	parts, err := p.repository.Parts(ctx, id)
	if err != nil || len(parts) == 0 {
		return err
	}
	bytes, blobs := int64(0), make([]string, len(parts))
	for i, part := range parts {
		bytes += part.Size
		blobs[i] = part.BlobName
	}
	if err := p.repository.DeleteParts(ctx, id); err != nil {
		return err
	}
	if _, err := p.repository.AddUsage(ctx, -bytes, 0, 0, p.clock.Now()); err != nil {
		return err
	}

	return p.queue.Enqueue(ctx, receiving.RemoveContent{Blobs: blobs}, jobs.Background())
}

// willFinish claims a transfer that has arrived whole for the caller, and has a job look after it should the
// caller fail.
func (p *pending) willFinish(ctx context.Context, row *store.Transfer) error {
	until := p.clock.Now().Add(claimTime)
	row.ClaimedUntil = &until

	return p.queue.Enqueue(ctx, finishTransferJob{Transfer: row.ID}, jobs.At(until))
}

// unfinished returns a transfer that has not become a file, nil if there is none.
func (p *pending) unfinished(ctx context.Context, id uuid.UUID) (*store.Transfer, error) {
	row, err := p.repository.FindTransfer(ctx, id)
	if errors.Is(err, store.ErrTransfer) || err == nil && row.AttachmentID != nil {
		return nil, nil //nolint:nilnil // nil is none
	}

	return &row, err
}

// claim claims a transfer for the caller if it is not assembled yet. One that another process has claimed is looked at again later, by the
// job whose arguments are given.
func (p *pending) claim(ctx context.Context, args finishTransferJob) (row store.Transfer, mine bool, err error) {
	err = p.repository.DB.InTx(ctx, func(ctx context.Context) error {
		mine = false
		held, err := p.repository.LockTransfer(ctx, args.Transfer)
		if err != nil || held.AttachmentID != nil {
			return err
		}
		if held.Claimed(p.clock.Now()) {
			return p.queue.Enqueue(ctx, args, jobs.At(*held.ClaimedUntil))
		}
		mine, row = true, held
		until := p.clock.Now().Add(claimTime)
		row.ClaimedUntil = &until

		return p.repository.SaveTransfer(ctx, &row)
	})

	return row, mine, err
}

// finishedFile returns the file that a transfer has become. It asks in a transaction: what told the caller so may
// stand in one that is about to be committed, which nobody sees who only reads.
func (p *pending) finishedFile(ctx context.Context, id uuid.UUID) (file store.Attachment, err error) {
	err = p.repository.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := p.repository.LockTransfer(ctx, id)
		if err != nil {
			return err
		}
		if row.AttachmentID == nil { // that one was not committed
			return errUnfinished
		}
		file, err = p.repository.Find(ctx, *row.AttachmentID)

		return err
	})

	return file, err
}

// unclaim lets others try.
func (p *pending) unclaim(ctx context.Context, id uuid.UUID) error {
	return p.repository.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := p.repository.LockTransfer(ctx, id)
		if err != nil {
			return err
		}
		row.ClaimedUntil = nil

		return p.repository.SaveTransfer(ctx, &row)
	})
}

// renew keeps others from a transfer for a while longer.
func (p *pending) renew(ctx context.Context, id uuid.UUID) error {
	return p.repository.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := p.repository.LockTransfer(ctx, id)
		if err != nil {
			return err
		}
		if row.AttachmentID != nil {
			return errFinished
		}
		until := p.clock.Now().Add(claimTime)
		row.ClaimedUntil = &until

		return p.repository.SaveTransfer(ctx, &row)
	})
}

// limits are those of the file of a transfer.
func (p *pending) limits(ctx context.Context, row store.Transfer) (receiving.Incoming, error) {
	in, err := p.quota.Apply(ctx, receiving.Incoming{})
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
	l, err := p.repository.FindUploadLink(ctx, *row.UploadLinkID)
	in.MaxSize, in.Types = l.MaxSize, l.Types

	return in, store.ConcealLinkError(err)
}

// complete has a function make the file of a transfer, once, from whose parts it is made. It runs in a transaction. The transfer is kept until
// the time that the function returns, so that who has sent it can ask what became of it.
func (p *pending) complete(
	ctx context.Context, id uuid.UUID, keep func(context.Context, store.Transfer) (store.Attachment, time.Time, error),
) (store.Attachment, error) {
	row, err := p.repository.LockTransfer(ctx, id)
	if err != nil {
		return store.Attachment{}, err
	}
	if row.AttachmentID != nil {
		return store.Attachment{}, errFinished
	}
	if err := p.release(ctx, id); err != nil { // before the file is counted: the bytes are the same
		return store.Attachment{}, err
	}
	file, until, err := keep(ctx, row)
	if err != nil {
		return file, err
	}
	now := p.clock.Now()
	if least := p.expiresAt(now); until.Before(least) {
		until = least
	}
	row.AttachmentID, row.ClaimedUntil, row.UpdatedAt, row.ExpiresAt = &file.ID, nil, now, until

	return file, p.repository.SaveTransfer(ctx, &row)
}

// file returns the file that a transfer has become, with the zero State if it was purged meanwhile.
func (p *pending) file(ctx context.Context, row store.Transfer) (store.Attachment, error) {
	file, err := p.repository.Find(ctx, *row.AttachmentID)
	if errors.Is(err, store.ErrNotFound) {
		return store.Attachment{}, nil
	}

	return file, err
}

// count makes the row of a part, if the transfer is where the part begins.
func (p *pending) count(ctx context.Context, row *store.Transfer, part store.Part) error {
	now := p.clock.Now()
	held, err := p.repository.LockTransfer(ctx, row.ID)
	if err != nil {
		return err
	}
	switch {
	case held.Received != part.Start:
		return wrongOffset(held)
	case held.Parts >= mostParts:
		return store.ErrTooManyParts.WithDetail("limit", mostParts)
	}
	if err := p.stillOpen(ctx, held, now); err != nil {
		return err
	}
	if err := p.quota.Add(ctx, part.Size, 0); err != nil {
		return err
	}
	part.CreatedAt = now
	if err := p.repository.InsertPart(ctx, &part); err != nil {
		return err
	}
	held.Received, held.Parts, held.UpdatedAt, held.ExpiresAt = held.Received+part.Size, held.Parts+1, now, p.expiresAt(now)
	if held.Complete() {
		if err := p.willFinish(ctx, &held); err != nil {
			return err
		}
	}
	*row = held

	return p.repository.SaveTransfer(ctx, &held)
}

// stillOpen refuses a part of a link that ended meanwhile.
func (p *pending) stillOpen(ctx context.Context, row store.Transfer, now time.Time) error {
	if row.UploadLinkID == nil {
		return nil
	}
	l, err := p.repository.FindUploadLink(ctx, *row.UploadLinkID)
	if err == nil && l.Status(now) != "open" {
		err = store.ErrLinkVoid
	}

	return store.ConcealLinkError(err)
}

// sweepAll does the job, for all companies.
func (p *pending) sweepAll(ctx context.Context, _ sweepTransfersJob) error {
	for {
		keys, err := p.repository.ExpiredTransfers(ctx, p.clock.Now(), sweepBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := p.discard(principal.AsCompany(ctx, k.CompanyID), k.ID); err != nil && !errors.Is(err, store.ErrTransfer) {
				return fmt.Errorf("upload %s: %w", k.ID, err)
			}
		}
	}
}
