package exchange

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web"
)

// progressEvent is the event that says how far an import is.
func progressEvent() web.EventKind[progressBody] {
	return web.NewEventKind[progressBody]("progress", "How far the import is.")
}

// listen sends how far an import is whenever it came on, and ends when nobody works on it any more.
func (m *Importer) listen(ctx context.Context, in *eventsInput) (*web.Events, error) {
	if _, _, err := m.visible(ctx, in.UUID); err != nil {
		return nil, err
	}

	return web.FollowProgress(progressEvent(), in.After(), func(ctx context.Context) (web.Progress[progressBody], error) {
		row, _, err := m.visible(ctx, in.UUID)

		return web.Progress[progressBody]{Mark: row.mark(), Body: row.progress(), Over: !row.State.atWork()}, err
	}), nil
}

// mark is another whenever an import came on.
func (row importRow) mark() string {
	return strconv.FormatInt(row.Version, 10) + "." + strconv.Itoa(row.TrialNext) + "." + strconv.Itoa(row.Next) + "." + strconv.Itoa(row.UndoNext)
}

type eventsInput struct {
	web.Resume

	UUID uuid.UUID `path:"uuid"`
}
