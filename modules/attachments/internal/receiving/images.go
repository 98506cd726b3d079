package receiving

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"slices"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/picture"
)

// locationRemover is the step that takes out of images where they were made.
type locationRemover struct{ settings settings.ImageSettings }

// Inspect implements Step.
func (s locationRemover) Inspect(ctx context.Context, a *Arrival) error {
	if !picture.CanDecode(a.MediaType) || slices.Contains(s.settings.Evidence, a.Category) {
		return nil
	}
	found, err := s.located(ctx, a)
	if err != nil || !found {
		return err
	}
	made, name, err := s.rewrite(ctx, a)
	if err != nil {
		return err
	}
	before := a.Blob
	a.Facts["location_removed"], a.Facts["sent_sha256"] = true, a.SHA256
	a.Blob, a.Size, a.SHA256 = name, made.Size, hex.EncodeToString(made.SHA256[:])
	if err := a.files.Delete(ctx, before); err != nil {
		return errors.Join(err, a.files.Delete(ctx, name))
	}

	return nil
}

// located reports whether content says where it was made.
func (locationRemover) located(ctx context.Context, a *Arrival) (found bool, err error) {
	object := a.Open(ctx)
	defer func() { err = errors.Join(err, object.Close()) }()
	found, err = picture.WithoutLocation(io.Discard, object, a.MediaType)
	if errors.Is(err, picture.ErrNoImage) {
		return false, nil // it is kept as it is
	}

	return found, err
}

// rewrite stores the content anew, without its location.
func (locationRemover) rewrite(ctx context.Context, a *Arrival) (made blob.Written, name string, err error) {
	object := a.Open(ctx)
	defer func() { err = errors.Join(err, object.Close()) }()
	read, written := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := picture.WithoutLocation(written, object, a.MediaType)
		written.CloseWithError(err)
	}()
	name = NewBlobName()
	made, err = a.files.Write(ctx, name, read)
	read.CloseWithError(io.ErrClosedPipe) //nolint:gosec // it has no error
	<-done

	return made, name, err
}

// imageMeasurer is the step that finds out how large images are.
type imageMeasurer struct{}

// Inspect implements Step.
func (imageMeasurer) Inspect(ctx context.Context, a *Arrival) (err error) {
	if !picture.CanDecode(a.MediaType) {
		return nil
	}
	object := a.Open(ctx)
	defer func() { err = errors.Join(err, object.Close()) }()
	info, err := picture.ReadInfo(object, a.MediaType)
	if errors.Is(err, picture.ErrNoImage) {
		return nil
	}
	if err == nil {
		a.Facts["width"], a.Facts["height"] = info.Width, info.Height
	}

	return err
}
