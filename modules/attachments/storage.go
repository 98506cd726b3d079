package attachments

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

// dropTime is how long removing content may take that is not kept.
const dropTime = time.Minute

// blobArea is what the names of the area's blobs begin with.
const blobArea = "attachments"

// storage takes content in and gives it out.
type storage struct {
	settings settings
	files    *blob.Store
	pipeline pipeline
	log      *slog.Logger
}

func newStorage(s settings, files *blob.Store, p pipeline, log *slog.Logger) *storage {
	return &storage{settings: s, files: files, pipeline: p, log: log}
}

// incoming is content that is on its way.
type incoming struct {
	content  io.Reader
	fileName string
	category string
	// maxSize and types are limits of this upload beside those of the settings; 0 and none are no limits.
	maxSize int64
	types   []string
	// own are the limits that the company has set.
	own companyLimits
	// digests are SHA-256 sums that the content must have.
	digests [][]byte
}

// take stores content as it arrives, in flat memory, and looks at it. What it returns is whole and belongs
// to nothing yet: whoever stores no row about it calls drop. When the process dies before, reconciling
// finds it.
func (s *storage) take(ctx context.Context, in incoming) (*arrival, error) {
	head := bufio.NewReaderSize(in.content, sniffed)
	begin, err := head.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	media := sniff(begin)
	if err := s.settings.checkType(media, in.own.Types, in.types); err != nil {
		return nil, err
	}
	a := &arrival{
		Blob: newBlobName(), FileName: cleanName(in.fileName), Category: in.category, MediaType: media,
		Facts: map[string]any{}, files: s.files,
	}
	within := &limited{from: head, left: s.limit(in), limit: s.limit(in)}
	if sized, ok := in.content.(interface{ Length() int64 }); ok && sized.Length() > within.limit {
		return nil, within.refusal()
	}
	made, err := s.files.Write(ctx, a.Blob, within)
	if err != nil {
		return nil, err
	}
	a.Size, a.SHA256 = made.Size, hex.EncodeToString(made.SHA256[:])
	for _, sum := range in.digests {
		if !bytes.Equal(sum, made.SHA256[:]) {
			s.drop(ctx, a.Blob)

			return nil, errDigest.WithDetail("sha256", a.SHA256)
		}
	}
	if err := s.pipeline.receive(ctx, a); err != nil {
		s.drop(ctx, a.Blob)

		return nil, err
	}

	return a, nil
}

func (s *storage) limit(in incoming) int64 { return s.settings.sizeWithin(in.maxSize, in.own.MaxSize) }

// newBlobName is a name that no blob has.
func newBlobName() string {
	id := database.NewID().String()

	return blobArea + "/" + id[len(id)-2:] + "/" + id
}

// undo removes content whose row could not be written. Where nobody knows whether it was, the content stays, and
// reconciling removes it if there is no row.
func (s *storage) undo(ctx context.Context, problem error, name string) {
	if problem != nil && !errors.Is(problem, database.ErrOutcomeUnknown) {
		s.drop(ctx, name)
	}
}

// drop removes content that no row is about. Where that fails, reconciling does it later.
func (s *storage) drop(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	if err := s.files.Delete(ctx, name); err != nil {
		s.log.WarnContext(ctx, "content that is not kept was not removed", "blob", name, "error", err)
	}
}

// limited reads no more than it may.
type limited struct {
	from        io.Reader
	left, limit int64
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, l.refusal()
	}

	return n, err
}

func (l *limited) refusal() error {
	return errTooLarge.WithMessage("The file is larger than %s.", config.Size(l.limit)).WithDetail("limit", l.limit)
}
