package exchange

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web"
)

// progressEvery is how often a listener's import is looked at.
const progressEvery = 500 * time.Millisecond

// progressEvent is the event that says how far an import is.
func progressEvent() web.EventKind[progressBody] {
	return web.NewEventKind[progressBody]("progress", "How far the import is.")
}

// listen sends how far an import is whenever it came on, and ends when nobody works on it any more.
func (m *Importer) listen(ctx context.Context, in *eventsInput) (*web.Events, error) {
	if _, _, err := m.visible(ctx, in.UUID); err != nil {
		return nil, err
	}

	return web.NewEvents(func(ctx context.Context, f *web.Feed) error {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for last := in.After(); ; {
			row, _, err := m.visible(ctx, in.UUID)
			if err != nil {
				return err
			}
			if id := row.mark(); id != last {
				last = id
				event, err := progressEvent().New(id, row.progress())
				if err != nil {
					return err
				}
				if err := f.Send(ctx, event); err != nil {
					return err
				}
			}
			if !row.State.atWork() {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
		}
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
