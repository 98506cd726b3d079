package custommodules

import (
	"context"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

func changeEventRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/field_changes/{change_uuid}/events", ID: "listen_field_change", Access: web.Scope("define"),
		Summary: "Follow the progress of a field change until it ends",
		Errors:  []*errs.Error{definition.ErrModuleNotFound, definition.ErrChangeNotFound, definition.ErrNotPermitted}, Events: []sse.Doc{changeEvent()},
	}, s.listenFieldChange)
}

// changeMoved is what is sent of a change.
type changeMoved struct {
	State   definition.ChangeState `json:"state" enum:"planning,planned,applying,applied,stopped,cancelled"`
	Total   int64                  `json:"total" doc:"Records to process."`
	Done    int64                  `json:"done" doc:"Records processed."`
	Changed int64                  `json:"changed" doc:"Records that got a new version."`
	Failed  int64                  `json:"failed" doc:"Records whose value was cleared, or replaced by the default."`
	Problem string                 `json:"problem" doc:"Why it stopped, or was cancelled by the service."`
}

func changeEvent() sse.Kind[changeMoved] {
	return sse.NewKind[changeMoved]("progress", "Progress of the change.")
}

type changeEventsInput struct {
	sse.Resume

	UUID       uuid.UUID `path:"uuid"`
	ChangeUUID uuid.UUID `path:"change_uuid"`
}

// listenFieldChange streams the progress of a change until it ends, and waits for one that is planned.
func (s *service) listenFieldChange(ctx context.Context, in *changeEventsInput) (*sse.Events, error) {
	begun := false

	return sse.FollowProgress(ctx, changeEvent(), in.After(), func(ctx context.Context) (sse.Progress[changeMoved], error) {
		row, err := s.seenChange(ctx, in)
		begun = begun || row.State != definition.ChangePlanned
		atWork := row.State == definition.ChangePlanning || row.State == definition.ChangeApplying

		return sse.Progress[changeMoved]{Mark: changeProgressMark(row), Body: moved(row), Over: begun && !atWork}, err
	})
}

// seenChange returns a change of a module that the caller may define.
func (s *service) seenChange(ctx context.Context, in *changeEventsInput) (definition.ChangeRow, error) {
	if _, err := s.changes.Definable(ctx, in.UUID); err != nil {
		return definition.ChangeRow{}, err
	}

	return s.repo.FieldChange(ctx, in.UUID, in.ChangeUUID)
}

// changeProgressMark is another whenever a change came on.
func changeProgressMark(c definition.ChangeRow) string {
	return strconv.FormatInt(c.Version, 10) + "." + strconv.FormatInt(c.Done, 10)
}

func moved(c definition.ChangeRow) changeMoved {
	return changeMoved{State: c.State, Total: c.Total, Done: c.Done, Changed: c.Changed, Failed: c.Failed, Problem: c.Problem}
}
