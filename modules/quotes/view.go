package quotes

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// views notes that customers saw offers.
type views struct {
	door   *door
	quotes *resource.Resource[quote]
	rows   *repository
	db     *database.DB
	clock  clock.Clock
}

func newViews(d *door, quotes *resource.Resource[quote], rows *repository, db *database.DB, c clock.Clock) *views {
	return &views{d, quotes, rows, db, c}
}

func viewRoutes(r *web.Router, v *views) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{link}/viewed", ID: "note_offer_view", Access: web.Public, Summary: "Say that the offer was shown in a browser",
		Description: "The page's script does it, so that mail scanners do not count.", Errors: v.door.refusals(),
	}, v.noteView)
}

type viewInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Quote uuid.UUID `json:"quote_uuid"`
	}
}

func (v *views) noteView(ctx context.Context, in *viewInput) (*struct{}, error) {
	ctx, q, err := v.door.enter(ctx, in.Link)
	if err != nil || q.ID != in.Body.Quote || !q.open() {
		return nil, err
	}
	now := v.clock.Now()

	return nil, v.db.InTx(ctx, func(ctx context.Context) error {
		_, err := v.quotes.Change(ctx, q.ID, web.IfMatch{}, verbView, func(ctx context.Context, q *quote) error {
			if q.State != sent {
				return nil
			}
			q.SeenAt = &now

			return v.quotes.Step(ctx, q, state.Move{Verb: string(verbView), Party: customer})
		})
		if err != nil {
			return err
		}

		return v.rows.countView(ctx, q.ID)
	})
}
