package custommodules

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// groupRoutes are about what records come to together.
func groupRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/groups", ID: "group_records", Access: web.Read,
		Summary: "Count and sum the records of a module by group",
		Description: "Keys are those of the module's fields, and `created_at`, `created_by`, `updated_at` and `updated_by`. Sums are exact; those of weights are " +
			"in kg, of lengths in m. An answer has up to 1,000 groups, ordered by their values; a query with more is " +
			"refused. A large module can only be grouped by indexed fields.",
		Errors: records.ViewErrors(append(list.GroupErrors, definition.ErrModuleNotFound, definition.ErrFieldNotIndexed, definition.ErrNotSearchable)...),
	}, s.groupRecordsRoute)
}

type groupRecordsInput struct {
	list.GroupInput

	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `query:"view" doc:"A view of the module: its filter applies unless the query has its own."`
}

func (s *service) groupRecordsRoute(ctx context.Context, in *groupRecordsInput) (*list.GroupOutput, error) {
	groups, err := s.records.GroupRecords(ctx, in.UUID, in.View, &in.GroupInput)

	return &list.GroupOutput{Body: groups}, err
}
