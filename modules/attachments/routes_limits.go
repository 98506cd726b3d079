package attachments

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// limitsScope is that of who may change what the company's people may send.
const limitsScope = "limits"

// limitRoutes are the operations on the limits that a company sets itself.
func limitRoutes(r *web.Router, h *limitHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/limits", ID: "read_limits", Access: web.Read,
		Summary: "Read what the company's files may be, and what the service lets them be", Errors: []*errs.Error{database.ErrUnavailable},
	}, h.getLimits)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/limits", ID: "update_limits", Access: web.Scope(limitsScope),
		Summary:     "Say what the company's files may be",
		Description: "What the body leaves out is as the service has it, which no limit of a company exceeds. Files that are there stay.",
		Errors:      []*errs.Error{store.ErrInvalid},
	}, h.putLimits)
}

// limitHandlers answer the operations on limits.
type limitHandlers struct {
	settings   settings.Settings
	repository *store.Repository
	limiter    *limits.Limiter
}

func newLimitHandlers(s settings.Settings, r *store.Repository, l *limits.Limiter) *limitHandlers {
	return &limitHandlers{settings: s, repository: r, limiter: l}
}

// limitsBody is what a company has set, and within what.
type limitsBody struct {
	MaxSize        *int64      `json:"max_size" doc:"How many bytes one file may have; null for as many as the service takes."`
	MaxCompanySize *int64      `json:"max_company_size" doc:"How many bytes all files may have; null for as many as the service lets the company have."`
	Types          []string    `json:"types" nullable:"false" doc:"Media types that files may have; none is all that the service takes."`
	Service        ceilingBody `json:"service"`
	Version        int64       `json:"version" doc:"Grows with every change; the ETag."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (limitsBody) SchemaName() string { return "AttachmentLimits" }

// ceilingBody is what the deployment lets companies have.
type ceilingBody struct {
	MaxSize        int64    `json:"max_size"`
	MaxCompanySize *int64   `json:"max_company_size" doc:"Null for any number."`
	Types          []string `json:"types" nullable:"false" doc:"None is all but the refused ones."`
	RefusedTypes   []string `json:"refused_types" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (ceilingBody) SchemaName() string { return "AttachmentServiceLimits" }

// nullableLimit is nil for no limit.
func nullableLimit(limit int64) *int64 {
	if limit == 0 {
		return nil
	}

	return &limit
}

func (h *limitHandlers) answer(row store.CompanyLimits) *web.Resource[limitsBody] {
	s := h.settings

	return web.NewResource(limitsBody{
		MaxSize: nullableLimit(row.MaxSize), MaxCompanySize: nullableLimit(row.MaxCompanySize), Types: row.Types, Version: row.Version,
		Service: ceilingBody{
			MaxSize: int64(s.MaxSize), MaxCompanySize: nullableLimit(int64(s.MaxCompanySize)), Types: s.AllowedTypes, RefusedTypes: s.RefusedTypes,
		},
	}, row.Version, store.Base+"/limits")
}

func (h *limitHandlers) getLimits(ctx context.Context, _ *struct{}) (*web.Resource[limitsBody], error) {
	row, err := h.repository.Limits(ctx)
	if err != nil {
		return nil, err
	}

	return h.answer(row), nil
}

type putLimitsInput struct {
	web.IfMatch

	Body struct {
		MaxSize        *int64   `json:"max_size,omitempty" minimum:"1" doc:"How many bytes one file may have."`
		MaxCompanySize *int64   `json:"max_company_size,omitempty" minimum:"1" doc:"How many bytes all files may have, with all versions and what is not purged yet."`
		Types          []string `json:"types,omitempty" doc:"Media types that files may have, such as application/pdf and image/*."`
	}
}

func (h *limitHandlers) putLimits(ctx context.Context, in *putLimitsInput) (*web.Resource[limitsBody], error) {
	wanted := store.CompanyLimits{Types: in.Body.Types}
	if in.Body.MaxSize != nil {
		wanted.MaxSize = *in.Body.MaxSize
	}
	if in.Body.MaxCompanySize != nil {
		wanted.MaxCompanySize = *in.Body.MaxCompanySize
	}
	row, err := h.limiter.Set(ctx, in.IfMatch, wanted)
	if err != nil {
		return nil, err
	}

	return h.answer(row), nil
}
