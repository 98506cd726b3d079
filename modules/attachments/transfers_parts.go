package attachments

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
	"github.com/dispatchd/dispatchd/platform/blob"
)

// lateTime is how long what has arrived may take to be stored when the request's own time is over.
const lateTime = time.Minute

// parts store what arrives of transfers. What has arrived of one is in parts, since nothing can be appended to an object in a bucket: each a
// blob and a row.
type parts struct {
	settings settings.Settings
	storage  *receiving.Storage
	pending  *pending
	rows     *store.Repository
}

func newParts(s settings.Settings, st *receiving.Storage, p *pending, r *store.Repository) *parts {
	return &parts{settings: s, storage: st, pending: p, rows: r}
}

// receive stores what a request has of a transfer, from its offset on. Each part counts once it is stored,
// so that a connection that breaks, and a service that is killed, lose little. With a checksum all of it counts, or
// nothing. The transfer it returns is as it is now, also with an error.
func (p *parts) receive(ctx context.Context, row store.Transfer, body io.Reader, sum *tus.Checksum) (store.Transfer, error) {
	ctx, cancel := detachedContext(ctx)
	defer cancel()
	if sized, ok := body.(interface{ Length() int64 }); ok && sized.Length() > row.Length-row.Received {
		return row, tooMuch(row)
	}
	from := bufio.NewReaderSize(body, filetype.Sniffed)
	if err := p.sniff(ctx, row, from); err != nil {
		return row, err
	}
	for {
		if _, err := from.Peek(1); err != nil {
			return row, notEOF(err)
		}
		if row.Complete() {
			return row, tooMuch(row)
		}
		b := &bodyPart{from: from, left: min(int64(p.settings.PartSize), row.Length-row.Received)}
		if sum != nil {
			b.left, b.sum = row.Length-row.Received, sum
		}
		b.last = b.left == row.Length-row.Received
		next, err := p.part(ctx, row, b)
		if err != nil {
			return row, err
		}
		if row = next; b.err != nil {
			return row, b.err
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
func (p *parts) sniff(ctx context.Context, row store.Transfer, from *bufio.Reader) error {
	if row.Received > 0 {
		return nil
	}
	head, err := from.Peek(int(min(filetype.Sniffed, row.Length)))
	if err != nil || len(head) == 0 {
		return nil //nolint:nilerr // there is less; the error comes again where the rest is read
	}
	in, err := p.pending.limits(ctx, row)
	if err != nil {
		return err
	}

	return receiving.CheckType(p.settings, filetype.Detect(head), in.Limits.Types, in.Types)
}

// part stores a part and counts it.
func (p *parts) part(ctx context.Context, row store.Transfer, b *bodyPart) (store.Transfer, error) {
	name := receiving.NewBlobName()
	made, err := p.storage.Blobs.Write(ctx, name, b)
	if err != nil {
		return row, err
	}
	if b.more {
		err = tooMuch(row)
	}
	if err == nil && b.sum != nil {
		switch {
		case b.err != nil:
			err = b.err
		case !b.sum.Matches():
			err = store.ErrChecksum
		}
	}
	if err == nil {
		arrived := store.Part{TransferID: row.ID, Start: row.Received, Size: made.Size, BlobName: name}
		err = p.rows.DB.InTx(ctx, func(ctx context.Context) error { return p.pending.count(ctx, &row, arrived) })
	}
	p.storage.DiscardOnError(ctx, err, name)

	return row, err
}

// tooMuch refuses a body that is longer than what its upload still waits for.
func tooMuch(row store.Transfer) error {
	return store.ErrTooLarge.WithMessage("The upload has %d bytes, and %d have arrived. The request has more bytes than remain.", row.Length, row.Received)
}

func wrongOffset(row store.Transfer) error {
	return store.ErrOffset.WithMessage("The upload continues at offset %d.", row.Received).WithDetail("offset", row.Received)
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

// join returns what has arrived of a transfer as one content. Next is called before each part is read, and when there is no part: then another
// process may have made the file meanwhile.
func (p *parts) join(ctx context.Context, id uuid.UUID, next func() error) (*joined, error) {
	all, err := p.rows.Parts(ctx, id)
	if err == nil && len(all) == 0 {
		err = next()
	}

	return &joined{ctx: ctx, files: p.storage.Blobs, parts: all, next: next}, err
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
