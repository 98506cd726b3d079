package exchange

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web/sse"
)

// progressEvent is the event that says how far an import is.
func progressEvent() sse.Kind[ProgressBody] {
	return sse.NewKind[ProgressBody]("progress", "How far the import is.")
}

// listen streams the progress of an import until it ends, and waits for one that has not begun. Errors: ErrImportNotFound.
func (m *Importer) listen(ctx context.Context, id uuid.UUID, resume sse.Resume) (*sse.Events, error) {
	var beat *time.Time // of the work before the client came
	begun := false

	return sse.FollowProgress(ctx, progressEvent(), resume.After(), func(ctx context.Context) (sse.Progress[ProgressBody], error) {
		row, _, err := m.visible(ctx, id)
		if beat == nil {
			beat = &row.Beat
		}
		begun = begun || row.State != ready || !row.Beat.Equal(*beat) // a quick dry run is back to ready between two looks

		return sse.Progress[ProgressBody]{Mark: row.progressMark(), Body: row.progress(), Over: begun && !row.State.atWork()}, err
	})
}

// progressMark is another whenever an import came on.
func (row importRow) progressMark() string {
	return strconv.FormatInt(row.Version, 10) + "." + strconv.Itoa(row.TrialNext) + "." + strconv.Itoa(row.Next) + "." + strconv.Itoa(row.UndoNext)
}
