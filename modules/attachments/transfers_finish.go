package attachments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// assembly makes files of transfers that have arrived whole. They go through the pipeline like everything else.
type assembly struct {
	intake  *files.Intake
	keeper  *files.Keeper
	pending *pending
	parts   *parts
	door    *door
}

func newAssembly(i *files.Intake, k *files.Keeper, p *pending, parts *parts, d *door) *assembly {
	return &assembly{intake: i, keeper: k, pending: p, parts: parts, door: d}
}

// finish makes a file of a transfer that is claimed and has arrived whole. What is refused is removed; after
// other failures the job tries again.
func (a *assembly) finish(ctx context.Context, row store.Transfer) (store.Attachment, error) {
	ctx, cancel := detachedContext(ctx)
	defer cancel()
	file, err := a.compose(ctx, row)
	switch {
	case errors.Is(err, errFinished):
		return a.pending.finishedFile(ctx, row.ID)
	case err == nil:
		return file, nil
	case isPermanent(err):
		if gone := a.pending.discard(ctx, row.ID); gone != nil && !errors.Is(gone, store.ErrTransfer) {
			return file, errors.Join(err, gone)
		}

		return file, err
	default:
		if open := a.pending.unclaim(ctx, row.ID); open != nil {
			return file, errors.Join(err, open)
		}

		return file, fmt.Errorf("assembling upload %s: %w", row.ID, err)
	}
}

// compose takes the parts in as one content, and has it be a file instead of them.
func (a *assembly) compose(ctx context.Context, row store.Transfer) (store.Attachment, error) {
	d, err := a.keeper.Check(ctx, descriptionOf(row))
	if err != nil {
		return store.Attachment{}, err
	}
	in, err := a.pending.limits(ctx, row)
	if err != nil {
		return store.Attachment{}, err
	}
	content, err := a.parts.join(ctx, row.ID, func() error { return a.pending.renew(ctx, row.ID) })
	if err != nil {
		return store.Attachment{}, err
	}
	defer content.close()
	in.Content, in.FileName, in.Category = content, d.FileName, d.Category

	return a.intake.Receive(ctx, in, func(ctx context.Context, arrived *receiving.Arrival) (store.Attachment, error) {
		return a.pending.complete(ctx, row.ID, func(ctx context.Context, row store.Transfer) (store.Attachment, time.Time, error) {
			return a.store(ctx, row, d, arrived)
		})
	})
}

// store makes the row of the file, and counts the upload of its link, if it came by one. It returns until when the link is good.
func (a *assembly) store(
	ctx context.Context, row store.Transfer, d files.Description, arrived *receiving.Arrival,
) (file store.Attachment, until time.Time, err error) {
	file, err = a.intake.StoreArrival(ctx, d, arrived, func(ctx context.Context, file *store.Attachment) error {
		file.CreatedBy = row.CreatedBy
		if row.UploadLinkID == nil {
			return nil
		}
		file.UploadLinkID = row.UploadLinkID
		l, err := a.door.useByID(ctx, *row.UploadLinkID)
		until = l.ExpiresAt

		return err
	})

	return file, until, err
}

// isPermanent reports whether trying again would fail again.
func isPermanent(err error) bool {
	switch errs.KindOf(err) {
	case errs.Invalid, errs.TooLarge, errs.NotFound, errs.Conflict, errs.Malformed, errs.Corrupted:
		return true
	default:
		return false
	}
}

// descriptionOf is what its file is to be.
func descriptionOf(row store.Transfer) files.Description {
	return files.Description{
		Owner: row.Owner(), Category: row.Category,
		Visibility: row.Visibility, Title: row.Title, FileName: row.FileName, ExpiresAt: row.FileExpiresAt,
	}
}

// finisher assembles transfers when the request that brought their end did not.
type finisher struct {
	pending  *pending
	assembly *assembly
	log      *slog.Logger
}

func newFinisher(p *pending, a *assembly, log *slog.Logger) *finisher {
	return &finisher{pending: p, assembly: a, log: log}
}

// finishLeft does the job.
func (f *finisher) finishLeft(ctx context.Context, args finishTransferJob) error {
	row, err := f.pending.unfinished(ctx, args.Transfer)
	if row == nil || err != nil {
		return err
	}
	ctx = row.AsCreator(ctx)
	claimed, mine, err := f.pending.claim(ctx, args)
	if errors.Is(err, store.ErrTransfer) || err == nil && !mine {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err = f.assembly.finish(ctx, claimed); err != nil && isPermanent(err) {
		f.log.InfoContext(ctx, "upload refused when it was put together", "transfer", claimed.ID, "error", err)

		return nil
	}

	return err
}
