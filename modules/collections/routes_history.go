package collections

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

func historyRoutes(r *web.Router, c *collection.Registry) {
	h := handlers{collections: c}
	const path = "/collections/{name}/items/{uuid}"
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: path + "/history", ID: "list_history", Access: web.Read,
		Summary: "List the versions of a row, the latest first",
		Description: "Each has what it changed, who did it, and when. The first one has the values that the row was created with. " +
			versionList().Describe(),
		Errors: collectionErrors(append(list.Errors, history.ErrNotVersioned)...),
	}, named(h.history))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: path + "/history/{version}", ID: "read_version", Access: web.Read,
		Summary:     "Read a row as it was at a version",
		Description: "The row has the form in which its area returns it.",
		Errors:      collectionErrors(history.ErrNotVersioned, history.ErrVersionNotFound),
	}, named(h.version))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: path + "/revert", ID: "revert_row", Access: web.Write,
		Summary: "Restore fields of a row to an earlier version",
		Description: "This makes a new version, and all rules of a change apply. Values that only the service writes, " +
			"such as the state, stay unchanged. Fields that you may not write must be unchanged or left out by " +
			"`fields`.",
		Errors: collectionErrors(history.ErrNotVersioned, history.ErrVersionNotFound),
	}, named(h.revert))
}

// versionBody is a version of a row as answers show it.
type versionBody struct {
	Version   int64                          `json:"version"`
	Verb      string                         `json:"verb" doc:"created, updated, deleted, restored, or a transition of the row's state." example:"updated"`
	Changes   map[string]history.ValueChange `json:"changes" nullable:"false" doc:"The changed values by field key, except those that you may not see."`
	Gone      []history.GoneChange           `json:"deleted_fields,omitempty" doc:"The changed values of fields that have been deleted since."`
	At        time.Time                      `json:"at"`
	ActorKind string                         `json:"actor_kind" doc:"user, service or system; empty for a first version not made by a user."`
	UserUUID  *uuid.UUID                     `json:"user_uuid"`
	RequestID string                         `json:"request_id"`
	Source    string                         `json:"source,omitempty" doc:"The origin of the version, if not a request for this row: import:<uuid>, or cascade:<uuid> of the row that was deleted or restored."`
}

func versionList() list.Schema { return history.List(list.KeysOf[versionBody]()) }

type historyInput struct {
	list.Input

	Name    collection.Name `path:"name"`
	UUID    uuid.UUID       `path:"uuid" format:"uuid" doc:"The row."`
	Deleted bool            `query:"deleted" doc:"Lists the versions of a deleted row."`
}

func (h handlers) history(ctx context.Context, in *historyInput) (*list.Output[versionBody], error) {
	q, err := in.Parse(ctx, versionList())
	if err != nil {
		return nil, err
	}
	rows, err := history.Open(ctx, h.collections, in.Name, collection.Read)
	if err != nil {
		return nil, err
	}
	page, err := rows.Versions(ctx, in.UUID, in.Deleted, q)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, func(v history.Version) versionBody {
		return versionBody{
			Version: v.Version, Verb: v.Verb, Changes: v.Changes, Gone: v.Gone, At: v.At,
			ActorKind: v.ActorKind, UserUUID: v.ActorID, RequestID: v.RequestID, Source: v.Source,
		}
	})), nil
}

type versionInput struct {
	Name    collection.Name `path:"name"`
	UUID    uuid.UUID       `path:"uuid" format:"uuid" doc:"The row."`
	Version int64           `path:"version" minimum:"1"`
}

func (h handlers) version(ctx context.Context, in *versionInput) (*web.Resource[rawjson.Object], error) {
	rows, err := history.Open(ctx, h.collections, in.Name, collection.Read)
	if err != nil {
		return nil, err
	}

	return snapshot(rows.At(ctx, in.UUID, in.Version))
}

type revertInput struct {
	web.IfMatch

	Name collection.Name `path:"name"`
	UUID uuid.UUID       `path:"uuid" format:"uuid" doc:"The row."`
	Body history.Revert
}

func (h handlers) revert(ctx context.Context, in *revertInput) (*web.Resource[rawjson.Object], error) {
	rows, err := history.Open(ctx, h.collections, in.Name, collection.Write)
	if err != nil {
		return nil, err
	}

	return snapshot(rows.GoBack(ctx, in.UUID, in.Body, in.IfMatch))
}

func snapshot(s history.Snapshot, err error) (*web.Resource[rawjson.Object], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(rawjson.Object(s.JSON), s.Version, s.Path), nil
}
