package sms

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func defaultRoutes(r *web.Router, s *numbers) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/user/default", ID: "user_default", Access: web.Read,
		Summary:     "Read the number that the caller sends from",
		Description: "User Default of the documented interface: the current user's default number, else the company's. A token without a user gets the company's.",
		Errors:      []*errs.Error{errNoDefault},
	}, s.getUserDefault)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/numbers/user/default", ID: "set_user_default", Access: web.Scope(sendScope),
		Summary: "Choose the number that the caller sends from", Errors: []*errs.Error{errNumber, errNotSending, errNotYours, errNoUser},
	}, func(ctx context.Context, in *defaultInput) (*web.Resource[defaultBody], error) {
		row, err := s.setUser(ctx, in.Body.NumberUUID)

		return defaultResource(row, ofUser, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/numbers/user/default", ID: "clear_user_default", Access: web.Scope(sendScope),
		Summary: "Send from the company's default number again", Errors: []*errs.Error{errNoUser},
	}, func(ctx context.Context, _ *struct{}) (*struct{}, error) { return nil, s.clearUser(ctx) })
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/company/default", ID: "company_default", Access: web.Read,
		Summary: "Read the company's default number", Errors: []*errs.Error{errNoDefault},
	}, func(ctx context.Context, _ *struct{}) (*web.Resource[defaultBody], error) {
		p, err := s.preferences(ctx)
		if err != nil {
			return nil, err
		}
		row, err := s.companyDefault(ctx, p)

		return defaultResource(row, ofCompany, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/numbers/company/default", ID: "set_company_default", Access: web.Write,
		Summary: "Choose the company's default number", Errors: []*errs.Error{errNumber, errNotSending, errNotYours},
	}, func(ctx context.Context, in *defaultInput) (*web.Resource[defaultBody], error) {
		row, err := s.setCompany(ctx, &in.Body.NumberUUID)

		return defaultResource(row, ofCompany, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/numbers/company/default", ID: "clear_company_default", Access: web.Write,
		Summary: "Take the company's default number away", Errors: []*errs.Error{errNumber},
	}, func(ctx context.Context, _ *struct{}) (*struct{}, error) {
		_, err := s.setCompany(ctx, nil)

		return nil, err
	})
}

// defaultBody is a number, and whose default it is.
type defaultBody struct {
	numberBody

	DefaultOf string `json:"default_of" enum:"user,company" doc:"Whose default it is."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (defaultBody) SchemaName() string { return "SmsDefaultNumber" }

func defaultResource(row number, whose string, err error) (*web.Resource[defaultBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(defaultBody{numberBody: showNumber(row), DefaultOf: whose}, row.Version, base+"/numbers/"+row.ID.String()), nil
}

type defaultInput struct {
	Body struct {
		NumberUUID uuid.UUID `json:"number_uuid"`
	}
}

func (s *numbers) getUserDefault(ctx context.Context, _ *struct{}) (*web.Resource[defaultBody], error) {
	p, err := s.preferences(ctx)
	if err != nil {
		return nil, err
	}
	row, whose, err := s.standard(ctx, p)

	return defaultResource(row, whose, err)
}
