package custommodules

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func historyRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records/{uuid}/history", ID: "list_history", Access: web.Read,
		Summary: "List the versions of a record, the latest first",
		Description: "Changes are listed by the current keys of fields; those of deleted fields are in deleted_fields. " +
			"The first version has the values that the record was created with. " + historyList().Describe(),
		Errors: append(list.Errors, definition.ErrRecordNotFound),
	}, s.listHistory)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/records/{uuid}/revert", ID: "revert_record", Access: web.Write,
		Summary:     "Restore fields of a record to an earlier version",
		Description: "This makes a new version; nothing of the history is lost.",
		Errors: []*errs.Error{
			definition.ErrRecordNotFound, definition.ErrVersionNotFound, definition.ErrInvalidRecord, definition.ErrInvalidPayload, definition.ErrValueTaken, definition.ErrModuleArchived,
		},
	}, s.postRevert)
}

// recordVersion is a version of a record as answers show it.
type recordVersion struct {
	Version   int64                          `json:"version"`
	Verb      string                         `json:"verb" enum:"created,updated,deleted,restored"`
	Changes   map[string]history.ValueChange `json:"changes" nullable:"false" doc:"The values that changed, by the keys of the module's fields."`
	Gone      []history.GoneChange           `json:"deleted_fields,omitempty" doc:"The changed values of fields that have been deleted since."`
	At        time.Time                      `json:"at"`
	ActorKind string                         `json:"actor_kind" doc:"user, service or system; empty for a first version not made by a user."`
	UserUUID  *uuid.UUID                     `json:"user_uuid"`
	RequestID string                         `json:"request_id"`
	Source    string                         `json:"source,omitempty" doc:"The origin of the version, if not a request for this record: import:<uuid>, field_change:<uuid>, or cascade:<uuid> of the record that it was deleted or restored with."`
}

// SchemaName is its name in the OpenAPI document, where a record has a version too.
func (recordVersion) SchemaName() string { return "CustomModulesVersion" }

func showVersion(v history.Version) recordVersion {
	return recordVersion{
		Version: v.Version, Verb: v.Verb, Changes: v.Changes, Gone: v.Gone, At: v.At,
		ActorKind: v.ActorKind, UserUUID: v.ActorID, RequestID: v.RequestID, Source: v.Source,
	}
}

func historyList() list.Schema { return history.List(list.KeysOf[recordVersion]()) }

type listHistoryInput struct {
	list.Input

	UUID    uuid.UUID `path:"uuid"`
	Deleted bool      `query:"deleted" doc:"Lists the versions of a deleted record."`
}

func (s *service) listHistory(ctx context.Context, in *listHistoryInput) (*list.Output[recordVersion], error) {
	q, err := in.Parse(ctx, historyList())
	if err != nil {
		return nil, err
	}
	read, err := s.records.ReadEither(ctx, in.UUID, in.Deleted)
	if err != nil {
		return nil, err
	}
	page, err := s.records.Versions(ctx, read, q)

	return list.Answer(q, list.Convert(page, showVersion)), err
}

type revertInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body history.Revert
}

func (s *service) postRevert(ctx context.Context, in *revertInput) (*web.Resource[records.Record], error) {
	return answerRecord(s.records.RevertRecord(ctx, in.UUID, in.Body.Version, in.Body.Fields, in.IfMatch))
}
