package attachments

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
)

// lateTime is how long what has arrived may take to be stored when the request's own time is over.
const lateTime = time.Minute

// receive stores what a request has of a transfer, from its offset on. Each part counts once it is stored,
// so that a connection that breaks, and a service that is killed, lose little. With a checksum all of it counts, or
// nothing. The transfer it returns is as it is now, also with an error.
func (t *transfers) receive(ctx context.Context, row store.Transfer, body io.Reader, sum *tus.Checksum) (store.Transfer, error) {
	ctx, cancel := detachedContext(ctx)
	defer cancel()
	if sized, ok := body.(interface{ Length() int64 }); ok && sized.Length() > row.Length-row.Received {
		return row, tooMuch(row)
	}
	from := bufio.NewReaderSize(body, filetype.Sniffed)
	if err := t.sniff(ctx, row, from); err != nil {
		return row, err
	}
	for {
		if _, err := from.Peek(1); err != nil {
			return row, notEOF(err)
		}
		if row.Complete() {
			return row, tooMuch(row)
		}
		p := &bodyPart{from: from, left: min(int64(t.files.settings.PartSize), row.Length-row.Received)}
		if sum != nil {
			p.left, p.sum = row.Length-row.Received, sum
		}
		p.last = p.left == row.Length-row.Received
		next, err := t.part(ctx, row, p)
		if err != nil {
			return row, err
		}
		if row = next; p.err != nil {
			return row, p.err
		}
	}
}

// detachedContext is a context that is good for a while longer.
func detachedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	late := context.WithoutCancel(ctx)
	if end, bounded := ctx.Deadline(); bounded {
		return context.WithDeadline(late, end.Add(lateTime))
	}

	return late, func() {}
}

// sniff refuses a file by its type when it begins to arrive, if so much of it comes at once that it tells.
func (t *transfers) sniff(ctx context.Context, row store.Transfer, from *bufio.Reader) error {
	if row.Received > 0 {
		return nil
	}
	head, err := from.Peek(int(min(filetype.Sniffed, row.Length)))
	if err != nil || len(head) == 0 {
		return nil //nolint:nilerr // there is less; the error comes again where the rest is read
	}
	in, err := t.limits(ctx, row)
	if err != nil {
		return err
	}

	return receiving.CheckType(t.files.settings, filetype.Detect(head), in.Limits.Types, in.Types)
}

// part stores a part and counts it.
func (t *transfers) part(ctx context.Context, row store.Transfer, p *bodyPart) (store.Transfer, error) {
	name := receiving.NewBlobName()
	made, err := t.files.storage.Blobs.Write(ctx, name, p)
	if err != nil {
		return row, err
	}
	if p.more {
		err = tooMuch(row)
	}
	if err == nil && p.sum != nil {
		switch {
		case p.err != nil:
			err = p.err
		case !p.sum.Matches():
			err = store.ErrChecksum
		}
	}
	if err == nil {
		arrived := store.Part{TransferID: row.ID, Start: row.Received, Size: made.Size, BlobName: name}
		err = t.files.db.InTx(ctx, func(ctx context.Context) error { return t.count(ctx, &row, arrived) })
	}
	t.files.storage.DiscardOnError(ctx, err, name)

	return row, err
}

// count makes the row of a part, if the transfer is where the part begins.
func (t *transfers) count(ctx context.Context, row *store.Transfer, p store.Part) error {
	now := t.files.clock.Now()
	held, err := t.files.repository.LockTransfer(ctx, row.ID)
	if err != nil {
		return err
	}
	switch {
	case held.Received != p.Start:
		return wrongOffset(held)
	case held.Parts >= mostParts:
		return store.ErrTooManyParts.WithDetail("limit", mostParts)
	}
	if err := t.stillOpen(ctx, held, now); err != nil {
		return err
	}
	if err := t.files.quota.Add(ctx, p.Size, 0); err != nil {
		return err
	}
	p.CreatedAt = now
	if err := t.files.repository.InsertPart(ctx, &p); err != nil {
		return err
	}
	held.Received, held.Parts, held.UpdatedAt, held.ExpiresAt = held.Received+p.Size, held.Parts+1, now, t.expiresAt(now)
	if held.Complete() {
		if err := t.willFinish(ctx, &held); err != nil {
			return err
		}
	}
	*row = held

	return t.files.repository.SaveTransfer(ctx, &held)
}

// stillOpen refuses a part of a link that ended meanwhile.
func (t *transfers) stillOpen(ctx context.Context, row store.Transfer, now time.Time) error {
	if row.UploadLinkID == nil {
		return nil
	}
	l, err := t.files.repository.FindUploadLink(ctx, *row.UploadLinkID)
	if err == nil && l.Status(now) != "open" {
		err = store.ErrLinkVoid
	}

	return concealLinkError(err)
}

// tooMuch refuses a body that is longer than what its upload still waits for.
func tooMuch(row store.Transfer) error {
	return store.ErrTooLarge.WithMessage("The upload has %d bytes, of which %d have come; the request brings more than the rest.", row.Length, row.Received)
}

func wrongOffset(row store.Transfer) error {
	return store.ErrOffset.WithMessage("The upload goes on at the offset %d.", row.Received).WithDetail("offset", row.Received)
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}

	return err
}

// bodyPart reads a part of a body. What breaks the body ends the part, so that what came before is stored.
type bodyPart struct {
	from *bufio.Reader
	left int64
	// last says that nothing may come after it, and more that something did.
	last, more bool
	sum        *tus.Checksum // nil for none
	err        error
}

// Read implements io.Reader.
func (p *bodyPart) Read(b []byte) (int, error) {
	if p.left == 0 || p.err != nil {
		if p.left == 0 && p.last && p.err == nil {
			_, err := p.from.Peek(1)
			p.more = err == nil
		}

		return 0, io.EOF
	}
	n, err := p.from.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	if p.sum != nil {
		p.sum.Add(b[:n])
	}
	if p.err = notEOF(err); err != nil {
		return n, io.EOF
	}

	return n, nil
}
