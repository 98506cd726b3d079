// Package receiving takes content in: it stores it as it arrives, bounds it, and has it inspected before it is given out.
package receiving

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

// dropTime is how long removing content may take that is not kept.
const dropTime = time.Minute

// BlobPrefix is what the names of the area's blobs begin with.
const BlobPrefix = "attachments"

// Storage takes content in. Blobs is where it lies.
type Storage struct {
	Blobs *blob.Store

	settings settings.Settings
	pipeline Pipeline
	log      *slog.Logger
}

// NewStorage returns the storage, with the steps that content goes through.
func NewStorage(s settings.Settings, files *blob.Store, p Pipeline, log *slog.Logger) *Storage {
	return &Storage{settings: s, Blobs: files, pipeline: p, log: log}
}

// Incoming is content that is on its way.
type Incoming struct {
	Content  io.Reader
	FileName string
	Category string
	// MaxSize and Types are limits of this upload beside those of the settings; 0 and none are no limits.
	MaxSize int64
	Types   []string
	// Limits are the limits that the company has set.
	Limits store.CompanyLimits
	// Digests are SHA-256 sums that the content must have.
	Digests [][]byte
}

// Receive stores content as it arrives, in flat memory, and looks at it. What it returns is whole and belongs
// to nothing yet: whoever stores no row about it calls Discard. When the process dies before, reconciling
// finds it.
func (s *Storage) Receive(ctx context.Context, in Incoming) (*Arrival, error) {
	head := bufio.NewReaderSize(in.Content, filetype.Sniffed)
	begin, err := head.Peek(filetype.Sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(begin) == 0 {
		return nil, store.ErrEmpty
	}
	media := filetype.Detect(begin)
	if err := CheckType(s.settings, media, in.Limits.Types, in.Types); err != nil {
		return nil, err
	}
	a := &Arrival{
		Blob: NewBlobName(), FileName: filetype.CleanName(in.FileName), Category: in.Category, MediaType: media,
		Facts: map[string]any{}, files: s.Blobs,
	}
	within := &limitedReader{from: head, left: s.MaxSize(in), limit: s.MaxSize(in)}
	if sized, ok := in.Content.(interface{ Length() int64 }); ok && sized.Length() > within.limit {
		return nil, within.tooLarge()
	}
	made, err := s.Blobs.Write(ctx, a.Blob, within)
	if err != nil {
		return nil, err
	}
	a.Size, a.SHA256 = made.Size, hex.EncodeToString(made.SHA256[:])
	for _, sum := range in.Digests {
		if !bytes.Equal(sum, made.SHA256[:]) {
			s.Discard(ctx, a.Blob)

			return nil, store.ErrDigest.WithDetail("sha256", a.SHA256)
		}
	}
	if err := s.pipeline.Inspect(ctx, a); err != nil {
		s.Discard(ctx, a.Blob)

		return nil, err
	}

	return a, nil
}

// MaxSize is how large an upload may be, in bytes.
func (s *Storage) MaxSize(in Incoming) int64 {
	return s.settings.MaxSizeWithin(in.MaxSize, in.Limits.MaxSize)
}

// NewBlobName is a name that no blob has.
func NewBlobName() string {
	id := database.NewID().String()

	return BlobPrefix + "/" + id[len(id)-2:] + "/" + id
}

// DiscardOnError removes content whose row could not be written. Where nobody knows whether it was, the content stays, and
// reconciling removes it if there is no row.
func (s *Storage) DiscardOnError(ctx context.Context, problem error, name string) {
	if problem != nil && !errors.Is(problem, database.ErrOutcomeUnknown) {
		s.Discard(ctx, name)
	}
}

// Discard removes content that no row is about. Where that fails, reconciling does it later.
func (s *Storage) Discard(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	if err := s.Blobs.Delete(ctx, name); err != nil {
		s.log.WarnContext(ctx, "content that is not kept was not removed", "blob", name, "error", err)
	}
}

// RemoveContent is the job that removes content whose rows are gone. It may run twice.
type RemoveContent struct {
	Blobs []string `json:"blobs"`
}

// Kind implements jobs.Args.
func (RemoveContent) Kind() string { return "attachments.drop" }

// Remove does the job, as the company whose content it is.
func (s *Storage) Remove(ctx context.Context, args RemoveContent) error {
	for _, name := range args.Blobs {
		if err := s.Blobs.Delete(ctx, name); err != nil {
			return err
		}
	}

	return nil
}

// limitedReader reads no more than it may.
type limitedReader struct {
	from        io.Reader
	left, limit int64
}

// Read implements io.Reader.
func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, l.tooLarge()
	}

	return n, err
}

func (l *limitedReader) tooLarge() error {
	return store.ErrTooLarge.WithMessage("The file is larger than %s.", config.Size(l.limit)).WithDetail("limit", l.limit)
}

// CheckType refuses a media type. Types are those that the company, and this upload, may have; none is all.
func CheckType(s settings.Settings, media string, types ...[]string) error {
	for _, allowed := range append([][]string{s.AllowedTypes}, types...) {
		if len(allowed) > 0 && !filetype.MatchesAny(media, allowed) {
			return store.ErrType.WithMessage("The file is %s. Allowed types: %s.", media, strings.Join(allowed, ", ")).
				WithField("file", "The file must be of one of these types: "+strings.Join(allowed, ", ")+".").
				WithDetail("media_type", media).WithDetail("allowed", allowed)
		}
	}
	if filetype.MatchesAny(media, s.RefusedTypes) {
		return store.ErrType.WithMessage("The file is %s. This type is not accepted.", media).
			WithField("file", "The file must not be "+media+".").WithDetail("media_type", media)
	}

	return nil
}
