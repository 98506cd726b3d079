package custommodules

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/collection/live"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

func changeRoutes(r *web.Router, h *live.Hub) {
	face := live.NewFace(custommodulesapi.Area, changeBodyOf, overShown{Reason: "module_not_found"})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/changes", ID: "list_changes", Access: web.Read,
		Summary: "Listen to the changes of a module's records",
		Description: "Sends server-sent events as soon as a change is committed. Reconnect with `Last-Event-ID` to get " +
			"the events that you missed; a change may then come twice, which you can tell by its version. After " +
			"`reset`, reload the records.",
		Errors: append(records.Recode(live.ErrUnknownEvent), definition.ErrModuleNotFound), Events: face.Docs(),
	}, records.RecodeHandler(func(ctx context.Context, in *changesInput) (*sse.Events, error) {
		return face.Changes(ctx, h, definition.CollectionOf(in.UUID), &in.Input)
	}))
}

type changesInput struct {
	live.Input

	UUID uuid.UUID `path:"uuid"`
}

// changeBody is what is sent of a change.
type changeBody struct {
	ModuleUUID string          `json:"module_uuid" format:"uuid"`
	RecordUUID string          `json:"record_uuid" format:"uuid"`
	Version    int64           `json:"version" doc:"The version of the record that the change made."`
	Changed    []string        `json:"changed,omitempty" doc:"For an update: the keys of the changed fields, except sensitive ones that you may not see."`
	At         time.Time       `json:"at"`
	Record     json.RawMessage `json:"record,omitempty" doc:"With include=record: the current record; null if it is gone."`
}

// SchemaName implements web's naming.
func (changeBody) SchemaName() string { return "CustomModulesChange" }

func changeBodyOf(c live.Change) changeBody {
	return changeBody{
		ModuleUUID: string(c.Collection), RecordUUID: c.Row.String(), Version: c.Version, Changed: c.Changed, At: c.At, Record: c.Shown,
	}
}

// overShown is what is sent when there will be no more.
type overShown struct {
	Reason string `json:"reason" enum:"module_not_found" doc:"The module is deleted, or you may no longer read it."`
}

// SchemaName implements web's naming.
func (overShown) SchemaName() string { return "CustomModulesGone" }
