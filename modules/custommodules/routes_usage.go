package custommodules

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func usageRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/usage", ID: "read_usage", Access: web.Read,
		Summary:     "Read how close the company is to its limits",
		Description: "The header Limits has a summary. Modules that you may not read are counted but not listed.",
		Errors:      []*errs.Error{definition.ErrModuleNotFound},
	}, s.getUsage)
}

// limited is how much there is of something, and how much there may be.
type limited struct {
	Used  int64 `json:"used"`
	Limit int64 `json:"limit" doc:"0 for no limit."`
}

// usageAnswer is what a company has of what is limited.
type usageAnswer struct {
	Modules limited       `json:"modules"`
	Records limited       `json:"records"`
	Each    []moduleUsage `json:"by_module" nullable:"false"`
	Fields  int64         `json:"fields_limit" doc:"Fields that a module may have."`
	Payload int64         `json:"payload_limit_bytes" doc:"Bytes in the payload of a record."`
	Bulk    int64         `json:"bulk_limit_items" doc:"Items in a bulk request."`
}

type moduleUsage struct {
	UUID    uuid.UUID `json:"uuid"`
	Name    string    `json:"name"`
	Records int64     `json:"records"`
	Fields  int64     `json:"fields"`
}

type usageOutput struct {
	Limits string `header:"Limits" doc:"Usage of each limit: modules;used=3;limit=500, records;used=1204;limit=10000000."`
	Body   usageAnswer
}

func (s *service) getUsage(ctx context.Context, _ *struct{}) (*usageOutput, error) {
	rows, err := s.repo.UsageByModule(ctx)
	if err != nil {
		return nil, err
	}
	out := &usageOutput{Body: usageAnswer{
		Modules: limited{Used: int64(len(rows)), Limit: int64(s.settings.MaxModules)},
		Records: limited{Limit: int64(s.settings.MaxRecords)}, Each: []moduleUsage{},
		Fields: int64(s.settings.MaxFields), Payload: int64(s.settings.MaxPayload), Bulk: int64(s.settings.MaxBulk),
	}}
	for _, row := range rows {
		out.Body.Records.Used += row.Records
		if row.Permissions.Allow(ctx, definition.MayRead) {
			out.Body.Each = append(out.Body.Each, moduleUsage{UUID: row.ID, Name: row.Name, Records: row.Records, Fields: row.Fields})
		}
	}
	m, r := out.Body.Modules, out.Body.Records
	out.Limits = fmt.Sprintf("modules;used=%d;limit=%d, records;used=%d;limit=%d", m.Used, m.Limit, r.Used, r.Limit)

	return out, nil
}
