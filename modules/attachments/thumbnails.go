package attachments

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/picture"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

// thumbnailAgain is how long an image of which no thumbnails could be made is not tried again.
const thumbnailAgain = time.Hour

// edges are the sizes of thumbnails: how many pixels the longer side has at most.
var edges = []int{1200, 480, 160}

// previewEdge is the size of the images that other areas show.
const previewEdge side = "1200"

// thumbnailJob is the job that makes the thumbnails of a version.
type thumbnailJob struct {
	Attachment uuid.UUID `json:"attachment"`
	Number     int64     `json:"number"`
}

// Kind implements jobs.Args.
func (thumbnailJob) Kind() string { return "attachments.shrink" }

// gallery makes thumbnails and gives them out.
type gallery struct {
	files *service
	links *links
	maker *picture.Maker
	log   *slog.Logger
}

func newGallery(s settings.Settings, l *links, log *slog.Logger) *gallery {
	limits := picture.Limits{Pixels: int64(s.Images.MaxPixels), Memory: int64(s.Images.MaxMemory), Time: s.Images.Timeout}

	return &gallery{files: l.files, links: l, maker: picture.NewMaker(limits), log: log}
}

// shrink does the job. Of what is no image, or too large a one, there are no thumbnails, and the file stays.
func (g *gallery) shrink(ctx context.Context, args thumbnailJob) error {
	v, err := g.drawable(ctx, args)
	if err != nil || v.BlobName == "" {
		return err
	}
	all, err := g.draw(ctx, v)
	if errors.Is(err, picture.ErrNoImage) || errors.Is(err, picture.ErrTooLarge) {
		g.log.InfoContext(ctx, "an image has no thumbnails", "attachment", args.Attachment, "version", args.Number, "reason", err)

		return nil
	}
	if err != nil {
		return err
	}
	rows, err := g.write(ctx, v, all)
	if err == nil {
		err = g.enter(ctx, args, rows)
	}
	for _, row := range rows {
		g.files.storage.DiscardOnError(ctx, err, row.BlobName)
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, database.ErrDuplicate) {
		return nil // the file was purged meanwhile, or another process was first
	}

	return err
}

// drawable returns the version that the job is about, the zero version if there is nothing to do.
func (g *gallery) drawable(ctx context.Context, args thumbnailJob) (store.Version, error) {
	row, err := g.files.repository.Find(ctx, args.Attachment)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.State != store.Ready {
		return store.Version{}, nil
	}
	if err != nil {
		return store.Version{}, err
	}
	_, err = g.files.repository.FindThumbnail(ctx, args.Attachment, args.Number, int64(edges[0]))
	if !errors.Is(err, store.ErrThumbnail) {
		return store.Version{}, err
	}
	v, err := g.files.repository.FindVersion(ctx, args.Attachment, args.Number)
	if err == nil && !picture.CanDecode(v.MediaType) {
		return store.Version{}, nil
	}

	return v, err
}

func (g *gallery) draw(ctx context.Context, v store.Version) (all []picture.Thumbnail, err error) {
	object := g.files.storage.Blobs.Open(ctx, v.BlobName, v.Size)
	defer func() { err = errors.Join(err, object.Close()) }()

	return g.maker.Make(ctx, object, v.MediaType, edges)
}

// write stores thumbnails that no row is about yet. What it returns with an error is to be dropped.
func (g *gallery) write(ctx context.Context, v store.Version, all []picture.Thumbnail) ([]store.Thumbnail, error) {
	rows := make([]store.Thumbnail, 0, len(all))
	for _, t := range all {
		row := store.Thumbnail{
			AttachmentID: v.AttachmentID, Number: v.Number, Edge: int64(t.Edge), BlobName: receiving.NewBlobName(), MediaType: t.Media,
			CreatedAt: g.files.clock.Now(),
		}
		made, err := g.files.storage.Blobs.Write(ctx, row.BlobName, bytes.NewReader(t.Content))
		if err != nil {
			return rows, err
		}
		row.Size, row.SHA256 = made.Size, hex.EncodeToString(made.SHA256[:])
		rows = append(rows, row)
	}

	return rows, nil
}

// enter makes the rows, unless the file is purged meanwhile: then nobody would remove them.
func (g *gallery) enter(ctx context.Context, args thumbnailJob, rows []store.Thumbnail) error {
	return g.files.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := g.files.repository.Lock(ctx, args.Attachment); err != nil {
			return err
		}

		return g.files.repository.InsertThumbnails(ctx, rows)
	})
}

// thumbnailOf returns a thumbnail of the newest content of a file that may be read. One that is missing
// though it could be there is made by a job.
func (g *gallery) thumbnailOf(ctx context.Context, row store.Attachment, size side) (store.Thumbnail, error) {
	edge, err := strconv.ParseInt(string(size), 10, 64)
	if err != nil {
		return store.Thumbnail{}, store.ErrThumbnail
	}
	found, err := g.files.repository.FindThumbnail(ctx, row.ID, row.Content, edge)
	if !errors.Is(err, store.ErrThumbnail) || !picture.CanDecode(row.MediaType) {
		return found, err
	}
	enqueued := g.files.db.InTx(ctx, func(ctx context.Context) error { return g.files.prepare(ctx, row) })

	return found, errors.Join(enqueued, err)
}

// Preview implements attachmentsapi.Previews.
func (g *gallery) Preview(ctx context.Context, id string) (attachmentsapi.Image, error) {
	row, err := g.files.readable(ctx, item.ID(id))
	if err != nil {
		return attachmentsapi.Image{}, err
	}
	t, err := g.thumbnailOf(ctx, row, previewEdge)
	if err != nil {
		return attachmentsapi.Image{}, err
	}

	return attachmentsapi.Image{MediaType: t.MediaType, SHA256: t.SHA256, Content: g.files.storage.Blobs.Open(ctx, t.BlobName, t.Size)}, nil
}
