package custommodules

import (
	"context"
	"net/http"
	"sync"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func linkRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records/{uuid}/links", ID: "list_links", Access: web.Read,
		Summary:     "List the records that refer to a record",
		Description: "Sorted by field, then by creation. A record that refers by two fields is listed twice.",
		Errors:      append(list.Errors, definition.ErrRecordNotFound, definition.ErrModuleNotFound, definition.ErrInvalidRecord),
	}, s.listLinks)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records/{uuid}/links/counts", ID: "count_links", Access: web.Read,
		Summary: "Count the records that refer to a record, by module and field",
		Errors:  []*errs.Error{definition.ErrRecordNotFound},
	}, s.getLinkCounts)
}

// linkList is what a list of back-links may be asked for: what points at a record, field by field.
var linkList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[records.RecordLink](list.Schema{
		ID: list.Field{Name: "uuid", Expr: "l.record_id", Kind: kind.UUID},
		Fields: []list.Field{
			{Name: "field_uuid", Expr: "l.field_id", Kind: kind.UUID, Sortable: true},
		},
		DefaultSort: []string{"field_uuid"},
	})
})

type listLinksInput struct {
	list.Input

	UUID       uuid.UUID `path:"uuid"`
	ModuleUUID uuid.UUID `query:"module_uuid" doc:"Only records of this module."`
	Field      string    `query:"field" doc:"Only records that refer by the field with this key; requires module_uuid." example:"customer"`
}

func (s *service) listLinks(ctx context.Context, in *listLinksInput) (*list.Output[records.RecordLink], error) {
	q, err := in.Parse(ctx, linkList())
	if err != nil {
		return nil, err
	}
	if in.Sort != "" { // the id alone does not tell rows apart
		return nil, list.ErrInvalidQuery.WithField("sort", "sort is not a parameter of this list.")
	}
	page, err := s.records.Links(ctx, in.UUID, in.ModuleUUID, in.Field, q)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

type linkCounts struct {
	Data []store.LinkCount `json:"data" nullable:"false" doc:"By the name of the module and the key of the field, leaving out fields without references."`
}

type linkCountsInput struct {
	UUID uuid.UUID `path:"uuid"`
}

type linkCountsOutput struct{ Body linkCounts }

func (s *service) getLinkCounts(ctx context.Context, in *linkCountsInput) (*linkCountsOutput, error) {
	counts, err := s.records.LinkCounts(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &linkCountsOutput{Body: linkCounts{Data: counts}}, nil
}
