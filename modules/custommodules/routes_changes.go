package custommodules

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/live"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// changes answers those who listen.
type changes struct {
	hub     *live.Hub
	modules liveModules
}

func newChanges(hub *live.Hub, d *definitions) *changes {
	return &changes{hub: hub, modules: liveModules{d}}
}

func changeRoutes(r *web.Router, c *changes) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/changes", ID: "list_changes", Access: web.Read,
		Summary: "Listen to the changes of a module's records",
		Description: "Server-sent events, as soon as a change is committed. Who comes back with `Last-Event-ID` is told what he " +
			"missed; a change may then come twice, which its version shows. After `reset`, load the records anew.",
		Errors: []*errs.Error{errModuleNotFound, errUnknownEvent}, Events: live.Docs(),
	}, c.listen)
}

type changesInput struct {
	web.Resume

	UUID    uuid.UUID `path:"uuid"`
	Include string    `query:"include" enum:"record" doc:"Sends the record along, as it is by then."`
	Follow  bool      `query:"follow" default:"true" doc:"With false, the stream ends when everything has been told that there is."`
}

func (c *changes) listen(ctx context.Context, in *changesInput) (*web.Events, error) {
	after, err := c.hub.Place(in.After())
	if err != nil {
		return nil, errUnknownEvent.WithField("Last-Event-ID", "The Last-Event-ID must be the id of an event of this stream.")
	}
	def, err := c.modules.definitions.present(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if err := def.permissions.permit(ctx, mayRead); err != nil {
		return nil, err
	}
	asked := live.Listening{Module: in.UUID, After: after, Record: in.Include == "record", Once: !in.Follow}

	return web.NewEvents(func(ctx context.Context, f *web.Feed) error { return c.hub.Listen(ctx, f, asked) }), nil
}
