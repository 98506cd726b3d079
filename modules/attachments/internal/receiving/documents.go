package receiving

import (
	"context"
	"errors"
	"io"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/pdf"
	"github.com/dispatchd/dispatchd/platform/blob"
)

const mediaPDF = "application/pdf"

// pageCounter is the step that finds out how many pages documents have.
type pageCounter struct{}

// Inspect implements Step.
func (pageCounter) Inspect(ctx context.Context, a *Arrival) (err error) {
	if a.MediaType != mediaPDF {
		return nil
	}
	object := a.Open(ctx)
	defer func() { err = errors.Join(err, object.Close()) }()
	if n, known := pdf.Pages(blobReaderAt{object}, a.Size); known {
		a.Facts["pages"] = n
	}

	return nil
}

// blobReaderAt reads a blob from any place, for one goroutine.
type blobReaderAt struct{ object *blob.Object }

// ReadAt implements io.ReaderAt.
func (r blobReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if _, err := r.object.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.object, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}

	return n, err
}
