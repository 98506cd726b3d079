package brand

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/picture"
)

const (
	// maxLogo is the largest file that is taken, maxSide the most pixels that a side of it has.
	maxLogo = config.MiB
	maxSide = 2000
	// keptSide is the most pixels that a side has of what is kept: three inches of a paper at 300 dpi.
	keptSide = 1000
	// decoding is the memory for logos that are decoded at a time, and decodeTime the most time for one.
	decoding   = 96 << 20
	decodeTime = 5 * time.Second
	// dropAfter is how long content is kept that is no longer the logo: someone may just be reading it.
	dropAfter = time.Hour
)

var (
	errNoLogo     = errs.New(errs.NotFound, "companies.logo_not_found", "There is no logo.")
	errType       = errs.New(errs.UnsupportedMedia, "companies.logo_type", "A logo must be a PNG or JPEG image.")
	errTooLarge   = errs.New(errs.TooLarge, "companies.logo_too_large", "A logo must be a file of at most 1 MiB.")
	errTooWide    = errs.New(errs.Invalid, "companies.logo_too_many_pixels", "A logo must have at most 2,000 pixels on each side.")
	errUnreadable = errs.New(errs.Invalid, "companies.logo_unreadable", "The image is damaged or incomplete. Save it anew as PNG or JPEG, and try again.")
)

// Logos keeps the logos of companies: images drawn anew, with nothing in them but pixels.
type Logos struct {
	desk  *Desk
	db    *database.DB
	files *blob.Store
	queue *jobs.Queue
	clock clock.Clock
	maker *picture.Maker
}

// NewLogos returns Logos.
func NewLogos(d *Desk, db *database.DB, files *blob.Store, queue *jobs.Queue, c clock.Clock) *Logos {
	limits := picture.Limits{Pixels: maxSide * maxSide, Memory: decoding, Time: decodeTime}

	return &Logos{d, db, files, queue, c, picture.NewMaker(limits)}
}

// put makes an image the logo of the caller's company. Errors: those above, and those of the store.
func (l *Logos) put(ctx context.Context, content []byte) (Row, error) {
	drawn, err := l.draw(ctx, content)
	if err != nil {
		return Row{}, err
	}
	sum := sha256.Sum256(drawn.PNG)
	if before, err := l.desk.Now(ctx); err != nil || before.Logo.SHA256 == hex.EncodeToString(sum[:]) {
		return before, err
	}
	logo := Logo{
		Blob: "companies/logos/" + database.NewID().String(), SHA256: hex.EncodeToString(sum[:]),
		Size: int64(len(drawn.PNG)), Width: int64(drawn.Width), Height: int64(drawn.Height),
	}
	if err := l.db.InTx(ctx, func(ctx context.Context) error { return l.dropLater(ctx, logo) }); err != nil {
		return Row{}, err
	}
	if _, err := l.files.Write(ctx, logo.Blob, bytes.NewReader(drawn.PNG)); err != nil {
		return Row{}, err
	}

	return l.replace(ctx, "logo_updated", logo, companiesapi.LogoUpdated{SHA256: logo.SHA256})
}

// remove leaves the caller's company without a logo.
func (l *Logos) remove(ctx context.Context) error {
	_, err := l.replace(ctx, "logo_removed", Logo{}, companiesapi.LogoRemoved{})

	return err
}

func (l *Logos) replace(ctx context.Context, action string, logo Logo, happened events.Event) (Row, error) {
	anyVersion := func(int64) error { return nil }

	return l.desk.change(ctx, action, anyVersion, func(ctx context.Context, b *Row) ([]events.Event, error) {
		before := b.Logo
		b.Logo = logo
		if before.Blob == "" || before.SHA256 == logo.SHA256 {
			return []events.Event{happened}, nil
		}

		return []events.Event{happened}, l.dropLater(ctx, before)
	})
}

// draw makes an image anew. What its header says is checked before anything is decoded.
func (l *Logos) draw(ctx context.Context, content []byte) (picture.Copy, error) {
	media := mediaOf(content)
	if media == "" {
		return picture.Copy{}, errType
	}
	info, err := picture.ReadInfo(bytes.NewReader(content), media)
	if err != nil {
		return picture.Copy{}, errUnreadable.WithCause(err)
	}
	if max(info.Width, info.Height) > maxSide {
		return picture.Copy{}, errTooWide.WithDetail("width", info.Width).WithDetail("height", info.Height)
	}
	drawn, err := l.maker.Copy(ctx, bytes.NewReader(content), media, keptSide)
	late := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if late || errors.Is(err, picture.ErrNoImage) || errors.Is(err, picture.ErrTooLarge) {
		err = errUnreadable.WithCause(err)
	}

	return drawn, err
}

// mediaOf tells by its first bytes what kind of image a file is, whatever it is called; "" if it is none that is taken.
func mediaOf(content []byte) string {
	switch {
	case bytes.HasPrefix(content, []byte("\x89PNG\r\n\x1a\n")):
		return picture.PNG
	case bytes.HasPrefix(content, []byte("\xff\xd8\xff")):
		return picture.JPEG
	default:
		return ""
	}
}

// DropLogo is the job that removes content that is no longer the company's logo, or never became it.
type DropLogo struct {
	Blob string `json:"blob"`
}

// Kind implements jobs.Args.
func (DropLogo) Kind() string { return "companies.drop_logo" }

// dropLater enqueues the job for a logo.
func (l *Logos) dropLater(ctx context.Context, logo Logo) error {
	return l.queue.Enqueue(ctx, DropLogo{logo.Blob}, jobs.At(l.clock.Now().Add(dropAfter)), jobs.Background())
}

// Drop does the job.
func (l *Logos) Drop(ctx context.Context, due DropLogo) error {
	b, err := l.desk.Now(ctx)
	if err != nil || b.Logo.Blob == due.Blob {
		return err
	}

	return l.files.Delete(ctx, due.Blob)
}
