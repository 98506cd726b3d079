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

	"github.com/dispatchd/dispatchd/modules/attachments/internal/picture"
	"github.com/dispatchd/dispatchd/platform/database"
)

// thumbnailAgain is how long an image of which no thumbnails could be made is not tried again.
const thumbnailAgain = time.Hour

// edges are the sizes of thumbnails: how many pixels the longer side has at most.
func edges() []int { return []int{1200, 480, 160} }

// shrinking is the job that makes the thumbnails of a version.
type shrinking struct {
	Attachment uuid.UUID `json:"attachment"`
	Number     int64     `json:"number"`
}

// Kind implements jobs.Args.
func (shrinking) Kind() string { return "attachments.shrink" }

// gallery makes thumbnails and gives them out.
type gallery struct {
	*links

	maker *picture.Maker
	log   *slog.Logger
}

func newGallery(s settings, l *links, log *slog.Logger) *gallery {
	limits := picture.Limits{Pixels: int64(s.Images.MaxPixels), Memory: int64(s.Images.MaxMemory), Time: s.Images.Timeout}

	return &gallery{links: l, maker: picture.NewMaker(limits), log: log}
}

// shrink does the job. Of what is no image, or too large a one, there are no thumbnails, and the file stays.
func (g *gallery) shrink(ctx context.Context, args shrinking) error {
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
		g.storage.undo(ctx, err, row.BlobName)
	}
	if errors.Is(err, errNotFound) || errors.Is(err, database.ErrDuplicate) {
		return nil // the file was purged meanwhile, or another process was first
	}

	return err
}

// drawable returns the version that the job is about, the zero version if there is nothing to do.
func (g *gallery) drawable(ctx context.Context, args shrinking) (version, error) {
	row, err := g.repository.find(ctx, args.Attachment)
	if errors.Is(err, errNotFound) || err == nil && row.State != ready {
		return version{}, nil
	}
	if err != nil {
		return version{}, err
	}
	_, err = g.repository.findThumbnail(ctx, args.Attachment, args.Number, int64(edges()[0]))
	if !errors.Is(err, errThumbnail) {
		return version{}, err
	}
	v, err := g.repository.findVersion(ctx, args.Attachment, args.Number)
	if err == nil && !picture.Known(v.MediaType) {
		return version{}, nil
	}

	return v, err
}

func (g *gallery) draw(ctx context.Context, v version) (all []picture.Thumbnail, err error) {
	object := g.storage.files.Open(ctx, v.BlobName, v.Size)
	defer func() { err = errors.Join(err, object.Close()) }()

	return g.maker.Make(ctx, object, v.MediaType, edges())
}

// write stores thumbnails that no row is about yet. What it returns with an error is to be dropped.
func (g *gallery) write(ctx context.Context, v version, all []picture.Thumbnail) ([]thumbnail, error) {
	rows := make([]thumbnail, 0, len(all))
	for _, t := range all {
		row := thumbnail{
			AttachmentID: v.AttachmentID, Number: v.Number, Edge: int64(t.Edge), BlobName: newBlobName(), MediaType: t.Media,
			CreatedAt: g.clock.Now(),
		}
		made, err := g.storage.files.Write(ctx, row.BlobName, bytes.NewReader(t.Content))
		if err != nil {
			return rows, err
		}
		row.Size, row.SHA256 = made.Size, hex.EncodeToString(made.SHA256[:])
		rows = append(rows, row)
	}

	return rows, nil
}

// enter makes the rows, unless the file is purged meanwhile: then nobody would remove them.
func (g *gallery) enter(ctx context.Context, args shrinking, rows []thumbnail) error {
	return g.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := g.repository.held(ctx, args.Attachment); err != nil {
			return err
		}

		return g.repository.insertThumbnails(ctx, rows)
	})
}

// thumbnailOf returns a thumbnail of the newest content of a file that may be read. One that is missing
// though it could be there is made by a job.
func (g *gallery) thumbnailOf(ctx context.Context, row attachment, size side) (thumbnail, error) {
	edge, err := strconv.ParseInt(string(size), 10, 64)
	if err != nil {
		return thumbnail{}, errThumbnail
	}
	found, err := g.repository.findThumbnail(ctx, row.ID, row.Content, edge)
	if !errors.Is(err, errThumbnail) || !picture.Known(row.MediaType) {
		return found, err
	}
	enqueued := g.db.InTx(ctx, func(ctx context.Context) error { return g.prepare(ctx, row) })

	return found, errors.Join(enqueued, err)
}
