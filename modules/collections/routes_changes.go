package collections

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/live"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

func changeRoutes(r *web.Router, h *live.Hub) {
	face := live.NewFace("collections", changeOf, goneBody{Reason: "collection_not_found"})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections/{name}/changes", ID: "list_changes", Access: web.Read,
		Summary: "Listen to the changes of a collection's rows",
		Description: "Sends server-sent events as soon as a change is committed. Reconnect with `Last-Event-ID` to get " +
			"the events that you missed; a change may then come twice, which you can tell by its version. After " +
			"`reset`, reload the rows.",
		Errors: collectionErrors(live.ErrUnknownEvent, live.ErrNotTold), Events: face.Docs(),
	}, named(func(ctx context.Context, in *changesInput) (*sse.Events, error) {
		return face.Changes(ctx, h, in.Name, &in.Input)
	}))
}

type changesInput struct {
	live.Input

	Name collection.Name `path:"name"`
}

// changeBody is what is sent of a change.
type changeBody struct {
	Collection collection.Name `json:"collection"`
	UUID       uuid.UUID       `json:"uuid" doc:"The row."`
	Version    int64           `json:"version" doc:"The version of the row that the change made."`
	Changed    []string        `json:"changed,omitempty" doc:"For an update: the keys of the changed fields, except those that you may not see."`
	At         time.Time       `json:"at"`
	Record     json.RawMessage `json:"record,omitempty" doc:"With include=record: the current row as its area shows it; null if it is gone."`
}

func changeOf(c live.Change) changeBody {
	return changeBody{Collection: c.Collection, UUID: c.Row, Version: c.Version, Changed: c.Changed, At: c.At, Record: c.Shown}
}

// goneBody is what is sent when there will be no more.
type goneBody struct {
	Reason string `json:"reason" enum:"collection_not_found" doc:"The collection is gone, or you may no longer read it."`
}
