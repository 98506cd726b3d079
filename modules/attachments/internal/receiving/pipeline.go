package receiving

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Arrival is content that is stored whole and that nobody can read yet.
type Arrival struct {
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
	// Scan is what a scanner said. Nobody may read the content while that is ScanPending.
	Scan store.ScanResult

	files *blob.Store
}

// Open returns the content, which the caller closes.
func (a *Arrival) Open(ctx context.Context) *blob.Object { return a.files.Open(ctx, a.Blob, a.Size) }

// Step looks at content between its arrival and its being given out: it scans it, or finds out what it
// shows. Its error refuses the upload; nothing is kept then.
type Step interface {
	Inspect(ctx context.Context, a *Arrival) error
}

// Pipeline is what all content goes through, whichever way it came, in this order. After a step that
// quarantines, no further one runs.
type Pipeline []Step

// NewPipeline has content scanned as it is stored, without its location.
func NewPipeline(s settings.Settings, sc *Scanner) Pipeline {
	return Pipeline{locationRemover{s.Images}, sc, imageMeasurer{}, pageCounter{}}
}

// Inspect implements Step.
func (p Pipeline) Inspect(ctx context.Context, a *Arrival) error {
	for _, s := range p {
		if err := s.Inspect(ctx, a); err != nil {
			return fmt.Errorf("inspecting received content: %w", err)
		}
		if a.Quarantine != "" {
			return nil
		}
	}

	return nil
}

// StoredFacts are the facts as they are stored, nil if there are none.
func (a *Arrival) StoredFacts() (database.JSON, error) {
	if len(a.Facts) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(maps.Clone(a.Facts))

	return database.JSON(text), err
}
