// Package thumbnails makes images in small, and gives them out.
package thumbnails

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/picture"
)

// edges are the sizes of thumbnails: how many pixels the longer side has at most.
var edges = []int{1200, 480, 160}

// previewEdge is the size of the images that other areas show.
const previewEdge side = "1200"

// Shrinker makes thumbnails.
type Shrinker struct {
	repository *store.Repository
	storage    *receiving.Storage
	maker      *picture.Maker
	clock      clock.Clock
	log        *slog.Logger
}

// NewShrinker returns the shrinker of a deployment.
func NewShrinker(s settings.Settings, r *store.Repository, st *receiving.Storage, c clock.Clock, log *slog.Logger) *Shrinker {
	limits := picture.Limits{Pixels: int64(s.Images.MaxPixels), Memory: int64(s.Images.MaxMemory), Time: s.Images.Timeout}

	return &Shrinker{repository: r, storage: st, maker: picture.NewMaker(limits), clock: c, log: log}
}

// Shrink does the job. Of what is no image, or too large a one, there are no thumbnails, and the file stays.
func (s *Shrinker) Shrink(ctx context.Context, args files.ThumbnailJob) error {
	v, err := s.drawable(ctx, args)
	if err != nil || v.BlobName == "" {
		return err
	}
	all, err := s.draw(ctx, v)
	if errors.Is(err, picture.ErrNoImage) || errors.Is(err, picture.ErrTooLarge) {
		s.log.InfoContext(ctx, "an image has no thumbnails", "attachment", args.Attachment, "version", args.Number, "reason", err)

		return nil
	}
	if err != nil {
		return err
	}
	rows, err := s.write(ctx, v, all)
	if err == nil {
		err = s.enter(ctx, args, rows)
	}
	for _, row := range rows {
		s.storage.DiscardOnError(ctx, err, row.BlobName)
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, database.ErrDuplicate) {
		return nil // the file was purged meanwhile, or another process was first
	}

	return err
}

// drawable returns the version that the job is about, the zero version if there is nothing to do.
func (s *Shrinker) drawable(ctx context.Context, args files.ThumbnailJob) (store.Version, error) {
	row, err := s.repository.Find(ctx, args.Attachment)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.State != store.Ready {
		return store.Version{}, nil
	}
	if err != nil {
		return store.Version{}, err
	}
	_, err = s.repository.FindThumbnail(ctx, args.Attachment, args.Number, int64(edges[0]))
	if !errors.Is(err, store.ErrThumbnail) {
		return store.Version{}, err
	}
	v, err := s.repository.FindVersion(ctx, args.Attachment, args.Number)
	if err == nil && !picture.CanDecode(v.MediaType) {
		return store.Version{}, nil
	}

	return v, err
}

func (s *Shrinker) draw(ctx context.Context, v store.Version) (all []picture.Thumbnail, err error) {
	object := s.storage.Blobs.Open(ctx, v.BlobName, v.Size)
	defer func() { err = errors.Join(err, object.Close()) }()

	return s.maker.Make(ctx, object, v.MediaType, edges)
}

// write stores thumbnails that no row is about yet. What it returns with an error is to be dropped.
func (s *Shrinker) write(ctx context.Context, v store.Version, all []picture.Thumbnail) ([]store.Thumbnail, error) {
	rows := make([]store.Thumbnail, 0, len(all))
	for _, t := range all {
		row := store.Thumbnail{
			AttachmentID: v.AttachmentID, Number: v.Number, Edge: int64(t.Edge), BlobName: receiving.NewBlobName(), MediaType: t.Media,
			CreatedAt: s.clock.Now(),
		}
		made, err := s.storage.Blobs.Write(ctx, row.BlobName, bytes.NewReader(t.Content))
		if err != nil {
			return rows, err
		}
		row.Size, row.SHA256 = made.Size, hex.EncodeToString(made.SHA256[:])
		rows = append(rows, row)
	}

	return rows, nil
}

// enter makes the rows, unless the file is purged meanwhile: then nobody would remove them.
func (s *Shrinker) enter(ctx context.Context, args files.ThumbnailJob, rows []store.Thumbnail) error {
	return s.repository.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.repository.Lock(ctx, args.Attachment); err != nil {
			return err
		}

		return s.repository.InsertThumbnails(ctx, rows)
	})
}
