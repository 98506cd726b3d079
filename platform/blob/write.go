package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	gcblob "gocloud.dev/blob"
)

const (
	copyBuffer = 128 << 10
	// partSize and parts are of what is sent to a bucket at a time: memory of an upload, and, with the
	// 10,000 parts that S3 allows, at most 80 GB of it.
	partSize = 8 << 20
	parts    = 2
)

// Written is what was stored.
type Written struct {
	Size   int64
	SHA256 [sha256.Size]byte
}

// Write stores what r has as a blob of the caller's company, in flat memory. When it returns without
// an error, the blob is on disk, or the bucket has it; else there is none. An error of r is returned
// as it is. Errors: ErrFull and ErrUnavailable.
func (s *Store) Write(ctx context.Context, name string, r io.Reader) (Written, error) {
	bucket, key, err := s.at(ctx, name)
	if err != nil {
		return Written{}, err
	}
	source := &sourceReader{from: r}
	written, err := s.write(ctx, bucket, key, source)
	switch {
	case source.err != nil:
		return Written{}, source.err
	case err != nil:
		return Written{}, fmt.Errorf("writing blob %s: %w", name, translate(err))
	default:
		return written, nil
	}
}

func (s *Store) write(ctx context.Context, bucket *gcblob.Bucket, key string, from io.Reader) (made Written, err error) {
	if err := s.place.prepare(key); err != nil {
		return made, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File
	to, err := bucket.NewWriter(ctx, key, &gcblob.WriterOptions{
		ContentType: "application/octet-stream", DisableContentTypeDetection: true,
		BufferSize: partSize, MaxConcurrency: parts,
		BeforeWrite: func(as func(any) bool) error {
			as(&file) // of a folder

			return nil
		},
	})
	if err != nil {
		return made, err
	}
	defer func() {
		if err != nil {
			cancel()       // has the writer drop what it has
			_ = to.Close() //nolint:errcheck // err came first
		}
	}()
	sum := sha256.New()
	made.Size, err = io.CopyBuffer(io.MultiWriter(s.sink(to), sum), onlyReader{from}, make([]byte, copyBuffer))
	if err != nil {
		return made, err
	}
	if file != nil {
		if err = file.Sync(); err != nil {
			return made, err
		}
	}
	if err = to.Close(); err != nil {
		return made, err
	}
	sum.Sum(made.SHA256[:0])

	return made, s.place.settle(key)
}

// sink is what a blob is written to.
func (s *Store) sink(to io.Writer) io.Writer {
	if s.through == nil {
		return to
	}

	return s.through(to)
}

// sourceReader keeps the error of what is read, to tell it from one of what is written to.
type sourceReader struct {
	from io.Reader
	err  error
}

// Read implements io.Reader.
func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}

	return n, err
}

// onlyReader hides everything but Read, so that copying uses the buffer that it is given.
type onlyReader struct{ io.Reader }
