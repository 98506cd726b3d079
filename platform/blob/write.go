package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

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
	stall := newStall(s.settings.StallAfter, cancel)
	defer stall.stop()
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
	made.Size, err = io.CopyBuffer(io.MultiWriter(stall.watch(s.sink(to)), sum), onlyReader{from}, make([]byte, copyBuffer))
	if err != nil {
		return made, stall.problem(err)
	}
	if file != nil {
		if err = file.Sync(); err != nil {
			return made, err
		}
	}
	stall.begins()
	if err = to.Close(); err != nil {
		return made, stall.problem(err)
	}
	sum.Sum(made.SHA256[:0])

	return made, s.place.syncFolder(key)
}

// stall gives up a store that does nothing for too long. What it waits for is the store, not who sends the bytes.
type stall struct {
	after time.Duration
	timer *time.Timer
	over  atomic.Bool
}

func newStall(after time.Duration, giveUp func()) *stall {
	s := &stall{after: after}
	s.timer = time.AfterFunc(after, func() {
		s.over.Store(true)
		giveUp()
	})
	s.timer.Stop()

	return s
}

func (s *stall) begins() { s.timer.Reset(s.after) }
func (s *stall) stop()   { s.timer.Stop() }

// problem is the failure of a store that was given up.
func (s *stall) problem(err error) error {
	if s.over.Load() {
		return ErrUnavailable.WithCause(err)
	}

	return err
}

// watch returns to with the time that each Write takes bounded.
func (s *stall) watch(to io.Writer) io.Writer { return stallWriter{s, to} }

type stallWriter struct {
	stall *stall
	to    io.Writer
}

// Write implements io.Writer.
func (w stallWriter) Write(p []byte) (int, error) {
	w.stall.begins()
	defer w.stall.stop()

	return w.to.Write(p)
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
