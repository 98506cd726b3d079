package attachments

import (
	"context"
	"errors"
	"io"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/pdf"
	"github.com/dispatchd/dispatchd/platform/blob"
)

const mediaPDF = "application/pdf"

// counter is the step that finds out how many pages documents have.
type counter struct{}

func (counter) receive(ctx context.Context, a *arrival) (err error) {
	if a.MediaType != mediaPDF {
		return nil
	}
	object := a.open(ctx)
	defer func() { err = errors.Join(err, object.Close()) }()
	if n, known := pdf.Pages(anywhere{object}, a.Size); known {
		a.Facts["pages"] = n
	}

	return nil
}

// anywhere reads a blob from any place, for one goroutine.
type anywhere struct{ object *blob.Object }

// ReadAt implements io.ReaderAt.
func (r anywhere) ReadAt(p []byte, at int64) (int, error) {
	if _, err := r.object.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.object, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}

	return n, err
}
