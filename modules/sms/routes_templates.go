package sms

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func templateRoutes(r *web.Router, s *templates) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/templates", ID: "list_templates", Access: web.Read, Summary: "List templates",
		Description: templateSchema().Describe(), Errors: list.Errors(),
	}, list.Serve(templateSchema(), s.templates, showTemplate))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/templates", ID: "create_template", Access: web.Write, Summary: "Create a template",
		Description: "Liquid, without loops and assignments.", Errors: []*errs.Error{errInvalid, errTaken},
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/templates/{uuid}", ID: "read_template", Access: web.Read, Summary: "Read a template", Errors: []*errs.Error{errTemplate},
	}, s.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/templates/{uuid}", ID: "update_template", Access: web.Write, Summary: "Change a template",
		Errors: []*errs.Error{errTemplate, errInvalid, errTaken},
	}, s.patchOne)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/templates/{uuid}", ID: "delete_template", Access: web.Write, Summary: "Delete a template",
		Description: "It can be restored.", Errors: []*errs.Error{errTemplate},
	}, s.deleteOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/templates/{uuid}/restore", ID: "restore_template", Access: web.Write, Summary: "Restore a template that was deleted",
		Errors: []*errs.Error{errTemplate, errTaken},
	}, s.postRestore)
}

// templateBody is a template as the API shows it.
type templateBody struct {
	UUID      uuid.UUID `json:"uuid"`
	Name      string    `json:"name"`
	Body      string    `json:"body"`
	Version   int64     `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (templateBody) SchemaName() string { return "SmsTemplate" }

func showTemplate(row template) templateBody {
	return templateBody{UUID: row.ID, Name: row.Name, Body: row.Body, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt}
}

func templateResource(row template, err error) (*web.Resource[templateBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(showTemplate(row), row.Version, base+"/templates/"+row.ID.String()), nil
}

type postTemplateInput struct {
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100"`
		Body string `json:"body" minLength:"1" maxLength:"5000"`
	}
}

func (s *templates) postOne(ctx context.Context, in *postTemplateInput) (*web.Resource[templateBody], error) {
	return templateResource(s.create(ctx, in.Body.Name, in.Body.Body))
}

func (s *templates) getOne(ctx context.Context, in *readInput) (*web.Resource[templateBody], error) {
	return templateResource(s.liveTemplate(ctx, in.UUID))
}

type patchTemplateInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Body *string `json:"body,omitempty" minLength:"1" maxLength:"5000"`
	}
}

func (s *templates) patchOne(ctx context.Context, in *patchTemplateInput) (*web.Resource[templateBody], error) {
	return templateResource(s.change(ctx, in.UUID, in.IfMatch, false, func(row *template) error {
		if in.Body.Name != nil {
			row.Name = *in.Body.Name
		}
		if in.Body.Body != nil {
			row.Body = *in.Body.Body
		}

		return row.accept()
	}))
}

func (s *templates) deleteOne(ctx context.Context, in *writeInput) (*struct{}, error) {
	_, err := s.change(ctx, in.UUID, in.IfMatch, false, func(row *template) error {
		now := s.clock.Now()
		row.DeletedAt = &now

		return nil
	})

	return nil, err
}

func (s *templates) postRestore(ctx context.Context, in *writeInput) (*web.Resource[templateBody], error) {
	return templateResource(s.change(ctx, in.UUID, in.IfMatch, true, func(row *template) error {
		row.DeletedAt = nil

		return nil
	}))
}
