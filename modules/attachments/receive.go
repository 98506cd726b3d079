package attachments

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/database"
)

// arrival is content that is stored whole and that nobody can read yet.
type arrival struct {
	// Blob is the name that Open takes.
	Blob      string
	FileName  string
	Category  string
	MediaType string
	Size      int64
	SHA256    string

	// Facts are what steps found out (width, pages …); they are kept with the content and shown.
	Facts map[string]any
	// Quarantine is why nobody may read the content, "" if somebody may.
	Quarantine string
	// Scan is what a scanner said. Nobody may read the content while that is scanPending.
	Scan scanned

	files *blob.Store
}

// open returns the content, which the caller closes.
func (a *arrival) open(ctx context.Context) *blob.Object { return a.files.Open(ctx, a.Blob, a.Size) }

// step looks at content between its arrival and its being given out: it scans it, or finds out what it
// shows. Its error refuses the upload; nothing is kept then.
type step interface {
	receive(ctx context.Context, a *arrival) error
}

// pipeline is what all content goes through, whichever way it came, in this order. After a step that
// quarantines, no further one runs.
type pipeline []step

// newPipeline has content scanned as it is stored, without its location.
func newPipeline(s settings, sc *scanner) pipeline {
	return pipeline{stripper{s.Images}, sc, viewer{}, counter{}}
}

func (p pipeline) receive(ctx context.Context, a *arrival) error {
	for _, s := range p {
		if err := s.receive(ctx, a); err != nil {
			return fmt.Errorf("looking at content that arrived: %w", err)
		}
		if a.Quarantine != "" {
			return nil
		}
	}

	return nil
}

// facts are the facts as they are stored, nil if there are none.
func (a *arrival) facts() (database.JSON, error) {
	if len(a.Facts) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(maps.Clone(a.Facts))

	return database.JSON(text), err
}
