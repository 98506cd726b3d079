package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	gcblob "gocloud.dev/blob"
)

// Object is a blob that is read. It is an io.ReadSeekCloser for one goroutine, and outlives the
// request that it was opened in. It asks the store for nothing before the first Read, which says
// ErrNotFound if there is no such blob.
type Object struct {
	store  *Store
	name   string
	size   int64
	at     int64
	ctx    context.Context //nolint:containedctx // of the reading, which Close ends
	cancel context.CancelFunc
	reader *gcblob.Reader
}

var errSeek = errors.New("blob: negative position")

// Open returns a blob of the caller's company, which has that many bytes.
func (s *Store) Open(ctx context.Context, name string, size int64) *Object {
	o := &Object{store: s, name: name, size: size}
	o.ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))

	return o
}

// Read implements io.Reader.
func (o *Object) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	stalled := time.AfterFunc(o.store.settings.StallAfter, o.cancel)
	defer stalled.Stop()
	if o.reader == nil {
		bucket, key, err := o.store.at(o.ctx, o.name)
		if err != nil {
			return 0, err
		}
		if o.reader, err = bucket.NewRangeReader(o.ctx, key, o.at, -1, nil); err != nil {
			return 0, o.problem(err)
		}
	}
	n, err := o.reader.Read(p)
	o.at += int64(n)
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return n, o.problem(err)
	case o.at < o.size:
		return n, fmt.Errorf("blob %s ends after %d of %d bytes: %w", o.name, o.at, o.size, io.ErrUnexpectedEOF)
	default:
		return n, io.EOF
	}
}

func (o *Object) problem(err error) error {
	if o.ctx.Err() != nil {
		err = ErrUnavailable.WithCause(err)
	}

	return fmt.Errorf("reading blob %s: %w", o.name, translate(err))
}

// Seek implements io.Seeker. It moves without asking the store.
func (o *Object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return o.at, errSeek
	}
	if offset != o.at && o.reader != nil {
		if err := o.reader.Close(); err != nil {
			return o.at, translate(err)
		}
		o.reader = nil
	}
	o.at = offset

	return o.at, nil
}

// Close implements io.Closer.
func (o *Object) Close() error {
	defer o.cancel()
	if o.reader == nil {
		return nil
	}
	reader := o.reader
	o.reader = nil

	return translate(reader.Close())
}
